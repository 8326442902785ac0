import type { KindSummary } from "../../core/manifest.ts";
import type { KindName } from "../../core/records/record.ts";
import { isOtherStack, type Origin } from "./origin.ts";
import { formatSize } from "../../core/text/format.ts";
import { pluralOf } from "../../kinds/nouns.ts";

/** The content of an archive by kind, from its manifest. */
export type ArchiveContent = Readonly<Record<KindName, KindContent>>;

interface KindContent extends Pick<KindSummary, "status" | "count" | "unlisted"> {
  /** Size of the records; absent in entries of earlier releases. */
  readonly bytes?: number;
}

/** Returns the content that later backups are compared with. @param sizes size of the records by kind, in bytes */
export function summariseContent(
  kinds: Readonly<Record<KindName, KindSummary>>,
  sizes: Readonly<Record<KindName, number>> = {},
): ArchiveContent {
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, { error: _error, code: _code, ...summary }]): [KindName, KindContent] => {
      const bytes = sizes[kind];
      return [kind, { ...summary, ...(bytes !== undefined && { bytes }) }];
    }),
  );
}

export const SUSPECT_CODES = [
  "empty",
  "shrunk",
  "kind-shrunk",
  "kinds-vanished",
  "nothing-to-compare",
  "emptied",
  "other-stack",
] as const;
type SuspectCode = (typeof SUSPECT_CODES)[number];

/** Kinds with fewer records in an archive than in the last good one, each with the number of records in the last good one. */
export type Shrinkage = Readonly<Record<KindName, number>>;

/** A reason to suspect that an archive lacks content of the stack, or has the content of another stack. */
export interface SuspectReason {
  readonly code: SuspectCode;
  readonly message: string;
}

/** An archive that holds this share of the last good one's records, or less, is suspect. */
export const DEFAULT_MIN_SHARE = 0.5;

/**
 * The kinds that people write by hand. The share of each is judged separately: on many stacks sources and webhooks outnumber them,
 * so the total number of records would hide a great loss. The loss of all records is judged for every kind, because a backup
 * without its sources, for instance, is worth little.
 */
const JUDGED_KINDS: readonly KindName[] = ["dashboards", "alerts", "saved-searches"];

/**
 * A backup is suspect if at least this many kinds without records disappear at once. A single kind may disappear with an upgrade.
 */
const VANISHED_KINDS = 2;

/** The facts about an archive by which it is compared with the last good one. */
export interface ComparedArchive {
  readonly kinds: ArchiveContent;
  readonly origin?: Origin;
}

/** The last good archive; `unknown` if archives exist but none can be read, undefined if there are none. */
export type Baseline = ComparedArchive | "unknown" | undefined;

/** Compares an archive with the last good one before it, and returns why it is suspect; no reasons if it is good. */
export function findSuspectReasons(archive: ComparedArchive, baseline: Baseline, minShare: number): SuspectReason[] {
  if (baseline === "unknown") {
    const message =
      "it cannot be compared: the earlier backups are encrypted, and their key was not given (--identity gives it)";
    return [{ code: "nothing-to-compare", message }];
  }
  const reasons: SuspectReason[] = [];
  if (isBare(archive.kinds) && (baseline === undefined || !isBare(baseline.kinds))) {
    reasons.push({ code: "empty", message: "it holds no dashboards and no alerts" });
  }
  if (baseline === undefined) return reasons;
  reasons.push(...findLosses(archive.kinds, baseline.kinds, minShare));
  if (baseline.origin !== undefined && archive.origin !== undefined && isOtherStack(baseline.origin, archive.origin)) {
    const message = "it is of another stack: both its address and its ids differ from those of the last good backup";
    reasons.push({ code: "other-stack", message });
  }
  return reasons;
}

/**
 * Returns the reasons that follow from the total number of records, from the number of each kind, from the size of the dashboards,
 * and from kinds that the stack no longer offers.
 */
function findLosses(content: ArchiveContent, baseline: ArchiveContent, minShare: number): SuspectReason[] {
  const reasons: SuspectReason[] = [];
  const [now, before] = [recordsIn(content), recordsIn(baseline)];
  if (now < before && now <= before * minShare) {
    reasons.push({ code: "shrunk", message: `it holds ${now} of the ${before} records of the last good backup` });
  }
  const fallen = Object.keys(baseline).filter((kind) =>
    hasFallen(countOf(content, kind), countOf(baseline, kind), JUDGED_KINDS.includes(kind) ? minShare : 0),
  );
  if (fallen.length > 0) {
    const shrinkage = Object.fromEntries(fallen.map((kind) => [kind, countOf(baseline, kind)]));
    reasons.push({ code: "kind-shrunk", message: shrinkageText(shrinkage, content) });
  }
  const [held, heldBefore] = [content["dashboards"], baseline["dashboards"]];
  if (isHollow(held, heldBefore, minShare)) {
    const [size, sizeBefore] = [held, heldBefore].map((summary) => formatSize(summary?.bytes ?? 0));
    const message = `its dashboards hold ${size} of the ${sizeBefore} of the last good backup`;
    reasons.push({ code: "kind-shrunk", message });
  }
  const vanished = Object.keys(baseline).filter((kind) => wasRead(baseline, kind) && isNotOffered(content, kind));
  if (vanished.length >= VANISHED_KINDS) {
    reasons.push({ code: "kinds-vanished", message: `the stack no longer offers ${vanished.join(", ")}` });
  }
  return reasons;
}

/** Returns the kinds with fewer records in an archive than in the last good one before it. */
export function shrinkageSince(content: ArchiveContent, baseline: Baseline): Shrinkage {
  if (baseline === undefined || baseline === "unknown") return {};
  const before = baseline.kinds;
  const kinds = Object.keys(before).filter((kind) => countOf(content, kind) < countOf(before, kind));
  return Object.fromEntries(kinds.map((kind) => [kind, countOf(before, kind)]));
}

/** Describes the kinds that hold less: `alerts 14 → 0, dashboards 55 → 50`. */
export function shrinkageText(shrinkage: Shrinkage, content: ArchiveContent): string {
  return Object.entries(shrinkage)
    .map(([kind, before]) => `${pluralOf(kind)} ${before} → ${countOf(content, kind)}`)
    .join(", ");
}

/** Tells whether a number fell to zero, or by more than the allowed share. */
function hasFallen(now: number, before: number, minShare: number): boolean {
  return now < before && (now === 0 || now < before * minShare);
}

/**
 * Tells whether the records of a kind have lost content although their number has not fallen, as if a server hid all tiles. If the
 * number has fallen, a smaller size proves nothing: one large dashboard may be most of a stack.
 */
function isHollow(now: KindContent | undefined, before: KindContent | undefined, minShare: number): boolean {
  if (now?.bytes === undefined || before?.bytes === undefined || now.count < before.count) return false;
  return now.bytes < before.bytes * minShare;
}

function countOf(content: ArchiveContent, kind: KindName): number {
  return content[kind]?.count ?? 0;
}

function recordsIn(content: ArchiveContent): number {
  return Object.values(content).reduce((sum, { count }) => sum + count, 0);
}

function isBare(content: ArchiveContent): boolean {
  return countOf(content, "dashboards") === 0 && countOf(content, "alerts") === 0;
}

function wasRead(content: ArchiveContent, kind: KindName): boolean {
  return content[kind]?.status === "complete" || content[kind]?.status === "partial";
}

function isNotOffered(content: ArchiveContent, kind: KindName): boolean {
  return content[kind]?.status === "not-offered";
}
