import type { Base, Bases } from "../core/plan/base.ts";
import { keyOfRecord, type RecordKey } from "../core/records/record.ts";
import { foldIds } from "../references/known-ids.ts";
import type { FindTargetId } from "./match-records.ts";
import type { PlanOptions } from "./plan-options.ts";

/**
 * Makes a function that returns the target's id of a record as earlier runs remember it. The target's record may be gone. If the
 * import has a name prefix, nothing tells whether a record without a name (an alert) that no import wrote is a copy or the original,
 * and the import must not move the original to a copied dashboard.
 */
export function rememberedId(bases: Bases, { naming }: Pick<PlanOptions, "naming">): FindTargetId {
  return (record) => {
    const base = bases.get(keyOfRecord(record));
    const mayBeOriginal = naming.namePrefix !== undefined && base?.ours === false && record.name === "";
    return mayBeOriginal ? undefined : base?.targetId;
  };
}

/** Returns what is known of a record and of this very counterpart. What is known of another counterpart says nothing. */
export function baseOfPair(bases: Bases, key: RecordKey, targetId: string): Base | undefined {
  const base = bases.get(key);
  return base !== undefined && foldIds(base.targetId) === foldIds(targetId) ? base : undefined;
}
