import type { Base, Bases, Counterparts } from "../core/plan/base.ts";
import { keyOfRecord, type RecordKey, splitKey } from "../core/records/record.ts";
import { foldIds, makeKnownId } from "../references/known-ids.ts";
import type { FindTargetId } from "./match-records.ts";
import type { PlanOptions } from "./plan-options.ts";
import type { IdMapping, KnownId } from "../core/plan/id-map.ts";

/**
 * Makes a function that returns the target's id of a record as earlier runs remember it. The target's record may be gone. If the
 * import has a name prefix, nothing tells whether a record without a name (an alert) that no import wrote is a copy or the original,
 * and the import must not move the original to a copied dashboard.
 */
export function rememberedId(bases: Bases, { namePrefix }: Pick<PlanOptions, "namePrefix">): FindTargetId {
  return (record) => {
    const base = bases.get(keyOfRecord(record));
    const mayBeOriginal = namePrefix !== undefined && base?.ours === false && record.name === "";
    return mayBeOriginal ? undefined : base?.targetId;
  };
}

/** Returns what is known of a record and of this very counterpart. What is known of another counterpart says nothing. */
export function baseOfPair(bases: Bases, key: RecordKey, targetId: string): Base | undefined {
  const base = bases.get(key);
  return base !== undefined && foldIds(base.targetId) === foldIds(targetId) ? base : undefined;
}

/** An id of a record or of a child, and the id that it has, or once had, on the target. */
export interface KnownPair {
  readonly known: KnownId;
  /** The id as the source wrote it. */
  readonly id: string;
  readonly to: string;
  /** For a child: the record that holds it. */
  readonly owner?: RecordKey;
}

/** Lists what the journal knows of a record: its own id, then those of its children. */
export function pairsOfRecord(key: RecordKey, { targetId, children = {} }: Counterparts): KnownPair[] {
  const [kind, id] = splitKey(key);
  const ofChildren = Object.entries(children).flatMap(([space, pairs]) =>
    Object.entries(pairs).map(([child, to]) => ({ known: makeKnownId(space, child, id), id: child, to, owner: key })),
  );
  return [{ known: makeKnownId(kind, id), id, to: targetId }, ...ofChildren];
}

export function idMappingOf({ known: { space, id: from }, to }: KnownPair): IdMapping {
  return { space, from, to };
}
