import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isEmptyPolicy, judgeArchives } from "../../../src/backup/retention.ts";
import { CALENDAR_SPAN, type RetentionPolicy } from "../../../src/core/retention-policy.ts";
import { maxKeptArchives } from "../../support/max-kept.ts";
import { propertyRuns } from "../../support/tries.ts";

const now = Date.parse("2026-11-21T12:00:00Z");

/** Lists the archives that are kept, as `time reasons`, the newest first. */
function kept(times: readonly string[], policy: RetentionPolicy): string[] {
  const archives = times.map((time) => ({ time, at: Date.parse(time) }));
  return [...judgeArchives(archives, policy)].flatMap(([{ time }, reasons]) =>
    reasons.length > 0 ? [`${time} ${reasons.join(" ")}`] : [],
  );
}

/** One archive every six hours, the newest first. */
const everySixHours = Array.from({ length: 40 }, (_, index) =>
  new Date(Date.parse("2026-11-21T09:00:00Z") - index * 6 * 3_600_000).toISOString().replace(":00.000Z", "Z"),
);
/** One archive a day at 23:30, over more than two years. */
const daily = Array.from({ length: 800 }, (_, index) =>
  new Date(Date.parse("2026-11-20T23:30:00Z") - index * 86_400_000).toISOString().replace(":00.000Z", "Z"),
);

const golden: readonly (readonly [string, readonly string[], RetentionPolicy, readonly string[]])[] = [
  ["keep-last", everySixHours, { last: 2 }, ["2026-11-21T09:00Z last", "2026-11-21T03:00Z last"]],
  ["keep-last more than there are", ["2026-11-21T09:00Z"], { last: 5 }, ["2026-11-21T09:00Z last"]],
  [
    "keep-hourly takes the newest of an hour",
    ["2026-11-21T09:05Z", "2026-11-21T09:55Z", "2026-11-21T08:10Z", "2026-11-20T01:00Z", "2026-11-20T00:59Z"],
    { hourly: 2 },
    ["2026-11-21T09:55Z hourly", "2026-11-21T08:10Z hourly"],
  ],
  [
    "keep-daily counts days with an archive, by UTC",
    ["2026-11-21T00:10Z", "2026-11-20T23:50Z", "2026-11-20T00:10Z", "2026-11-12T10:00Z", "2026-11-01T10:00Z"],
    { daily: 3 },
    ["2026-11-21T00:10Z daily", "2026-11-20T23:50Z daily", "2026-11-12T10:00Z daily"],
  ],
  [
    "keep-daily of every six hours",
    everySixHours,
    { daily: 3 },
    ["2026-11-21T09:00Z daily", "2026-11-20T21:00Z daily", "2026-11-19T21:00Z daily"],
  ],
  [
    "keep-weekly: weeks begin on Monday",
    // 2026-11-16 is a Monday.
    ["2026-11-16T00:00Z", "2026-11-15T23:59Z", "2026-11-09T00:00Z", "2026-11-08T12:00Z", "2026-10-01T00:00Z"],
    { weekly: 3 },
    ["2026-11-16T00:00Z weekly", "2026-11-15T23:59Z weekly", "2026-11-08T12:00Z weekly"],
  ],
  [
    "keep-weekly over a new year: 2027-01-01 is in week 53 of 2026",
    [
      "2027-01-04T00:00Z",
      "2027-01-01T00:00Z",
      "2026-12-28T00:00Z",
      "2026-12-27T00:00Z",
      "2026-12-20T00:00Z",
      "2026-01-01T00:00Z",
    ],
    { weekly: 3 },
    ["2027-01-04T00:00Z weekly", "2027-01-01T00:00Z weekly", "2026-12-27T00:00Z weekly"],
  ],
  [
    "keep-monthly",
    daily,
    { monthly: 3 },
    ["2026-11-20T23:30Z monthly", "2026-10-31T23:30Z monthly", "2026-09-30T23:30Z monthly"],
  ],
  [
    "keep-yearly, and the oldest while the count is not used up",
    daily,
    { yearly: 5 },
    ["2026-11-20T23:30Z yearly", "2025-12-31T23:30Z yearly", "2024-12-31T23:30Z yearly", "2024-09-12T23:30Z yearly"],
  ],
  [
    "an archive is kept for any reason, and all reasons are listed",
    daily,
    { last: 1, daily: 2, weekly: 2, monthly: 2, yearly: 1 },
    [
      "2026-11-20T23:30Z last daily weekly monthly yearly",
      "2026-11-19T23:30Z daily",
      "2026-11-15T23:30Z weekly",
      "2026-10-31T23:30Z monthly",
    ],
  ],
  [
    "keep-within counts back from the newest, exclusively",
    ["2026-11-01T10:00Z", "2026-10-31T10:01Z", "2026-10-31T10:00Z", "2026-10-30T00:00Z"],
    { within: "1d" },
    ["2026-11-01T10:00Z within", "2026-10-31T10:01Z within"],
  ],
  [
    "keep-within by the calendar: a month before March 31 is March 3",
    ["2026-03-31T10:00Z", "2026-03-03T11:00Z", "2026-03-03T10:00Z", "2026-02-28T11:00Z"],
    { within: "1m" },
    ["2026-03-31T10:00Z within", "2026-03-03T11:00Z within"],
  ],
  [
    "keep-within counts years back",
    ["2026-03-31T10:00Z", "2025-03-31T11:00Z", "2025-03-31T10:00Z"],
    { within: "1y" },
    ["2026-03-31T10:00Z within", "2025-03-31T11:00Z within"],
  ],
  [
    "a keep-within of no length keeps nothing",
    ["2026-11-21T00:00Z", "2026-11-20T00:00Z"],
    { last: 1, within: "0d" },
    ["2026-11-21T00:00Z last"],
  ],
  [
    "keep-daily with all",
    everySixHours.slice(0, 5),
    { daily: "all" },
    ["2026-11-21T09:00Z daily", "2026-11-20T21:00Z daily", "2026-11-20T09:00Z daily"],
  ],
  ["no archives", [], { last: 3, within: "1d" }, []],
];

describe("retention", () => {
  it.each(golden)("%s", (_, times, policy, expected) => {
    expect(kept(times, policy)).toEqual(expected);
    expect(kept(times.toReversed(), policy)).toEqual(expected);
  });

  it("keeps everything under an empty policy", () => {
    for (const policy of [{}, { last: 0, daily: 0 }, { within: "0d" }]) {
      expect(isEmptyPolicy(policy)).toBe(true);
      expect(kept(everySixHours, policy)).toHaveLength(everySixHours.length);
    }
  });

  it("keeps the newest archive, at most the maximum, and the same archives when repeated", () => {
    const count = fc.integer({ min: 0, max: 6 });
    const policies = fc.record({
      last: count,
      hourly: count,
      daily: count,
      weekly: count,
      monthly: count,
      yearly: count,
    });
    const times = fc.uniqueArray(fc.integer({ min: now - 900 * 86_400_000, max: now }), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(times, policies, (list, policy) => {
        fc.pre(!isEmptyPolicy(policy));
        const stay = (ats: readonly number[]) => {
          const judged = judgeArchives(
            ats.map((at) => ({ at })),
            policy,
          );
          return [...judged].flatMap(([{ at }, reasons]) => (reasons.length > 0 ? [at] : []));
        };
        const first = stay(list);
        expect(first[0]).toBe(Math.max(...list));
        expect(first.length).toBeLessThanOrEqual(maxKeptArchives(policy));
        expect(stay(first)).toEqual(first);
      }),
      propertyRuns(),
    );
  });
});

describe("the length of --keep-within", () => {
  it.each(["1y5m7d2h", "2y", "3m", "14d", "36h", "1y2h"])("is read from %j", (text) => {
    const groups = CALENDAR_SPAN.exec(text)?.slice(1) ?? [];
    expect(groups.map((digits, index) => (digits ? `${digits}${"ymdh"[index] ?? ""}` : "")).join("")).toBe(text);
  });

  it.each(["", "5", "d", "1d1y", "7d later", "last 7d", "-1d", "1.5d", "1w", "10000y", "7", "7d1y", "7 d"])(
    "cannot be read from %j",
    (text) => {
      expect(text).not.toMatch(CALENDAR_SPAN);
    },
  );
});
