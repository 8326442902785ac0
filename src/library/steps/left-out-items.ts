import type { LeftOutRecord } from "../../core/importing/left-out.ts";
import type { Plan, PlanItem } from "../../core/importing/plan.ts";
import { isSelected } from "../../core/records/record-filter.ts";
import type { ImportOptions } from "../../matching/import-options.ts";

/** The plan with what mistakes in files leave out, as blocked records: the run is not complete without them. */
export function withLeftOut(
  plan: Plan,
  leftOut: readonly LeftOutRecord[],
  { kinds, filter }: Pick<ImportOptions, "kinds" | "filter">,
): Plan {
  const asked = leftOut.filter(
    ({ kind, id, name }) =>
      (kinds.length === 0 || kinds.includes(kind)) && isSelected({ kind, id, name, body: {} }, filter),
  );
  return asked.length === 0 ? plan : { ...plan, items: [...plan.items, ...asked.map(itemOf)] };
}

function itemOf({ kind, id, name, code, message, targetId }: LeftOutRecord): PlanItem {
  const about = { kind, sourceId: id, name, code, message, ...(targetId !== undefined && { targetId }) };
  return { ...about, action: "blocked", dependsOn: [], linksTo: [], rewrites: [] };
}
