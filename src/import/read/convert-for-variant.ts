import type { StackRecord } from "../../core/records/record.ts";
import { findKind } from "../../kinds/registry.ts";
import type { Inventory } from "../../matching/inventory.ts";
import { answersOf } from "../../matching/inventory.ts";

/**
 * An archive's records in the form that the target takes: of an alert of one channel, `channel` alone where the target may take no
 * more. Where several records are needed to say the same and that is asked for, their ids are made from the first one's, so that
 * the next run knows them. Otherwise such a record stays as it is, and the plan blocks it. Everything else is sent whole: what the
 * target does not know it refuses by name, or its answer lacks it.
 * @param split where several records are needed to say the same, as alerts of several channels, write them all
 */
export function convertForVariant(
  archived: readonly StackRecord[],
  inventory: Inventory,
  split: boolean,
): readonly StackRecord[] {
  return archived.flatMap((record) => {
    const forms = findKind(record.kind)?.formsOn?.(record.body, answersOf(inventory, record.kind)) ?? [];
    const [first, ...others] = forms;
    if (first === undefined || (others.length > 0 && !split)) return [record];
    const rest = others.map((body, index) => ({ ...record, id: `${record.id}#${index + 2}`, body }));
    return [first === record.body ? record : { ...record, body: first }, ...rest];
  });
}
