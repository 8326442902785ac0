import type { JsonObject } from "../../core/json.ts";
import { formatPointer, withValueAt } from "../../core/records/member-path.ts";
import type { RecordKey, StackRecord, Variant } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import { saysMore, variantPlaces } from "../../kinds/members/declared-paths.ts";
import { findKind } from "../../kinds/registry.ts";

/** An archive's records in the form that the target takes. */
export interface TargetForm {
  readonly records: readonly StackRecord[];
  /** Pointers of members that were taken out, as stacks of the variant do not know them. */
  readonly withheld: ReadonlyMap<RecordKey, readonly string[]>;
}

/** From which kind of stack an archive is, and onto which it goes. Files that people write are from none. */
export interface Crossing {
  readonly from: Variant | undefined;
  readonly to: Variant;
  /** Where several records are needed to say the same, as alerts of several channels, write them all. */
  readonly split: boolean;
}

/**
 * An archive's records in the form that a stack of that variant takes: of an alert of one channel, `channel` alone on a managed
 * stack; of a record from another variant, what this one knows. Where several records are needed to say the same and that is
 * asked for, their ids are made from the first one's, so that the next run knows them. Otherwise such a record stays as it is, and
 * the plan blocks it.
 */
export function inFormOf(archived: readonly StackRecord[], { from, to, split }: Crossing): TargetForm {
  const withheld = new Map<RecordKey, readonly string[]>();
  const records = archived.flatMap((record) => formsOf(record, to, split));
  // What a stack of the variant has shown, stacks of the variant know.
  if (from === to) return { records, withheld };
  const known = records.map((record): StackRecord => {
    const { body, pointers } = knownMembers(record, to);
    if (pointers.length > 0) withheld.set(recordKey(record.kind, record.id), pointers);
    return body === record.body ? record : { ...record, body };
  });
  return { records: known, withheld };
}

function formsOf(record: StackRecord, variant: Variant, split: boolean): readonly StackRecord[] {
  const forms = findKind(record.kind)?.formsOn?.(record.body, variant) ?? [];
  const [first, ...others] = forms;
  if (first === undefined || (others.length > 0 && !split)) return [record];
  const rest = others.map((body, index) => ({ ...record, id: `${record.id}#${index + 2}`, body }));
  return [first === record.body ? record : { ...record, body: first }, ...rest];
}

function knownMembers(
  { kind: name, body }: StackRecord,
  variant: Variant,
): { readonly body: JsonObject; readonly pointers: readonly string[] } {
  const kind = findKind(name);
  if (kind === undefined) return { body, pointers: [] };
  const unknown = variantPlaces(kind.unknownOn?.[variant], body);
  return {
    body: unknown.reduce((copy, { tokens }) => withValueAt(copy, tokens, undefined), body),
    pointers: unknown.filter((place) => saysMore(kind, place)).map(({ tokens }) => formatPointer(tokens)),
  };
}
