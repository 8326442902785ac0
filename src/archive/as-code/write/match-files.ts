import { groupBy } from "../../../core/collections.ts";
import {
  keyOfRecord,
  recordKey,
  type KindName,
  type RecordKey,
  type StackRecord,
} from "../../../core/records/record.ts";
import { plainName } from "../plain-names.ts";
import type { Label } from "./file-keys.ts";

/** A record's file that is in the folder before an export. */
export interface PresentFile {
  /** Path relative to the folder. */
  readonly path: string;
  readonly kind: KindName;
  readonly text: string;
  readonly name: string;
  /** The file's member `key`. */
  readonly key: string | undefined;
  /** The id of the record that the journal knows from this file. */
  readonly targetId: string | undefined;
}

export interface MatchedFiles {
  readonly files: ReadonlyMap<RecordKey, PresentFile>;
  /** The files to which no record of the stack belongs. */
  readonly gone: readonly PresentFile[];
}

/**
 * Finds the file of each record: the file from which the journal knows it, whatever its name is now; else the file of its label; else
 * the only file of its name, if no other record of that name is left.
 */
export function matchFiles(
  records: readonly StackRecord[],
  present: readonly PresentFile[],
  labels: ReadonlyMap<RecordKey, Label>,
): MatchedFiles {
  const files = new Map<RecordKey, PresentFile>();
  const free = new Set(present);
  const pair = (fileKey: (file: PresentFile) => string, textOf: (record: StackRecord) => string): void => {
    const ofFiles = groupBy(free, fileKey);
    const ofRecords = groupBy(
      records.filter((record) => !files.has(keyOfRecord(record))),
      textOf,
    );
    for (const [key, [record, ...others]] of ofRecords) {
      const [file, ...twins] = ofFiles.get(key) ?? [];
      if (record === undefined || file === undefined || others.length + twins.length > 0) continue;
      files.set(keyOfRecord(record), file);
      free.delete(file);
    }
  };
  pair(
    ({ kind, targetId = "" }) => recordKey(kind, targetId.toLowerCase()),
    ({ kind, id }) => recordKey(kind, id.toLowerCase()),
  );
  pair(
    ({ kind, key, name }) => recordKey(kind, key ?? name),
    (record) => recordKey(record.kind, labels.get(keyOfRecord(record))?.label ?? ""),
  );
  pair(
    ({ kind, name }) => recordKey(kind, name),
    (record) => recordKey(record.kind, plainName(record)),
  );
  return { files, gone: [...free] };
}
