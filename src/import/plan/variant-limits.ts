import type { Warning } from "../../core/outcome.ts";
import { formatPointer, placesAt } from "../../core/member-path.ts";
import type { RecordKey, Variant } from "../../core/record.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import type { Decision } from "./decide.ts";
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

/** A warning for each member of a record that is written and that such stacks are not known to keep. */
export function warnOfDropped({ kind, record, ...decision }: Decision, variant: Variant): Warning[] {
  const paths = kind.mayDrop?.[variant] ?? [];
  if (paths.length === 0 || !willWrite({ kind, record, ...decision })) return [];
  const places = paths.flatMap((path) => placesAt(record.body, path)).filter(({ value }) => value !== null);
  const message = `a ${variant} stack is not known to keep this member of the ${kind.singular} "${record.name}"`;
  return places.map(({ tokens }) => ({ code: "may-be-dropped", message, pointer: formatPointer(tokens) }));
}
