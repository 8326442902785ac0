import { describe, expect, test } from "vitest";
import { updateWindow } from "../../../../src/client/pacing/announced-limit.ts";
import { LearnedLimit } from "../../../../src/client/pacing/learned-limit.ts";

const TAKEN = { status: 200, limits: {} };
const REFUSED = { status: 429, limits: {} };

describe("a rate limit that is learned from refusals", () => {
  test("counts accepted requests even if the refusal was answered before them", () => {
    const limit = new LearnedLimit();
    const ends = Array.from({ length: 11 }, () => limit.begin(0));
    const [refused, ...taken] = ends;
    refused?.(REFUSED, 10);
    for (const end of taken) end(TAKEN, 20);
    // All ten requests are in the window of 10 s. So the next request has to wait until they have left the window, not only the 1 s
    // of the refusal.
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

  /** Sends as many requests as the limit allows at one moment, each accepted at once. Returns their number. */
  function fill(limit: LearnedLimit, now: number): number {
    let sent = 0;
    for (; limit.delay(now) === undefined && sent < 1000; sent += 1) limit.begin(now)(TAKEN, now);
    return sent;
  }

  /**
   * Returns the limit after a server has accepted ten requests at time 0, refused one more, and accepted the probe that ends the
   * delay.
   */
  function learnedTen(): LearnedLimit {
    const limit = new LearnedLimit();
    for (let count = 0; count < 10; count += 1) limit.begin(0)(TAKEN, 0);
    limit.begin(0)(REFUSED, 1);
    limit.begin(11_000)(TAKEN, 11_000);
    return limit;
  }

  test("grows by one after four windows without a refusal", () => {
    const limit = learnedTen();
    expect(fill(limit, 11_000)).toBe(9);
    expect([22_000, 33_000, 44_000, 55_000].map((now) => fill(limit, now))).toEqual([10, 10, 10, 11]);
  });

  test("is at most halved by a later refusal, however few requests the server accepted", () => {
    const limit = learnedTen();
    limit.begin(22_000)(TAKEN, 22_000);
    limit.begin(22_000)(REFUSED, 22_001);
    limit.begin(33_000)(TAKEN, 33_000);
    expect(fill(limit, 33_000)).toBe(4);
    expect(fill(limit, 44_000)).toBe(5);
  });

  test("learns nothing from a budget that other clients have used up", () => {
    const limit = new LearnedLimit();
    limit.begin(0)(REFUSED, 1);
    expect(limit.delay(500)).toMatchObject({ untilMs: 1001 });
    limit.begin(2000)(TAKEN, 2000);
    expect(fill(limit, 2000)).toBe(1000);
  });

  test("gets a longer window if the server refuses for longer than the window", () => {
    const limit = new LearnedLimit();
    for (let count = 0; count < 10; count += 1) limit.begin(0)(TAKEN, 0);
    for (let now = 1; now < 30_000; now += 10_000) limit.begin(now)(REFUSED, now);
    limit.begin(30_000)(TAKEN, 30_000);
    expect(fill(limit, 30_000)).toBe(9);
    expect(limit.delay(50_000)).toMatchObject({ reason: "the stack seems to allow 10 requests per 30 s" });
  });

  test("waits for the time of Retry-After", () => {
    const limit = new LearnedLimit();
    limit.begin(0)({ status: 429, limits: { retryAfterMs: 7000 } }, 100);
    expect(limit.delay(200)).toMatchObject({ untilMs: 7100 });
  });
});

describe("a rate limit window that headers announce", () => {
  const first = updateWindow(undefined, { limit: 100, remaining: 60, resetMs: 40_000 }, 1000, 1100);

  test("ends between the reset counted from the request and from the answer", () => {
    expect(first).toEqual({ limit: 100, remaining: 60, endsAfterMs: 40_000, endsBeforeMs: 41_100 });
  });

  test("keeps the smallest remaining count of all answers, in whichever order they arrive", () => {
    const late = updateWindow(first, { limit: 100, remaining: 80, resetMs: 41_000 }, 500, 1200);
    expect(late?.remaining).toBe(60);
    expect(updateWindow(late, { limit: 100, remaining: 59, resetMs: 40_000 }, 1100, 1300)?.remaining).toBe(59);
  });

  test("is followed by the next window, which a late answer of the former window does not change", () => {
    const next = updateWindow(first, { limit: 100, remaining: 99, resetMs: 60_000 }, 41_200, 41_300);
    expect(next?.remaining).toBe(99);
    expect(updateWindow(next, { limit: 100, remaining: 0, resetMs: 1000 }, 40_500, 41_400)).toEqual(next);
  });

  test("is not changed by an answer without rate limit headers", () => {
    expect(updateWindow(first, {}, 2000, 2100)).toBe(first);
    expect(updateWindow(undefined, { limit: 100, remaining: 1 }, 0, 1)).toBeUndefined();
  });
});
