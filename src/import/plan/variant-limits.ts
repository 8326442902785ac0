import { formatPointer, placesAt } from "../../core/member-path.ts";
import type { Warning } from "../../core/outcome.ts";
import type { RecordKey, Variant } from "../../core/record.ts";
import { counted } from "../../core/text/plural.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import type { Decision } from "./decide/decision.ts";
import { nameOf, willWrite } from "./resolve.ts";

/** Blocks what a stack of the target's variant would refuse, or would take without a part that matters. */
export function blockRefused(
  decisions: ReadonlyMap<RecordKey, Decision>,
  archive: ArchiveIndex,
  variant: Variant,
): Map<RecordKey, Decision> {
  const named = (space: string, id: string): string => nameOf({ space, id }, archive);
  return new Map(
    [...decisions].map(([key, decision]): [RecordKey, Decision] => {
      const { kind, record } = decision;
      const refusal = willWrite(decision) ? kind.refusedOn?.(record.body, variant, named) : undefined;
      return [key, refusal === undefined ? decision : { ...decision, action: "blocked", ...refusal }];
    }),
  );
}

/**
 * Pointers of members of a record that is written and that stacks of the target's variant refuse.
 * @param from what is of the target's own variant was taken there before, and its body is not looked at
 */
export function refusedMembers({ kind, record, ...decision }: Decision, variant: Variant, from?: Variant): string[] {
  const paths = kind.unknownOn?.[variant] ?? [];
  const isOther = from !== undefined && from !== variant && willWrite({ kind, record, ...decision });
  if (paths.length === 0 || !isOther) return [];
  const { body } = record;
  return paths.flatMap((path) => placesAt(body, path).map(({ tokens }) => formatPointer(tokens)));
}

/** A warning for each member that a record is written without, and for each that such stacks are not known to keep. */
export function warnOfDropped(decision: Decision, variant: Variant, from?: Variant): Warning[] {
  const { kind, record } = decision;
  const of = `of the ${kind.singular} "${record.name}"`;
  const refused = refusedMembers(decision, variant, from).map((pointer): Warning => {
    return { code: "left-out", message: `a ${variant} stack refuses this member ${of}, so it is left out`, pointer };
  });
  const isOther = from !== undefined && from !== variant && willWrite(decision);
  const paths = isOther ? (kind.mayDrop?.[variant] ?? []) : [];
  if (paths.length === 0) return refused;
  const { body } = record;
  const dropped = paths.flatMap((path): Warning[] => {
    const [first, ...more] = placesAt(body, path).filter(({ value }) => value !== null);
    if (first === undefined) return [];
    const also = more.length === 0 ? "" : `, here and in ${counted(more.length, "other place")}`;
    const message = `a ${variant} stack is not known to keep this member ${of}${also}`;
    return [{ code: "may-be-dropped", message, pointer: formatPointer(first.tokens) }];
  });
  return [...refused, ...dropped];
}
