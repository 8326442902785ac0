import type { StackRecord } from "../core/records/record.ts";
import { findKind } from "../kinds/registry.ts";
import { foldIds } from "../references/known-ids.ts";
import { findReferences } from "../references/references.ts";

/**
 * Some stacks send one id in lower and in upper case. Ids become lower case if references use only lower case.
 * @param readItem called only if an id has a letter in upper case
 */
export function idCaseNormalizer<Item extends Pick<StackRecord, "id">>(
  records: readonly Item[],
  readItem: (item: Item) => StackRecord,
): (id: string) => string {
  if (records.every(({ id }) => foldIds(id) === id)) return (id) => id;
  let isLower = false;
  for (const item of records) {
    const { kind: name, body } = readItem(item);
    const kind = findKind(name);
    const used = kind ? findReferences(kind, body, new Map()).map(({ id }) => id) : [];
    if (used.some((id) => foldIds(id) !== id)) return (id) => id;
    isLower ||= used.some((id) => /[a-f]/.test(id));
  }
  return isLower ? foldIds : (id) => id;
}

export function withNormalizedId(record: StackRecord, normalize: (id: string) => string): StackRecord {
  const id = normalize(record.id);
  return id === record.id ? record : { ...record, id, body: { ...record.body, id } };
}
