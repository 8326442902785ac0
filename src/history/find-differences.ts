import type { NotCompared } from "../core/diff.ts";
import type { ManifestEntry } from "../core/manifest.ts";
import { hasEveryRecord } from "../core/manifest.ts";
import type { KindName, RecordKey } from "../core/records/record.ts";
import { kinds as allKinds } from "../kinds/registry.ts";
import { isSameStack } from "../core/records/record.ts";
import type { BackupContent } from "./read-contents.ts";

/** A record of one backup. */
export interface PlacedRecord {
  readonly entry: ManifestEntry;
  readonly content: BackupContent;
}

/** A record that came, went, or has other bytes than in the backup before. */
export interface RecordDifference {
  readonly key: RecordKey;
  readonly before?: PlacedRecord;
  readonly after?: PlacedRecord;
}

/** The differences of a backup from the ones before it, as far as the manifests tell. */
export interface ContentDifference {
  readonly content: BackupContent;
  readonly differences: readonly RecordDifference[];
  readonly notRead: readonly Pick<NotCompared, "kind" | "reason">[];
  /** The backup before, if it is of another stack: its ids mean nothing here. */
  readonly movedFrom?: BackupContent;
}

/**
 * Compares each backup with the ones before it by id and checksum. Pure. A kind that a backup could not read is compared with the
 * last backup that could, so that a failed list is not taken for a loss.
 * @param contents the oldest first; the first one is only the start
 */
export function findDifferences(contents: readonly BackupContent[]): ContentDifference[] {
  let known = new Map<RecordKey, PlacedRecord>();
  let kindsRead = new Set<KindName>();
  let before: BackupContent | undefined;
  return contents.map((content) => {
    const movedFrom = before !== undefined && isMoved(before, content, known) ? before : undefined;
    if (movedFrom !== undefined) [known, kindsRead] = [new Map(), new Set()];
    const differences: RecordDifference[] = [];
    const notRead: { kind: KindName; reason: NotCompared["reason"] }[] = [];
    for (const { name: kind } of allKinds) {
      const status = content.manifest.kinds[kind]?.status ?? "not-requested";
      if (status !== "complete" && status !== "partial") {
        if (kindsRead.has(kind)) notRead.push({ kind, reason: status });
        continue;
      }
      const found = compareKind(kind, known, content, before);
      if (kindsRead.has(kind)) differences.push(...found);
      for (const { key, after } of found) if (after === undefined) known.delete(key);
      kindsRead.add(kind);
    }
    for (const [key, entry] of content.entries) known.set(key, { entry, content });
    before = content;
    return { content, differences, notRead, ...(movedFrom !== undefined && { movedFrom }) };
  });
}

function compareKind(
  kind: KindName,
  known: ReadonlyMap<RecordKey, PlacedRecord>,
  content: BackupContent,
  before: BackupContent | undefined,
): RecordDifference[] {
  const changed = [...content.entries].flatMap(([key, entry]): RecordDifference[] => {
    if (entry.kind !== kind) return [];
    const placed = known.get(key);
    if (placed?.entry.sha256 === entry.sha256 && placed.entry.name === entry.name) return [];
    // A backup of another selection may have left the record out.
    if (placed === undefined && before !== undefined && !holdsAllOf(before, content)) return [];
    return [{ key, ...(placed !== undefined && { before: placed }), after: { entry, content } }];
  });
  if (!hasEveryRecord(content.manifest.kinds[kind])) return changed;
  const removed = [...known].filter(
    ([key, placed]) => placed.entry.kind === kind && !content.entries.has(key) && holdsAllOf(content, placed.content),
  );
  return [...changed, ...removed.map(([key, placed]) => ({ key, before: placed }))];
}

/** Tells whether a backup would hold every record that the other's selection takes: it has no selection, or the same. */
function holdsAllOf({ manifest }: BackupContent, other: BackupContent): boolean {
  return manifest.filter === undefined || JSON.stringify(manifest.filter) === JSON.stringify(other.manifest.filter);
}

/** A stack may get another address and keep its records; a move gives almost all of them other ids. */
function isMoved(before: BackupContent, after: BackupContent, known: ReadonlyMap<RecordKey, unknown>): boolean {
  if (isSameStack(before.manifest.source, after.manifest.source)) return false;
  const shared = [...after.entries.keys()].filter((key) => known.has(key)).length;
  return shared * 2 < Math.min(known.size, after.entries.size);
}
