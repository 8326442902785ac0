import type { StackRecord } from "../core/record.ts";
import { findKind } from "../kinds/registry.ts";
import { foldIds } from "../references/known-ids.ts";
import { findReferences } from "../references/references.ts";

/**
 * Some stacks answer the id of a record now in lower and now in upper case. Where all that refers to records is in lower
 * case, so is what this makes of a record's own id; a stack that writes upper case throughout is taken at its word.
 * @param open a record's body, only asked for where an id is in upper case
 */
export function normalizeIdCase<Held extends Pick<StackRecord, "id">>(
  records: readonly Held[],
  open: (held: Held) => StackRecord,
): (id: string) => string {
  if (records.every(({ id }) => foldIds(id) === id)) return (id) => id;
  let isLower = false;
  for (const held of records) {
    const { kind: name, body } = open(held);
    const kind = findKind(name);
    const used = kind ? findReferences(kind, body, new Map()).map(({ id }) => id) : [];
    if (used.some((id) => foldIds(id) !== id)) return (id) => id;
    isLower ||= used.some((id) => /[a-f]/.test(id));
  }
  return isLower ? foldIds : (id) => id;
}

/** The record under the id as `normalize` writes it. */
export function withNormalizedId(record: StackRecord, normalize: (id: string) => string): StackRecord {
  const id = normalize(record.id);
  return id === record.id ? record : { ...record, id, body: { ...record.body, id } };
}
