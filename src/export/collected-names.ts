import { keyOfRecord, recordKey, type NamedRecord, type StackRecord } from "../core/records/record.ts";
import type { FindRecord } from "../core/resource-kind.ts";
import { displayNameMember } from "../kinds/nouns.ts";
import type { CollectedKind } from "./collect-kind.ts";
import { parseRedactedRecord } from "./encode-records.ts";

/** Adds the display name to a record without a name. A record that is not exported brings its redacted body. */
export type AddDisplayName = (record: NamedRecord & Partial<StackRecord>) => NamedRecord;

/** Makes a function that names records after those of an export. It decodes only what a name needs. */
export function displayNameAdder(collected: readonly CollectedKind[]): AddDisplayName {
  let byKey: ReadonlyMap<string, CollectedKind["records"][number]> | undefined;
  const find: FindRecord = (kind, id) => {
    byKey ??= new Map(collected.flatMap(({ records }) => records.map((record) => [keyOfRecord(record.entry), record])));
    const found = byKey.get(recordKey(kind, id));
    return found && parseRedactedRecord(found);
  };
  return (record) => {
    if (record.name.trim() !== "") return record;
    const { kind, id, name, body = find(kind, id)?.body } = record;
    return body === undefined ? record : { kind, id, name, ...displayNameMember({ kind, id, name, body }, find) };
  };
}
