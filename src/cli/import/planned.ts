import type { RecordChange } from "../../core/diff.ts";
import type { Outcome } from "../../core/outcome.ts";
import { isLeftAlone } from "../../core/outcome.ts";
import type { Plan, PlanItem, Unresolved } from "../../core/plan/plan.ts";
import { someCandidates } from "../../core/plan/plan.ts";

/**
 * The members of a plan in the `--json` document, besides the outcomes. `moreCandidates` is the number of candidates not listed.
 */
export function planMembers(
  { items, matches, unresolved, missingSecrets, mirror }: Plan,
  outcomes: readonly Outcome[],
): Record<string, unknown> {
  return {
    matches,
    unresolved: unresolved.map(shortened),
    missingSecrets,
    mapped: items.flatMap(({ kind, name, sourceId, mapped }) =>
      mapped ? [{ kind, name, sourceId, members: mapped }] : [],
    ),
    updates: items.filter(({ action }) => action === "update").map(changeOf),
    conflicts: items.flatMap((item) =>
      item.since === undefined ? [] : [{ ...changeOf(item), action: item.action, since: item.since }],
    ),
    transformed: items.flatMap(({ kind, name, sourceId, transformed }) =>
      transformed === undefined ? [] : [{ kind, name, sourceId, changes: transformed }],
    ),
    fitted: items.flatMap(({ kind, name, sourceId, fitted }) =>
      fitted === undefined ? [] : [{ kind, name, sourceId, fitted }],
    ),
    ...(mirror && { mirror: { ...mirror, removals: mirror.removals.map(({ there: _there, ...removal }) => removal) } }),
    leftAlone: outcomes.filter(isLeftAlone),
  };
}

/** An update in the form of a comparison: the target's record before and after. */
function changeOf(item: PlanItem): RecordChange & Pick<PlanItem, "targetName"> {
  const { kind, name, sourceId, targetId, targetName, changes = [] } = item;
  const there = {
    rightId: targetId,
    targetName,
  };
  return { kind, change: "changed", name, leftId: sourceId, ...there, members: changes };
}

function shortened(entry: Unresolved): Unresolved & { readonly moreCandidates?: number } {
  const { some, more } = someCandidates(entry);
  return more === 0 ? entry : { ...entry, candidates: some, moreCandidates: more };
}
