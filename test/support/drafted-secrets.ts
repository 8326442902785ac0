import type { SecretAnswers, SecretValue } from "../../src/core/secrets.ts";
import { parsePointer } from "../../src/core/records/member-path.ts";
import { recordKey, type StackRecord } from "../../src/core/records/record.ts";
import { findKind } from "../../src/kinds/registry.ts";
import { writeOnlyContext, placeContext } from "../../src/redaction/filling/context.ts";

export { fillRecords } from "../../src/import/read/fill-records.ts";

/** Secret values by record and JSON pointer. */
export type Values = Readonly<Record<string, Readonly<Record<string, SecretValue>>>>;

/** Returns the values as answers, each with the context of its place in this archive. */
export function draftedFor(archive: readonly StackRecord[], values: Values): SecretAnswers {
  const records = Object.entries(values).map(([key, places]) => {
    const record = archive.find(({ kind, id }) => recordKey(kind, id) === key);
    const answers = Object.entries(places).map(([pointer, value]) => [
      pointer,
      [{ context: record ? contextOf(record, pointer) : "", value }],
    ]);
    return [key, Object.fromEntries(answers)];
  });
  return Object.fromEntries(records);
}

function contextOf({ kind: name, body }: StackRecord, pointer: string): string {
  const kind = findKind(name);
  if (kind === undefined) return "";
  const need = kind.writeOnly.find(({ path }) => `/${path}` === pointer && body[path] === undefined);
  return need ? writeOnlyContext(kind, body, need) : placeContext(kind, body, parsePointer(pointer));
}
