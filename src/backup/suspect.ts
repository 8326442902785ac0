import { createHash } from "node:crypto";
import type { KindSummary } from "../core/manifest.ts";
import type { KindName, StackIdentity } from "../core/records/record.ts";
import { pluralOf } from "../kinds/nouns.ts";

export type ArchiveContent = Readonly<Record<KindName, Pick<KindSummary, "status" | "count" | "unlisted">>>;

/** Returns the content that later backups are compared with. */
export function summariseContent(kinds: Readonly<Record<KindName, KindSummary>>): ArchiveContent {
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, { error: _error, code: _code, ...summary }]) => [kind, summary]),
  );
}

/**
 * Returns the digest that identifies a stack in an archive's entry. It hides the address: everybody who sees the repository can
 * read the entry, even if the archive is encrypted. A managed service is identified by its ids, as in `isSameStack`.
 */
export function digestAddress({ variant, baseUrl, organizationId, serviceId }: StackIdentity): string {
  const address = organizationId === undefined ? [variant, baseUrl] : [variant, organizationId, serviceId];
  return createHash("sha256").update(JSON.stringify(address), "utf8").digest("hex");
}

export const SUSPECT_CODES = ["empty", "kind-shrunk", "missing-backup", "other-stack", "wrong-key"] as const;

/** A reason to suspect that an archive lacks content of the stack, has the content of another stack, or is for others to read. */
export interface SuspectReason {
  readonly code: (typeof SUSPECT_CODES)[number];
  readonly message: string;
}

/** A kind that holds less than this share of the last good backup's records makes a backup suspect. */
export const DEFAULT_MIN_SHARE = 0.5;

/** The facts about an archive by which it is compared with the last good one. */
interface ComparedArchive {
  readonly kinds: ArchiveContent;
  /** Digest of the stack's address. */
  readonly address: string;
}

/**
 * Adds to an entry why its archive is suspect, by a comparison with the last good archive before it.
 * @param baseline the entry of that last good archive; undefined if there is none
 * @param others reasons for suspicion that the content does not give
 */
export function withSuspectReasons<Entry extends ComparedArchive>(
  entry: Entry,
  baseline: ComparedArchive | undefined,
  minShare: number,
  others: readonly SuspectReason[] = [],
): Entry & { readonly suspect?: SuspectReason[] } {
  const suspect = [...others, ...findReasons(entry, baseline, minShare)];
  return { ...entry, ...(suspect.length > 0 && { suspect }) };
}

function findReasons(
  { kinds, address }: ComparedArchive,
  baseline: ComparedArchive | undefined,
  minShare: number,
): SuspectReason[] {
  const reasons: SuspectReason[] = [];
  if (isBare(kinds) && (baseline === undefined || !isBare(baseline.kinds))) {
    reasons.push({ code: "empty", message: "it holds no dashboards and no alerts" });
  }
  if (baseline === undefined) return reasons;
  // For instance `alerts 14 → 0, dashboards 55 → 5`.
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
