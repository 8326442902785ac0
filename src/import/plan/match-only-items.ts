import type { PlanItem, Unresolved } from "../../core/plan/plan.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { keyOfRecord } from "../../core/records/record.ts";
import type { Inventory } from "../../matching/inventory.ts";
import type { PlanBasis } from "./resolve-references.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { mappableSpaces, findKind, kinds } from "../../kinds/registry.ts";
import { codeOf } from "../../kinds/nouns.ts";
import type { PlanOptions } from "../../matching/plan-options.ts";
import type { Matching } from "../../matching/match-all.ts";
import { isCreateOffered, severalThereMessage } from "./decide/decide-new.ts";
import { otherPlacesText } from "./warnings.ts";
import type { DisplayNames } from "./plan-items.ts";

/** Lists the records of kinds that are only matched, each with its match or with the reason why it has none. */
export function matchOnlyItems(
  { archive, matching, ids, inventory, options, decisions }: PlanBasis,
  displayNameFor: DisplayNames,
): PlanItem[] {
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
      if (targetId !== undefined) return { ...item, targetId, code: "matched" };
      const alike = severalLike(kind, record.id, matching);
      if (alike.length > 0) {
        return { ...item, code: codeOf("ambiguous", kind.name), message: severalThereMessage(kind, alike) };
      }
      const code = kind.listing === "by-id" ? "not-replayed" : "unmatched";
      const others = otherPlacesText(kind, record, matching);
      const why = others === undefined ? "" : `, and ${others}: if it is the same, name it in a map file`;
      return { ...item, code, message: `${importPolicy.why}${why}${creationHint(kind, inventory, options)}` };
    });
  });
}

function severalLike(kind: ResourceKind, id: string, { ambiguous }: Matching): readonly StackRecord[] {
  const alike = ambiguous.get(kind.name)?.get(id) ?? [];
  return alike.length > 1 ? alike : [];
}

/** Adds the ids of records that are only matched, ambiguously: no record needs them now, but a map file can name them. */
export function withAmbiguous(
  unresolved: readonly Unresolved[],
  matchOnly: readonly PlanItem[],
  matching: Matching,
): Unresolved[] {
  const listed = new Set(unresolved.map(({ space, id }) => `${space}/${id}`));
  const added = matchOnly.flatMap(({ kind: name, sourceId: id, name: called, action, code }): Unresolved[] => {
    const kind = findKind(name);
    if (kind === undefined || action !== "skip" || code !== codeOf("ambiguous", name)) return [];
    if (listed.has(`${name}/${id}`) || !mappableSpaces().includes(name)) return [];
    const candidates = severalLike(kind, id, matching).map((candidate) => ({ id: candidate.id, name: candidate.name }));
    return [{ space: name, id, name: called, reason: "ambiguous", candidates, neededBy: 0 }];
  });
  return [...unresolved, ...added];
}

function creationHint(kind: ResourceKind, inventory: Inventory, { create }: PlanOptions): string {
  if (kind.importPolicy.when !== "on-request") return "";
  if (!isCreateOffered(kind, inventory)) return "; the target does not offer to create one";
  return create.includes(kind.name) ? "" : `; --create ${kind.name} creates missing ones`;
}
