import { CALENDAR_SPAN, type RetentionPolicy } from "../core/retention-policy.ts";
import type { ArchiveEntry } from "./archive-entry.ts";
import type { JudgedArchive } from "./history.ts";

export type KeepReason = "last" | "hourly" | "daily" | "weekly" | "monthly" | "yearly" | "within";

/** Equal `recordsDigest` means equal records. An archive without a digest counts as unlike any other. */
type RetainedArchive = Pick<JudgedArchive, "at"> & { readonly entry?: Pick<ArchiveEntry, "recordsDigest"> };

interface Bucket {
  readonly reason: KeepReason;
  readonly periodOf: (time: Date, content: string) => string;
}

const BUCKETS = [
  { reason: "last", periodOf: (_time, content) => content },
  { reason: "hourly", periodOf: (time) => time.toISOString().slice(0, 13) },
  { reason: "daily", periodOf: (time) => time.toISOString().slice(0, 10) },
  { reason: "weekly", periodOf: weekOf },
  { reason: "monthly", periodOf: (time) => time.toISOString().slice(0, 7) },
  { reason: "yearly", periodOf: (time) => time.toISOString().slice(0, 4) },
] as const satisfies readonly Bucket[];

/** A week begins on Monday, and 1 January 1970 was a Thursday. */
function weekOf(time: Date): string {
  return String(Math.floor((time.getTime() / 86_400_000 + 3) / 7));
}

/** An empty policy removes nothing. */
export function isEmptyPolicy(policy: RetentionPolicy): boolean {
  return BUCKETS.every(({ reason }) => (policy[reason] ?? 0) === 0) && !hasSpan(policy);
}

/** As in restic, keeps the oldest archive, too, while a count is not used up. */
export function judgeArchives<Archive extends RetainedArchive>(
  archives: readonly Archive[],
  policy: RetentionPolicy,
): ReadonlyMap<Archive, readonly KeepReason[]> {
  const sorted = archives.toSorted((left, right) => right.at - left.at);
  if (isEmptyPolicy(policy)) return new Map(sorted.map((archive) => [archive, ["last"]]));
  const buckets = BUCKETS.map(({ reason, periodOf }) => {
    const count = policy[reason] ?? 0;
    return { reason, periodOf, remaining: count === "all" ? Infinity : count, latest: "" };
  });
  const youngerThan = withinLimit(sorted[0]?.at ?? 0, policy);
  const judged = sorted.map((archive, index): [Archive, KeepReason[]] => {
    const reasons: KeepReason[] = archive.at > youngerThan ? ["within"] : [];
    for (const bucket of buckets) {
      const period = bucket.periodOf(new Date(archive.at), archive.entry?.recordsDigest ?? String(index));
      if (bucket.remaining === 0 || (period === bucket.latest && index < sorted.length - 1)) continue;
      bucket.latest = period;
      bucket.remaining -= 1;
      reasons.push(bucket.reason);
    }
    return [archive, reasons];
  });
  return new Map(judged);
}

function hasSpan({ within = "" }: RetentionPolicy): boolean {
  return /[1-9]/.test(within);
}

/** `within` counts back from the newest archive. */
function withinLimit(newest: number, policy: RetentionPolicy): number {
  if (!hasSpan(policy)) return Infinity;
  const digits = CALENDAR_SPAN.exec(policy.within ?? "")?.slice(1) ?? [];
  const [years = 0, months = 0, days = 0, hours = 0] = digits.map((number: string | undefined) => Number(number ?? 0));
  const limit = new Date(newest);
  limit.setUTCFullYear(limit.getUTCFullYear() - years, limit.getUTCMonth() - months, limit.getUTCDate() - days);
  return limit.getTime() - hours * 3_600_000;
}
