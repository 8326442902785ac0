import { groupBy } from "../../core/collections.ts";
import type { IdMap } from "../../core/plan/id-map.ts";
import type { JsonObject } from "../../core/json.ts";
import { withoutPath } from "../../core/records/member-path.ts";
import type { Warning } from "../../core/outcome.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import type { PlanOptions } from "../../matching/plan-options.ts";
import type { Inventory } from "../../matching/inventory.ts";
import { translatedBody } from "../../matching/pair-kind.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import { recordFingerprint } from "../../references/record-content.ts";
import type { Decision } from "./decide/decision.ts";
import { decisionKey } from "./decide/decision.ts";

interface RenameBasis {
  readonly archive: ArchiveIndex;
  readonly options: PlanOptions;
  readonly ids: IdMap;
  readonly inventory: Inventory;
  readonly journaled: ReadonlyMap<RecordKey, unknown>;
  readonly recordStates: ReadonlyMap<RecordKey, unknown>;
}

/**
 * Warns of probable renames: records that would be created and that differ only in their name from one on the target. Without a
 * state, a rename cannot be told from a new record, so nothing is decided by this.
 */
export function probableRenames(decisions: Iterable<Decision>, basis: RenameBasis): Warning[] {
  const { options, inventory, ids, journaled, recordStates } = basis;
  const taken = new Set([...ids].map(({ space, to }) => recordKey(space, to)));
  const candidates = [...decisions].filter((decision) => {
    const key = decisionKey(decision);
    return decision.action === "create" && !journaled.has(key) && !recordStates.has(key) && isRenamable(decision.kind);
  });
  // Under a prefix, or as duplicates, records are meant to exist twice.
  if (options.naming.namePrefix !== undefined || options.onConflict === "duplicate") return [];
  return [...groupBy(candidates, ({ kind }) => kind)].flatMap(([kind, of]) => {
    const free = (inventory.kinds.get(kind.name)?.records ?? []).filter(
      ({ id }) => !taken.has(recordKey(kind.name, id)),
    );
    const alike = groupBy(free, ({ body }) => namelessPrint(kind, body));
    return of.flatMap(({ record }) => {
      if (free.length === 0) return [];
      const [twin] = alike.get(namelessPrint(kind, translatedBody(kind, record, basis.archive, options, ids))) ?? [];
      return twin === undefined ? [] : [twinWarning(kind, record, twin)];
    });
  });
}

function isRenamable({ importPolicy, nameFields }: ResourceKind): boolean {
  return importPolicy.when === "always" && nameFields.name !== undefined;
}

/** Makes a digest of all compared content except the name. */
function namelessPrint(kind: ResourceKind, body: JsonObject): string {
  return recordFingerprint(kind, withoutPath(body, kind.nameFields.name ?? "name"));
}

function twinWarning(kind: ResourceKind, record: StackRecord, { id, name }: StackRecord): Warning {
  const message = `the ${kind.singular} "${record.name}" would be created, and the state has nothing of it; the target's "${name}" (${id}) is equal but for its name: if it is the same, a map file that names it makes it an update`;
  return { code: "probable-rename", message };
}
