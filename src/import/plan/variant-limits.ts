import type { Warning } from "../../core/outcome.ts";
import type { IdMap } from "../../core/plan/id-map.ts";
import { childId } from "../../core/plan/id-map.ts";
import type { JsonObject } from "../../core/json.ts";
import type { RecordKey } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { ChildIds, FindChild, FindRecord } from "../../core/resource-kind.ts";
import { codeOf } from "../../kinds/id-spaces.ts";
import type { Inventory } from "../../matching/inventory.ts";
import { answersOf } from "../../matching/inventory.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import { childIdOf, childrenOf } from "../../references/children.ts";
import type { Decision } from "./decide/decision.ts";
import { decisionKey } from "./decide/decision.ts";
import type { ChildBasis } from "./pointed-to-children.ts";
import { childrenPointedTo } from "./pointed-to-children.ts";
import type { Resolution } from "./resolve.ts";
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
        (archive.particular.has(key)
          ? kind.refusedBeside?.[variant]?.(record.body, find, childrenBefore(decision, ids))
          : undefined);
      return [key, refusal === undefined ? decision : { ...decision, action: "blocked", ...refusal }];
    }),
  );
}

/**
 * The target's counterpart of a record of the archive; the archive's where it has none yet. What neither knows is the target's own,
 * or it is missing, and for that the record is blocked anyway.
 */
function findOnTarget(archive: ArchiveIndex, { kinds }: Inventory, ids: IdMap): FindRecord {
  return (kind, id) => {
    const there = (of: string | undefined) => kinds.get(kind)?.records.find((record) => record.id === of);
    return there(ids.get(kind, id)) ?? archive.byKey.get(recordKey(kind, id)) ?? there(id);
  };
}

/** What the target has in the place of each child of an updated record. */
function childrenBefore({ action, kind, record, replaces }: Decision, ids: IdMap): FindChild {
  if (action !== "update" || replaces === undefined) return () => undefined;
  const there = new Map(
    kind.children.flatMap((children) =>
      childrenOf(replaces.body, children).map((child) => [`${children.space} ${childIdOf(child)}`, child] as const),
    ),
  );
  const find = ({ space }: ChildIds, child: JsonObject): JsonObject | undefined => {
    const id = ids.get(space, childId(record.id, childIdOf(child)));
    return id === undefined ? undefined : there.get(`${space} ${id}`);
  };
  return (child) => kind.children.map((children) => find(children, child)).find((each) => each !== undefined);
}

/**
 * The resolution with what the target says to the children that the record points to, as it will hold them: one that it does not take
 * blocks the record, and one that only its update makes fit has to be written before.
 */
export function withChildRules(resolution: Resolution, { record: from }: Decision, basis: ChildBasis): Resolution {
  const { variant } = basis.inventory.stack;
  const { hard, soft } = resolution.needs;
  const [first, blockers] = [new Set<RecordKey>(), [...resolution.blockers]];
  for (const { space, children, child, now = child, owner, called } of childrenPointedTo(from, basis)) {
    const rule = children.pointedTo?.[variant];
    if (rule === undefined) continue;
    if (!rule.accepts(now)) first.add(owner);
    if (rule.accepts(child)) continue;
    const message = `it is on ${called}, and a ${variant} stack takes it on ${rule.only} alone`;
    blockers.push({ code: codeOf("unfit", space), message });
  }
  return { needs: { hard: new Set([...hard, ...first]), soft }, blockers };
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
export function warnOfLacked({ kind, record, lacked = [], isSaid }: Decision): Warning[] {
  const why =
    isSaid === true
      ? "and the target says that it would not keep it"
      : `as all of its ${kind.name} do; it seems not to keep it`;
  const message = `the target's ${kind.singular} "${record.name}" lacks this member, ${why}`;
  return lacked.map((pointer) => ({ code: "not-kept", message, pointer }));
}
