import type { StackRecord } from "../../core/records/record.ts";
import { findKind } from "../../kinds/registry.ts";
import type { Inventory } from "../../matching/inventory.ts";
import { answersOf } from "../../matching/inventory.ts";

/**
 * Converts an archive's records to the form that the target accepts: an alert with one channel gets `channel` alone if the target
 * may accept only one. A record that must become several is split under `split`; the ids of the others are derived from its id, so
 * that the next run recognises them. Without `split` it stays as it is, and the plan blocks it. All else is sent whole: unknown
 * members are refused by name, or are missing in the answer.
 * @param split write several records if one cannot hold the same content, such as an alert with several channels
 */
export function convertForVariant(
  archived: readonly StackRecord[],
  inventory: Inventory,
  split: boolean,
): readonly StackRecord[] {
  return archived.flatMap((record) => {
    const forms = findKind(record.kind)?.splitFor?.(record.body, answersOf(inventory, record.kind)) ?? [];
    const [first, ...others] = forms;
    if (first === undefined || (others.length > 0 && !split)) return [record];
    const rest = others.map((body, index) => ({ ...record, id: `${record.id}#${index + 2}`, body }));
    return [first === record.body ? record : { ...record, body: first }, ...rest];
  });
}
