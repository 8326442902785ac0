import type { NotCompared } from "../core/diff.ts";
import { hasEveryRecord, type ManifestEntry } from "../core/manifest.ts";
import { kinds as allKinds } from "../kinds/registry.ts";
import { isSameStack, type KindName, type RecordKey } from "../core/records/record.ts";
import type { BackupContent } from "./read-contents.ts";

export interface BackupRecord {
  readonly entry: ManifestEntry;
  readonly content: BackupContent;
}

export interface RecordDifference {
  readonly key: RecordKey;
  readonly before?: BackupRecord;
  readonly after?: BackupRecord;
  /** Equals `after`; for a removed record, `before`. */
  readonly last: BackupRecord;
}

export interface BackupDifferences {
  readonly content: BackupContent;
  readonly differences: readonly RecordDifference[];
  readonly notRead: readonly Pick<NotCompared, "kind" | "reason">[];
  /** The previous backup, if it is of another stack with other ids. Records are then compared by content. */
  readonly movedFrom?: BackupContent;
}

/** Compares each kind with its last readable list, so that a failed list is no deletion. @param contents the oldest first */
export function findDifferences(contents: readonly BackupContent[]): BackupDifferences[] {
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
    // Not an addition for certain: the previous backup's filter may have left the record out.
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

function holdsAllOf({ manifest }: BackupContent, other: BackupContent): boolean {
  return manifest.filter === undefined || JSON.stringify(manifest.filter) === JSON.stringify(other.manifest.filter);
}

function isMoved(before: BackupContent, after: BackupContent, latest: ReadonlyMap<RecordKey, unknown>): boolean {
  if (isSameStack(before.manifest.source, after.manifest.source)) return false;
  // Many shared ids mean that only the address of the stack has changed.
  const shared = [...latest.keys()].filter((key) => after.entries.has(key)).length;
  return shared * 2 < Math.min(latest.size, after.entries.size);
}
