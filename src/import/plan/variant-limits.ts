import { groupBy } from "../../core/collections.ts";
import { formatPointer } from "../../core/records/member-path.ts";
import type { Warning } from "../../core/outcome.ts";
import type { RecordKey, Variant } from "../../core/records/record.ts";
import type { Refusal } from "../../core/resource-kind.ts";
import { counted } from "../../core/text/plural.ts";
import { saysMore, variantPlaces } from "../../kinds/members/declared-paths.ts";
import { codeOf } from "../../kinds/id-spaces.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import type { Decision } from "./decide/decision.ts";
import { decisionKey } from "./decide/decision.ts";
import { childrenPointedTo } from "./pointed-to-children.ts";
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
      if (!willWrite(decision)) return [key, decision];
      const { kind, record } = decision;
      const refusal = kind.refusedOn?.(record.body, variant, named) ?? refusedChild(decision, archive, variant);
      return [key, refusal === undefined ? decision : { ...decision, action: "blocked", ...refusal }];
    }),
  );
}

/** Why the record may not point to a child that it points to. */
function refusedChild({ record: from }: Decision, archive: ArchiveIndex, variant: Variant): Refusal | undefined {
  for (const { space, children, child, called } of childrenPointedTo(from, archive)) {
    const rule = children.pointedTo?.[variant];
    if (rule === undefined || rule.accepts(child)) continue;
    const message = `it is on ${called}, and a ${variant} stack takes it on ${rule.only} alone`;
    return { code: codeOf("unfit", space), message };
  }
  return undefined;
}

/** A warning for each value that a record is written with although it shows none. */
export function warnOfAssumed(decision: Decision, { assumed }: ArchiveIndex): Warning[] {
  if (!willWrite(decision)) return [];
  const { kind, record } = decision;
  return (assumed.get(decisionKey(decision)) ?? []).map(({ pointer, value }) => {
    const message = `the ${kind.singular} "${record.name}" shows no language here, which a write refuses; it is written as ${value}`;
    return { code: "language-assumed", message, pointer };
  });
}

/** What of a record does not get onto a stack of the target's variant. */
export interface Crossing {
  readonly from: Variant | undefined;
  readonly to: Variant;
  /** Pointers of members that were taken out, as such stacks do not know them. */
  readonly withheld: ReadonlyMap<RecordKey, readonly string[]>;
}

/** A warning for each member that a record is written without, and for each that such stacks are not known to keep. */
export function warnOfLost(decision: Decision, { from, to, withheld }: Crossing): Warning[] {
  if (!willWrite(decision)) return [];
  const { kind, record } = decision;
  const of = `of the ${kind.singular} "${record.name}"`;
  const leftOut = (withheld.get(decisionKey(decision)) ?? []).map((pointer): Warning => {
    return { code: "left-out", message: `a ${to} stack does not know this member ${of}, so it is left out`, pointer };
  });
  if (from === undefined || from === to) return leftOut;
  const dropped = groupBy(
    variantPlaces(kind.mayDrop?.[to], record.body).filter((place) => saysMore(kind, place)),
    ({ tokens }) => tokens.filter((token) => !/^\d+$/.test(token)).join("/"),
  );
  return [
    ...leftOut,
    ...[...dropped.values()].flatMap(([first, ...more]): Warning[] => {
      if (first === undefined) return [];
      const also = more.length === 0 ? "" : `, here and in ${counted(more.length, "other place")}`;
      const message = `a ${to} stack is not known to keep this member ${of}${also}`;
      return [{ code: "may-be-dropped", message, pointer: formatPointer(first.tokens) }];
    }),
  ];
}
