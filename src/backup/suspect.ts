import type { KindName } from "../core/records/record.ts";
import { pluralOf } from "../kinds/nouns.ts";
import type { ArchiveContent, ArchiveEntry, SuspectReason } from "./archive-entry.ts";

export const DEFAULT_MIN_SHARE = 0.5;

export function withSuspectReasons(
  entry: ArchiveEntry,
  baseline: ArchiveEntry | undefined,
  minShare: number,
  others: readonly SuspectReason[] = [],
): ArchiveEntry {
  const suspect = [...others, ...findReasons(entry, baseline, minShare)];
  return { ...entry, ...(suspect.length > 0 && { suspect }) };
}

function findReasons(
  { kinds, address }: ArchiveEntry,
  baseline: ArchiveEntry | undefined,
  minShare: number,
): SuspectReason[] {
  const reasons: SuspectReason[] = [];
  if (isBare(kinds) && (baseline === undefined || !isBare(baseline.kinds))) {
    reasons.push({ code: "empty", message: "it holds no dashboards and no alerts" });
  }
  if (baseline === undefined) return reasons;
  const fallen = Object.entries(baseline.kinds).flatMap(([kind, { count: before }]) => {
    const now = countOf(kinds, kind);
    const isFallen = now < before && (now === 0 || now < before * minShare);
    return isFallen ? [`${pluralOf(kind)} ${before} → ${now}`] : [];
  });
  if (fallen.length > 0) reasons.push({ code: "kind-shrunk", message: fallen.join(", ") });
  if (baseline.address !== address) {
    const message = "its stack has another address than that of the last good backup";
    reasons.push({ code: "other-stack", message });
  }
  return reasons;
}

export function countsOf(content: ArchiveContent): Record<KindName, number> {
  return Object.fromEntries(Object.entries(content).map(([kind, { count }]) => [kind, count]));
}

function countOf(content: ArchiveContent, kind: KindName): number {
  return content[kind]?.count ?? 0;
}

function isBare(content: ArchiveContent): boolean {
  return countOf(content, "dashboards") === 0 && countOf(content, "alerts") === 0;
}
