import type { NotCompared } from "../core/diff.ts";
import { hasEveryRecord, type ManifestEntry } from "../core/manifest.ts";
import { kinds as allKinds } from "../kinds/registry.ts";
import { isSameStack, type KindName, type RecordKey } from "../core/records/record.ts";
import type { BackupContent } from "./read-contents.ts";

export interface BackupRecord {
  readonly entry: ManifestEntry;
  readonly content: BackupContent;
}

/** A record that was added or removed since an earlier backup, or whose checksum or name has changed. */
export interface RecordDifference {
  readonly key: RecordKey;
  readonly before?: BackupRecord;
  readonly after?: BackupRecord;
  /** Equals `after`; for a removed record, `before`. */
  readonly last: BackupRecord;
}

/** The differences between a backup and the earlier backups of its stack, found in the manifests alone. */
export interface BackupDifferences {
  readonly content: BackupContent;
  readonly differences: readonly RecordDifference[];
  readonly notRead: readonly Pick<NotCompared, "kind" | "reason">[];
  /** The previous backup, if it is of another stack with other ids. Records are then compared by their content. */
  readonly movedFrom?: BackupContent;
}

/**
 * Compares each backup with the earlier backups, by the ids and checksums of the records. Each kind is compared with
 * the last backup that could read this kind, so that a failed list does not look like a deletion.
 * @param contents the backups, the oldest first. The first backup has no differences.
 */
export function findDifferences(contents: readonly BackupContent[]): BackupDifferences[] {
  /** The latest known version of each record that is not deleted. */
  let latest = new Map<RecordKey, BackupRecord>();
  let kindsRead = new Set<KindName>();
  let before: BackupContent | undefined;
  return contents.map((content) => {
    const movedFrom = before !== undefined && isMoved(before, content, latest) ? before : undefined;
    if (movedFrom !== undefined) [latest, kindsRead] = [new Map(), new Set()];
    const differences: RecordDifference[] = [];
    const notRead: { kind: KindName; reason: NotCompared["reason"] }[] = [];
    for (const { name: kind } of allKinds) {
      const status = content.manifest.kinds[kind]?.status ?? "not-requested";
      if (status !== "complete" && status !== "partial") {
        if (kindsRead.has(kind)) notRead.push({ kind, reason: status });
        continue;
      }
      const found = compareKind(kind, latest, content, before);
      if (kindsRead.has(kind)) differences.push(...found);
      for (const { key, after } of found) if (after === undefined) latest.delete(key);
      kindsRead.add(kind);
    }
    for (const [key, entry] of content.entries) latest.set(key, { entry, content });
    before = content;
    return { content, differences, notRead, ...(movedFrom !== undefined && { movedFrom }) };
  });
}

function compareKind(
  kind: KindName,
  latest: ReadonlyMap<RecordKey, BackupRecord>,
  content: BackupContent,
  before: BackupContent | undefined,
): RecordDifference[] {
  const changed = [...content.entries].flatMap(([key, entry]): RecordDifference[] => {
    if (entry.kind !== kind) return [];
    const placed = latest.get(key);
    if (placed?.entry.sha256 === entry.sha256 && placed.entry.name === entry.name) return [];
    // The previous backup may lack the record only because that backup's filter did not select the record.
    if (placed === undefined && before !== undefined && !holdsAllOf(before, content)) return [];
    const after = { entry, content };
    return [{ key, ...(placed !== undefined && { before: placed }), after, last: after }];
  });
  if (!hasEveryRecord(content.manifest.kinds[kind])) return changed;
  const removed = [...latest].filter(
    ([key, placed]) => placed.entry.kind === kind && !content.entries.has(key) && holdsAllOf(content, placed.content),
  );
  return [...changed, ...removed.map(([key, placed]) => ({ key, before: placed, last: placed }))];
}

/** True if the first backup has no filter, or the same filter as the second. */
function holdsAllOf({ manifest }: BackupContent, other: BackupContent): boolean {
  return manifest.filter === undefined || JSON.stringify(manifest.filter) === JSON.stringify(other.manifest.filter);
}

/** Tells whether the later backup is of another stack, and less than half of the smaller side's ids occur on both sides. */
function isMoved(before: BackupContent, after: BackupContent, latest: ReadonlyMap<RecordKey, unknown>): boolean {
  if (isSameStack(before.manifest.source, after.manifest.source)) return false;
  // If only the address of a stack has changed, the records keep their ids.
  const shared = [...latest.keys()].filter((key) => after.entries.has(key)).length;
  return shared * 2 < Math.min(latest.size, after.entries.size);
}
