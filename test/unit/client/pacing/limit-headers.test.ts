import { expect, test } from "vitest";
import { announcedWaitMs, readLimitHeaders } from "../../../../src/client/pacing/limit-headers.ts";

const NOW = Date.parse("2026-11-21T00:00:00Z");

test.each<[string, Readonly<Record<string, string>>, object]>([
  ["no headers", {}, {}],
  [
    "the four usual headers",
    { "RateLimit-Limit": "100", "RateLimit-Remaining": "0", "RateLimit-Reset": "34", "Retry-After": "60" },
    { limit: 100, remaining: 0, resetMs: 34_000, retryAfterMs: 60_000 },
  ],
  ["a limit with its policy", { "RateLimit-Limit": "100, 100;w=60" }, { limit: 100 }],
  [
    "headers that begin with X-",
    { "X-RateLimit-Limit": "5", "X-RateLimit-Reset": String(NOW / 1000 + 20) },
    { limit: 5, resetMs: 20_000 },
  ],
  ["a time to come in Retry-After", { "Retry-After": "Sat, 21 Nov 2026 00:00:30 GMT" }, { retryAfterMs: 30_000 }],
  ["a time that has passed in Retry-After", { "Retry-After": "Fri, 20 Nov 2026 00:00:30 GMT" }, { retryAfterMs: 0 }],
  // The server's clock is 2 hours ahead of this machine's.
  [
    "a time of a server whose clock is ahead",
    { Date: "Sat, 21 Nov 2026 02:00:00 GMT", "Retry-After": "Sat, 21 Nov 2026 02:00:30 GMT" },
    { retryAfterMs: 30_000 },
  ],
  [
    "a second of a server whose clock is ahead",
    { Date: "Sat, 21 Nov 2026 02:00:00 GMT", "RateLimit-Reset": String(NOW / 1000 + 7220) },
    { resetMs: 20_000 },
  ],
  // Points in time, in seconds and in milliseconds.
  [
    "points in time in seconds and in milliseconds",
    { "Retry-After": String(NOW / 1000 + 30), "RateLimit-Reset": String(NOW + 20_000) },
    { resetMs: 20_000, retryAfterMs: 30_000 },
  ],
  [
    "points in time in milliseconds and in the past",
    { "Retry-After": String(NOW + 30_000), "X-RateLimit-Reset": String(NOW / 1000 - 60) },
    { resetMs: 0, retryAfterMs: 30_000 },
  ],
  // No limit lasts longer than a day.
  [
    "numbers that are no times",
    { "Retry-After": "900000000", "RateLimit-Reset": String(NOW * 1000) },
    { resetMs: 86_400_000, retryAfterMs: 86_400_000 },
  ],
  ["a time in a hundred years", { "Retry-After": "Sat, 21 Nov 2126 00:00:30 GMT" }, { retryAfterMs: 86_400_000 }],
  ["headers that are no numbers", { "Retry-After": "soon", "RateLimit-Reset": "-1", "RateLimit-Limit": "many" }, {}],
])("%s give the limit as documented", (_, headers, expected) => {
  expect(readLimitHeaders(new Headers(headers), NOW)).toEqual(expected);
});

test("RateLimit-Reset takes precedence over Retry-After", () => {
  expect(announcedWaitMs({ resetMs: 34_000, retryAfterMs: 60_000 })).toBe(34_000);
  expect(announcedWaitMs({ retryAfterMs: 60_000 })).toBe(60_000);
  expect(announcedWaitMs({})).toBeUndefined();
});
