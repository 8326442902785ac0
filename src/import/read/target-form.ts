import type { StackRecord, Variant } from "../../core/record.ts";
import { findKind } from "../../kinds/registry.ts";

/**
 * An archive's records in the form that a stack of that variant takes: of an alert of one channel, `channel` alone on a managed
 * stack.
 * @param split where several records are needed to say the same, as alerts of several channels, write them all. Their ids are
 * made from the first one's, so that the next run knows them. Otherwise such a record stays as it is, and the plan blocks it.
 */
export function inFormOf(records: readonly StackRecord[], variant: Variant, split: boolean): readonly StackRecord[] {
  return records.flatMap((record): readonly StackRecord[] => {
    const formsOn = findKind(record.kind)?.formsOn;
    const forms = formsOn === undefined ? [] : formsOn(record.body, variant);
    const [first, ...others] = forms;
    if (first === undefined || (others.length > 0 && !split)) return [record];
    const rest = others.map((body, index) => ({ ...record, id: `${record.id}#${index + 2}`, body }));
    return [first === record.body ? record : { ...record, body: first }, ...rest];
  });
}
