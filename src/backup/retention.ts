import { CALENDAR_SPAN, type RetentionPolicy } from "../core/retention-policy.ts";
import type { ArchiveEntry } from "./archive-entry.ts";
import type { JudgedArchive } from "./history.ts";

export type KeepReason = "last" | "hourly" | "daily" | "weekly" | "monthly" | "yearly" | "within";

/** An archive, as a policy sees it. Equal digests mean equal records; an archive without a digest is equal to none. */
type RetainedArchive = Pick<JudgedArchive, "at"> & { readonly entry?: Pick<ArchiveEntry, "recordsDigest"> };

interface Bucket {
  readonly reason: KeepReason;
  readonly periodOf: (time: Date, content: string) => string;
}

const BUCKETS = [
  { reason: "last", periodOf: (_time, content) => content },
  { reason: "hourly", periodOf: (time) => time.toISOString().slice(0, 13) },
  { reason: "daily", periodOf: (time) => time.toISOString().slice(0, 10) },
  { reason: "weekly", periodOf: isoWeek },
  { reason: "monthly", periodOf: (time) => time.toISOString().slice(0, 7) },
  { reason: "yearly", periodOf: (time) => time.toISOString().slice(0, 4) },
] as const satisfies readonly Bucket[];

/** Tells whether a policy gives no reason to keep anything. Such a policy must not remove anything. */
export function isEmptyPolicy(policy: RetentionPolicy): boolean {
  return BUCKETS.every(({ reason }) => (policy[reason] ?? 0) === 0) && isEmptySpan(spanOf(policy));
}

/**
 * Judges archives by a policy, newest first. One reason is enough to keep an archive. As in restic, the oldest archive is also kept
 * while there are fewer archives than a count allows, so that the history grows to its full length. An empty policy keeps
 * everything.
 * @param now the current time: `within` counts back from the newest archive that is not later than this
 */
export function judgeArchives<Archive extends RetainedArchive>(
  archives: readonly Archive[],
  policy: RetentionPolicy,
  now: number,
): ReadonlyMap<Archive, readonly KeepReason[]> {
  const sorted = archives.toSorted((left, right) => right.at - left.at);
  if (isEmptyPolicy(policy)) return new Map(sorted.map((archive) => [archive, ["last"]]));
  const remaining = BUCKETS.map(({ reason }) => (policy[reason] === "all" ? Infinity : (policy[reason] ?? 0)));
  const latest: (string | undefined)[] = BUCKETS.map(() => undefined);
  const youngerThan = withinLimit(sorted, policy, now);
  const judged = sorted.map((archive, index): [Archive, KeepReason[]] => {
    const reasons: KeepReason[] = archive.at > youngerThan ? ["within"] : [];
    for (const [number, bucket] of BUCKETS.entries()) {
      const value = bucket.periodOf(new Date(archive.at), archive.entry?.recordsDigest ?? String(index));
      const counts = (remaining[number] ?? 0) > 0 && (value !== latest[number] || index === sorted.length - 1);
      if (!counts) continue;
      latest[number] = value;
      remaining[number] = (remaining[number] ?? 0) - 1;
      reasons.push(bucket.reason);
    }
    return [archive, reasons];
  });
  return new Map(judged);
}

function withinLimit(archives: readonly RetainedArchive[], policy: RetentionPolicy, now: number): number {
  const span = spanOf(policy);
  if (isEmptySpan(span)) return Infinity;
  const newest = new Date(Math.max(...archives.map(({ at }) => at).filter((time) => time <= now), -8.64e15));
  if (newest.getTime() === -8.64e15) return Infinity;
  const [years = 0, months = 0, days = 0, hours = 0] = span;
  newest.setUTCFullYear(newest.getUTCFullYear() - years, newest.getUTCMonth() - months, newest.getUTCDate() - days);
  return newest.getTime() - hours * 3_600_000;
}

/** Returns the years, months, days and hours of `within`. */
function spanOf({ within = "" }: RetentionPolicy): number[] {
  return [...(CALENDAR_SPAN.exec(within) ?? [])].slice(1).map((digits?: string) => Number(digits ?? 0));
}

function isEmptySpan(span: readonly number[]): boolean {
  return span.every((length) => length === 0);
}

/** Returns the year and number of the ISO week: weeks begin on Monday, and the first week of a year contains its first Thursday. */
function isoWeek(at: Date): string {
  const thursday = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()));
  thursday.setUTCDate(thursday.getUTCDate() + 3 - ((thursday.getUTCDay() + 6) % 7));
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * 86_400_000));
  return `${year}-W${String(week).padStart(2, "0")}`;
}
