import type { KindSummary } from "../../core/manifest.ts";
import type { KindName } from "../../core/records/record.ts";
import { pluralOf } from "../../kinds/id-spaces.ts";

/** What an archive holds of each kind, as its manifest says. */
export type ArchiveContent = Readonly<Record<KindName, Pick<KindSummary, "status" | "count" | "unlisted">>>;

export const SUSPECT_CODES = [
  "empty",
  "shrunk",
  "kind-shrunk",
  "kinds-vanished",
  "nothing-to-compare",
  "emptied",
] as const;
type SuspectCode = (typeof SUSPECT_CODES)[number];

/** Kinds that hold less than in the last good archive: the number of records that it held. */
export type Shrinkage = Readonly<Record<KindName, number>>;

/** Why an archive may hold less than the stack does. */
export interface SuspectReason {
  readonly code: SuspectCode;
  readonly message: string;
}

/** An archive that holds this share of the last good one's records, or less, is suspect. */
export const MIN_SHARE = 0.5;

/**
 * The kinds that people write by hand. Each is judged on its own: sources and webhooks outnumber them on many stacks, so the
 * sum of all records says nothing of a kind that is lost.
 */
const JUDGED_KINDS: readonly KindName[] = ["dashboards", "alerts", "saved-searches"];

/** So many kinds have to vanish together. One may go with an upgrade or a permission that was taken back. */
const VANISHED_KINDS = 2;

/** The content of the last good archive; `unknown` where there are archives and none of them can be read. */
export type Baseline = ArchiveContent | "unknown" | undefined;

/** Compares an archive with the last good one before it. An empty result: nothing is wrong. */
export function shrinkReasons(content: ArchiveContent, baseline: Baseline, minShare: number): SuspectReason[] {
  if (baseline === "unknown") {
    const message = "the backups before it cannot be read without their key, so there is nothing to compare it with";
    return [{ code: "nothing-to-compare", message }];
  }
  const reasons: SuspectReason[] = [];
  if (isBare(content) && (baseline === undefined || !isBare(baseline))) {
    reasons.push({ code: "empty", message: "it holds no dashboards and no alerts" });
  }
  if (baseline === undefined) return reasons;
  const [now, before] = [recordsIn(content), recordsIn(baseline)];
  if (now < before && now <= before * minShare) {
    reasons.push({ code: "shrunk", message: `it holds ${now} of the ${before} records of the last good backup` });
  }
  const fallen = JUDGED_KINDS.filter((kind) => hasFallen(countOf(content, kind), countOf(baseline, kind), minShare));
  if (fallen.length > 0) {
    const shrinkage = Object.fromEntries(fallen.map((kind) => [kind, countOf(baseline, kind)]));
    reasons.push({ code: "kind-shrunk", message: shrinkageText(shrinkage, content) });
  }
  const vanished = Object.keys(baseline).filter((kind) => wasRead(baseline, kind) && isNotOffered(content, kind));
  if (vanished.length >= VANISHED_KINDS) {
    reasons.push({ code: "kinds-vanished", message: `the stack does not offer ${vanished.join(", ")} any more` });
  }
  return reasons;
}

/** The kinds of which an archive holds less than the last good one before it. */
export function shrinkageSince(content: ArchiveContent, baseline: Baseline): Shrinkage {
  if (baseline === undefined || baseline === "unknown") return {};
  const kinds = Object.keys(baseline).filter((kind) => countOf(content, kind) < countOf(baseline, kind));
  return Object.fromEntries(kinds.map((kind) => [kind, countOf(baseline, kind)]));
}

/** `alerts 14 → 0, dashboards 55 → 50`. */
export function shrinkageText(shrinkage: Shrinkage, content: ArchiveContent): string {
  return Object.entries(shrinkage)
    .map(([kind, before]) => `${pluralOf(kind)} ${before} → ${countOf(content, kind)}`)
    .join(", ");
}

/** To nothing, or by more than the share that may be lost. */
function hasFallen(now: number, before: number, minShare: number): boolean {
  return now < before && (now === 0 || now < before * minShare);
}

function countOf(content: ArchiveContent, kind: KindName): number {
  return content[kind]?.count ?? 0;
}

/** Records of all kinds together. */
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
