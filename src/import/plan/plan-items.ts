import type { PlanItem } from "../../core/plan/plan.ts";
import { recordKey, type RecordKey, keyOfRecord } from "../../core/records/record.ts";
import type { PlanBasis } from "./decide/decision.ts";
import type { Resolution } from "./resolve-references.ts";
import type { WriteOrder } from "./write-order.ts";
import { displayNameMember } from "../../kinds/nouns.ts";
import type { FindRecord } from "../../core/resource-kind.ts";
import { kinds } from "../../kinds/registry.ts";
import { vitalDifference } from "./decide/decide.ts";
import { ambiguousTargetMessage } from "./guards.ts";
import { creationHint } from "./selection.ts";
import { otherPlacesText } from "./warnings.ts";

export function makePlanItems(
  basis: PlanBasis,
  order: ReadonlyMap<RecordKey, WriteOrder>,
  resolutions: ReadonlyMap<RecordKey, Resolution>,
): PlanItem[] {
  const { decisions, target, transformed, archive } = basis;
  const find: FindRecord = (kind, id) => archive.byKey.get(recordKey(kind, id));
  return [...decisions].map(([key, decision]): PlanItem => {
    const { dependsOn = [], linksTo = [] } = order.get(key) ?? {};
    const { leftOut = [] } = resolutions.get(key) ?? {};
    const { kind, record, ...rest } = decision;
    const { action, targetId = "" } = rest;
    const changed = transformed.changes.get(key);
    const dependents = action === "update" ? target.dependentsOn(recordKey(kind.name, targetId)) : [];
    return {
      kind: kind.name,
      sourceId: record.id,
      name: record.name,
      ...rest,
      ...displayNameMember(record, find),
      ...(changed && { transformed: changed }),
      dependsOn,
      linksTo,
      ...(leftOut.length > 0 && { leftOut }),
      ...(dependents.length > 0 && { dependents }),
    };
  });
}

export function matchOnlyItems(basis: PlanBasis): PlanItem[] {
  const { archive, matching, ids, options, decisions } = basis;
  const find: FindRecord = (kind, id) => archive.byKey.get(recordKey(kind, id));
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
        ...displayNameMember(record, find),
        action: "skip",
        dependsOn: [],
        linksTo: [],
      } as const;
      const targetId = ids.get(kind.name, record.id);
      if (targetId !== undefined)
        return { ...item, targetId, code: "matched", ...vitalDifference({ kind, record }, targetId, basis) };
      const alike = matching.pairs.get(kind.name)?.ambiguous.get(record.id) ?? [];
      if (alike.length > 1) return { ...item, code: "ambiguous", message: ambiguousTargetMessage(kind, alike) };
      const code = importPolicy.when === "never" ? "left-out" : "unmatched";
      const others = otherPlacesText(kind, record, matching);
      const why = others === undefined ? "" : `, and ${others}: if it is the same, name it in a map file`;
      return { ...item, code, message: `${importPolicy.why}${why}${creationHint(kind, basis)}` };
    });
  });
}
