import type { RecordChange } from "../../core/diff.ts";
import { isLeftAlone, type Outcome } from "../../core/outcome.ts";
import { limitCandidates, type Plan, type PlanItem, type UnresolvedId } from "../../core/plan/plan.ts";

/** Returns a plan's members for the `--json` document. `moreCandidates` counts the candidates that are not listed. */
export function planMembers(plan: Plan, outcomes: readonly Outcome[]): Record<string, unknown> {
  const { digest, carriedOutBy, items, matches, unresolved, missingSecrets, mirror } = plan;
  const updates = items.filter(({ action }) => action === "update");
  const conflicts = items.filter(({ since }) => since !== undefined);
  const itemsWith = (member: "mapped" | "transformed" | "fitted") => items.filter((item) => item[member] !== undefined);
  const identityOf = ({ kind, name, sourceId }: PlanItem) => ({ kind, name, sourceId });
  return {
    ...(digest !== undefined && { plan: digest }),
    ...(carriedOutBy !== undefined && { carriedOutBy }),
    matches,
    unresolved: unresolved.map(shortenCandidates),
    missingSecrets,
    mapped: itemsWith("mapped").map((item) => ({ ...identityOf(item), members: item.mapped })),
    updates: updates.map(changeOf),
    conflicts: conflicts.map((item) => ({ ...changeOf(item), action: item.action, since: item.since })),
    transformed: itemsWith("transformed").map((item) => ({ ...identityOf(item), changes: item.transformed })),
    fitted: itemsWith("fitted").map((item) => ({ ...identityOf(item), fitted: item.fitted })),
    ...(mirror && {
      mirror: { ...mirror, removals: mirror.removals.map(({ targetRecord: _target, ...removal }) => removal) },
    }),
    leftAlone: outcomes.filter(isLeftAlone),
  };
}

/** Describes an update in the form of a comparison: the target's record before and after the update. */
function changeOf(item: PlanItem): RecordChange & Pick<PlanItem, "targetName"> {
  const { kind, name, sourceId, targetId, targetName, changes = [] } = item;
  return { kind, change: "changed", name, leftId: sourceId, rightId: targetId, targetName, members: changes };
}

function shortenCandidates(entry: UnresolvedId): UnresolvedId & { readonly moreCandidates?: number } {
  const { some, more } = limitCandidates(entry);
  return more === 0 ? entry : { ...entry, candidates: some, moreCandidates: more };
}
