import { byCodeUnit, getOrMake } from "../../../core/collections.ts";
import { visitValues } from "../../../core/records/member-path.ts";
import type { RecordKey, StackRecord } from "../../../core/records/record.ts";
import { ID_TOKEN, recordKey } from "../../../core/records/record.ts";
import { isDeclaredAt } from "../../../kinds/members/declared-members.ts";
import { findKind } from "../../../kinds/registry.ts";
import { sha256 } from "../../checksums.ts";
import { childReference, plainName } from "../plain-names.ts";
import { toCode } from "./to-code.ts";

/**
 * Returns a function that sorts records of the same name by their content, then by the names of the records that reference them.
 * Ids decide only if nothing else distinguishes two records, so that a copy of a stack, which has other ids, gets the same order.
 * @param labelOf returns the label of a record that already has a label; any other record is identified by its name and content
 */
export function namesakeSorter(
  records: readonly StackRecord[],
  labelOf: (key: RecordKey) => string | undefined,
): (namesakes: readonly StackRecord[]) => readonly StackRecord[] {
  const byKey = new Map(records.map((record) => [recordKey(record.kind, record.id), record]));
  const byId = new Map(records.map(({ kind, id }) => [id.toLowerCase(), recordKey(kind, id)]));
  const digests = new Map<RecordKey, string>();
  let dependents: ReadonlyMap<RecordKey, readonly RecordKey[]> | undefined;

  const nameOf = (key: RecordKey): string => {
    const record = byKey.get(key);
    return record === undefined ? key : `${record.kind}/${plainName(record)}`;
  };
  const describedName = (key: RecordKey): string => {
    const record = byKey.get(key);
    if (record === undefined) return key;
    const digestOf = (): string => sha256(Buffer.from(contentOf(record, nameOf), "utf8"));
    return `${nameOf(key)} ${labelOf(key) ?? getOrMake(digests, key, digestOf)}`;
  };
  const contentOf = ({ kind: name, body }: StackRecord, nameFor: (key: RecordKey) => string): string => {
    const kind = findKind(name);
    if (kind === undefined) return "";
    const code = toCode(kind, body, {
      refer: (space, id, owner) => childReference(space, id, owner, byKey) ?? nameFor(recordKey(space, id)),
      mention: (text) =>
        text.replaceAll(ID_TOKEN, (id) => {
          const key = byId.get(id.toLowerCase());
          return key === undefined ? id : nameFor(key);
        }),
    });
    return JSON.stringify(code);
  };
  return (namesakes) => {
    if (namesakes.length < 2) return namesakes;
    dependents ??= dependentsOf(records);
    const described = namesakes.map((record) => {
      const users = dependents?.get(recordKey(record.kind, record.id)) ?? [];
      const userNames = users.map((key) => `${nameOf(key)} ${labelOf(key)}`).toSorted(byCodeUnit);
      return { record, texts: [plainName(record), contentOf(record, describedName), userNames.join("\n"), record.id] };
    });
    const compare = (left: readonly string[], right: readonly string[]): number =>
      left.map((text, at) => byCodeUnit(text, right[at] ?? "")).find((order) => order !== 0) ?? 0;
    return described.toSorted((left, right) => compare(left.texts, right.texts)).map(({ record }) => record);
  };
}

/** Lists the records that reference each record, once for each reference. */
function dependentsOf(records: readonly StackRecord[]): Map<RecordKey, RecordKey[]> {
  const dependents = new Map<RecordKey, RecordKey[]>();
  for (const { kind, id, body } of records) {
    for (const path of findKind(kind)?.references ?? []) {
      visitValues(body, path.path, (value, indices) => {
        if (typeof value !== "string" || !isDeclaredAt(path, body, indices)) return;
        getOrMake(dependents, recordKey(path.to, value), () => []).push(recordKey(kind, id));
      });
    }
  }
  return dependents;
}
