import type { Warning } from "../../core/outcome.ts";
import type { IdMap } from "../../core/importing/id-map.ts";
import type { RecordKey, Variant } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { FindRecord, Refusal } from "../../core/resource-kind.ts";
import { codeOf } from "../../kinds/id-spaces.ts";
import type { Inventory } from "../../matching/inventory.ts";
import { answersOf } from "../../matching/inventory.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import type { Decision } from "./decide/decision.ts";
import { decisionKey } from "./decide/decision.ts";
import { childrenPointedTo } from "./pointed-to-children.ts";
import { nameOf, willWrite } from "./resolve.ts";

/** Blocks what a stack of the target's variant would refuse, or would take without a part that matters. */
export function blockRefused(
  decisions: ReadonlyMap<RecordKey, Decision>,
  archive: ArchiveIndex,
  inventory: Inventory,
  ids: IdMap,
): Map<RecordKey, Decision> {
  const { variant } = inventory.stack;
  const find = findOnTarget(archive, inventory, ids);
  const named = (space: string, id: string): string => nameOf({ space, id }, archive);
  return new Map(
    [...decisions].map(([key, decision]): [RecordKey, Decision] => {
      if (!willWrite(decision)) return [key, decision];
      const { kind, record } = decision;
      const refusal =
        kind.refusedOn?.(record.body, answersOf(inventory, kind.name), named) ??
        (decision.action === "create" && archive.particular.has(key)
          ? kind.refusedBeside?.[variant]?.(record.body, find)
          : undefined) ??
        refusedChild(decision, archive, variant);
      return [key, refusal === undefined ? decision : { ...decision, action: "blocked", ...refusal }];
    }),
  );
}

/** The target's counterpart of a record of the archive; the archive's where it has none yet. */
function findOnTarget(archive: ArchiveIndex, { kinds }: Inventory, ids: IdMap): FindRecord {
  return (kind, id) => {
    const targetId = ids.get(kind, id);
    const there = kinds.get(kind)?.records.find((record) => record.id === targetId);
    return there ?? archive.byKey.get(recordKey(kind, id));
  };
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

/** A warning for each member that the target's record lacks and that would be lost again. */
export function warnOfLacked({ kind, record, lacked = [] }: Decision): Warning[] {
  const message = `the target's ${kind.singular} "${record.name}" lacks this member, as all of its ${kind.name} do; it seems not to keep it`;
  return lacked.map((pointer) => ({ code: "not-kept", message, pointer }));
}
