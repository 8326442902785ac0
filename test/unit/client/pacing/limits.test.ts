import { describe, expect, test } from "vitest";
import { updateWindow } from "../../../../src/client/pacing/announced-limit.ts";
import { LearnedLimit } from "../../../../src/client/pacing/learned-limit.ts";

const TAKEN = { status: 200, limits: {} };
const REFUSED = { status: 429, limits: {} };

describe("a rate limit that is learned from refusals", () => {
  /** Sends as many requests as the limit allows at one moment, each accepted at once. Returns their number. */
  function fill(limit: LearnedLimit, now: number, most = 1000): number {
    let sent = 0;
    for (; limit.delay(now) === undefined && sent < most; sent += 1) limit.begin(now)(TAKEN, now);
    return sent;
  }

  function refuse(limit: LearnedLimit, now: number): void {
    limit.begin(now)(REFUSED, now);
  }

  /** Returns the limit after a server has twice accepted ten requests and refused one more until its window of 10 s was over. */
  function learnedTen(): LearnedLimit {
    const limit = new LearnedLimit();
    fill(limit, 0, 10);
    for (const now of [1, 1002, 2100, 5200]) refuse(limit, now);
    fill(limit, 10_300, 10);
    refuse(limit, 10_301);
    return limit;
  }

  test("is not learned from one refused window", () => {
    const limit = new LearnedLimit();
    fill(limit, 0, 5);
    refuse(limit, 1);
    expect(limit.delay(500)).toMatchObject({ untilMs: 1001 });
    expect(fill(limit, 1001)).toBe(1000);
  });

  test("beyond the number that was accepted, one request at a time is sent", () => {
    const limit = new LearnedLimit();
    fill(limit, 0, 10);
    refuse(limit, 1);
    fill(limit, 1001, 10);
    const end = limit.begin(1001);
    expect(limit.delay(1002)).toEqual({ untilMs: Infinity });
    end(TAKEN, 1003);
    expect(limit.delay(1004)).toBeUndefined();
  });

  test("far beyond that number, too, until none was refused for 5 s", () => {
    const limit = new LearnedLimit();
    fill(limit, 0, 10);
    refuse(limit, 1);
    fill(limit, 1001, 50);
    limit.begin(1002);
    expect(limit.delay(5900)).toEqual({ untilMs: Infinity });
    expect(limit.delay(6001)).toBeUndefined();
  });

  test("counts accepted requests even if the refusal was answered before them", () => {
    const limit = new LearnedLimit();
    const [refused, ...taken] = Array.from({ length: 11 }, () => limit.begin(0));
    refused?.(REFUSED, 10);
    for (const end of taken) end(TAKEN, 20);
    fill(limit, 1020, 10);
    limit.begin(1020);
    expect(limit.delay(1020)).toEqual({ untilMs: Infinity });
  });

  test("is kept after two refused windows that agree, and more is tried after 4, then 8 windows", () => {
    const limit = learnedTen();
    const tries: number[] = [];
    for (let window = 1; window < 18; window += 1) {
      const now = 10_301 + window * 10_300;
      expect(fill(limit, now, 10)).toBe(10);
      if (limit.delay(now) !== undefined) continue;
      tries.push(window);
      refuse(limit, now + 1);
    }
    expect(tries).toEqual([5, 14]);
  });

  test("does not change with a refusal in a window that has just begun", () => {
    const limit = learnedTen();
    fill(limit, 21_000, 3);
    refuse(limit, 21_001);
    expect(limit.delay(21_500)).toMatchObject({ untilMs: 22_001 });
    expect(fill(limit, 22_001, 7)).toBe(7);
    refuse(limit, 22_002);
    expect(limit.delay(30_000)).toMatchObject({ untilMs: 31_000 });
  });

  test("learns nothing from a budget that other clients have used up", () => {
    const limit = new LearnedLimit();
    limit.begin(0)(REFUSED, 1);
    expect(limit.delay(500)).toMatchObject({ untilMs: 1001 });
    limit.begin(2000)(TAKEN, 2000);
    expect(fill(limit, 2000)).toBe(1000);
  });

  test("takes nothing for a bucket while no number is known, or after a minute", () => {
    const unknown = new LearnedLimit();
    refuse(unknown, 1);
    fill(unknown, 1002, 3);
    refuse(unknown, 2000);
    expect(unknown.delay(2001)).toMatchObject({ untilMs: 3000 });
    const idle = new LearnedLimit();
    fill(idle, 0, 100);
    refuse(idle, 1);
    fill(idle, 1002, 5);
    fill(idle, 600_000, 1);
    refuse(idle, 600_001);
    expect(idle.delay(600_002)).toMatchObject({ untilMs: 601_001 });
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
