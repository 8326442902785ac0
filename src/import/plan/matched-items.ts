import type { PlanItem } from "../../core/plan/plan.ts";
import { keyOfRecord, type KindName, type StackRecord } from "../../core/records/record.ts";
import type { Inventory } from "../../matching/inventory.ts";
import type { PlanBasis } from "./resolve-references.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { kinds } from "../../kinds/registry.ts";
import type { PlanOptions } from "../../matching/plan-options.ts";
import type { Matching } from "../../matching/match-all.ts";
import { isCreateOffered, ambiguousTargetMessage, vitalDifference } from "./decide/decide-new.ts";
import { otherPlacesText } from "./warnings.ts";
import type { FindDisplayName } from "./plan-items.ts";

/** Lists the records of kinds that are only matched, each with its match or with the reason why it has none. */
export function matchOnlyItems(basis: PlanBasis, displayNameFor: FindDisplayName): PlanItem[] {
  const { archive, matching, ids, inventory, options, decisions } = basis;
  const requestedKinds = kinds.filter((kind) => options.kinds.length === 0 || options.kinds.includes(kind.name));
  return requestedKinds.flatMap((kind) => {
    const { importPolicy } = kind;
    if (importPolicy.when === "always") return [];
    const undecidedRecords = (archive.byKind.get(kind.name) ?? []).filter(
      (record) => !decisions.has(keyOfRecord(record)),
    );
    return undecidedRecords.map((record): PlanItem => {
      const item = {
        kind: kind.name,
        sourceId: record.id,
        name: record.name,
        ...displayNameFor(record),
        action: "skip",
        dependsOn: [],
        linksTo: [],
        rewrites: [],
      } as const;
      const targetId = ids.get(kind.name, record.id);
      if (targetId !== undefined)
        return { ...item, targetId, code: "matched", ...vitalDifference({ kind, record }, targetId, basis) };
      const alike = ambiguousCandidates(kind.name, record.id, matching);
      if (alike.length > 0) {
        return { ...item, code: "ambiguous", message: ambiguousTargetMessage(kind, alike) };
      }
      const code = kind.listing === "by-id" ? "left-out" : "unmatched";
      const others = otherPlacesText(kind, record, matching);
      const why = others === undefined ? "" : `, and ${others}: if it is the same, name it in a map file`;
      return { ...item, code, message: `${importPolicy.why}${why}${creationHint(kind, inventory, options)}` };
    });
  });
}

/** Lists the target's records that may correspond to a record of a kind that is only matched, if there are several. */
export function ambiguousCandidates(kind: KindName, id: string, { pairs }: Matching): readonly StackRecord[] {
  const alike = pairs.get(kind)?.ambiguous.get(id) ?? [];
  return alike.length > 1 ? alike : [];
}

function creationHint(kind: ResourceKind, inventory: Inventory, { create }: PlanOptions): string {
  if (kind.importPolicy.when !== "on-request") return "";
  if (inventory.kinds.get(kind.name)?.status === "forbidden") return "; the target's cannot be read with this key";
  if (!isCreateOffered(kind, inventory)) return "; the target does not offer to create one";
  return create.includes(kind.name) ? "" : `; --create ${kind.name} creates missing ones`;
}
