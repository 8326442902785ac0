import { describe, expect, test } from "vitest";
import { nextWindow } from "../../../../src/client/pacing/announced-limit.ts";
import { createLearnedLimit } from "../../../../src/client/pacing/learned-limit.ts";

const TAKEN = { status: 200, limits: {} };
const REFUSED = { status: 429, limits: {} };

describe("a limit that is learned", () => {
  test("counts what was taken even where the refusal was answered first", () => {
    const limit = createLearnedLimit();
    const ends = Array.from({ length: 11 }, () => limit.begin(0));
    const [refused, ...taken] = ends;
    refused?.(REFUSED, 10);
    for (const end of taken) end(TAKEN, 20);
    // All ten are in the window of 10 s, so the next may start when they have left it, not when the hold of 1 s is over.
    expect(limit.delay(5000)).toMatchObject({ reason: "the stack seems to allow 10 requests per 10 s" });
    expect(limit.delay(11_000)).toBeUndefined();
    const probe = limit.begin(11_000);
    probe(TAKEN, 11_010);
    for (let count = 1; count < 10; count += 1) {
      expect(limit.delay(11_020)).toBeUndefined();
      limit.begin(11_020)(TAKEN, 11_030);
    }
    expect(limit.delay(11_040)).toMatchObject({ untilMs: 21_110 });
  });

  test("a Retry-After is waited for", () => {
    const limit = createLearnedLimit();
    limit.begin(0)({ status: 429, limits: { retryAfterMs: 7000 } }, 100);
    expect(limit.delay(200)).toMatchObject({ untilMs: 7100 });
  });
});

describe("a window that is announced", () => {
  const first = nextWindow(undefined, { limit: 100, remaining: 60, resetMs: 40_000 }, 1000, 1100);

  test("ends between what the first and the last moment of the answer allow", () => {
    expect(first).toEqual({ limit: 100, remaining: 60, endsAfterMs: 40_000, endsBeforeMs: 41_100 });
  });

  test("keeps the least that any answer left, in whichever order they come", () => {
    const late = nextWindow(first, { limit: 100, remaining: 80, resetMs: 41_000 }, 500, 1200);
    expect(late?.remaining).toBe(60);
    expect(nextWindow(late, { limit: 100, remaining: 59, resetMs: 40_000 }, 1100, 1300)?.remaining).toBe(59);
  });

  test("is followed by the next, of which a late answer of the one before says nothing", () => {
    const next = nextWindow(first, { limit: 100, remaining: 99, resetMs: 60_000 }, 41_200, 41_300);
    expect(next?.remaining).toBe(99);
    expect(nextWindow(next, { limit: 100, remaining: 0, resetMs: 1000 }, 40_500, 41_400)).toEqual(next);
  });

  test("is not touched by an answer without the headers", () => {
    expect(nextWindow(first, {}, 2000, 2100)).toBe(first);
    expect(nextWindow(undefined, { limit: 100, remaining: 1 }, 0, 1)).toBeUndefined();
  });
});
