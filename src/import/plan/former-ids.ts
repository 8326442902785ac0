import type { Counterparts } from "../../core/plan/base.ts";
import type { IdMapping, KnownId } from "../../core/plan/id-map.ts";
import { splitKey, type RecordKey } from "../../core/records/record.ts";
import { makeKnownId } from "../../references/known-ids.ts";

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

/** Returns the pair as the ids in a record are translated. */
export function idMappingOf({ known: { space, id: from }, to }: KnownPair): IdMapping {
  return { space, from, to };
}
