import type { KindStatus } from "../../core/manifest.ts";
import type { KindName } from "../../core/records/record.ts";

/** What an archive holds of each kind, as its manifest says. */
export type ArchiveContent = Readonly<Record<KindName, { readonly status: KindStatus; readonly count: number }>>;

/** Why an archive may hold less than the stack does. */
export interface SuspectReason {
  readonly code: "empty" | "shrunk" | "kinds-vanished" | "nothing-to-compare";
  readonly message: string;
}

/** An archive that holds this share of the last good one's records, or less, is suspect. */
export const MIN_SHARE = 0.5;

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
  const vanished = Object.keys(baseline).filter((kind) => wasComplete(baseline, kind) && isNotOffered(content, kind));
  if (vanished.length >= VANISHED_KINDS) {
    reasons.push({ code: "kinds-vanished", message: `the stack does not offer ${vanished.join(", ")} any more` });
  }
  return reasons;
}

/** Records of all kinds together. */
function recordsIn(content: ArchiveContent): number {
  return Object.values(content).reduce((sum, { count }) => sum + count, 0);
}

function isBare(content: ArchiveContent): boolean {
  return (content["dashboards"]?.count ?? 0) === 0 && (content["alerts"]?.count ?? 0) === 0;
}

function wasComplete(content: ArchiveContent, kind: KindName): boolean {
  return content[kind]?.status === "complete";
}

function isNotOffered(content: ArchiveContent, kind: KindName): boolean {
  return content[kind]?.status === "not-offered";
}
