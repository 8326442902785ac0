import { isLeftAlone, type Outcome } from "../../core/outcome.ts";
import { isCompleteImport, type AppliedImport } from "../../library/import.ts";
import { planDocument, type PlannedRun } from "../../report/view/plan.ts";
import type { CommandResult } from "../output/document.ts";
import { documentMarkdown } from "../output/markdown.ts";
import type { OutputOptions } from "../output/terminal.ts";
import { documentText } from "../output/text.ts";
import { exitCodeOfEnd, exitCodeOfError, repeatAdvice } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { asCommandArgument } from "../../config/stacks/stack-address.ts";
import { countWrites } from "../../library/steps/validate-plan.ts";
import { withPlanPage } from "../output/report-file.ts";
import { describedImport, type PlannedImport } from "./described-run.ts";
import type { RecordChange } from "../../core/diff.ts";
import { limitCandidates, type Plan, type PlanItem, type UnresolvedId } from "../../core/plan/plan.ts";

/** Reports the outcome of an applied plan. */
export function resultOfImport(
  planned: PlannedImport,
  { outcomes, stopped, journal, run }: AppliedImport,
  session: Session,
): CommandResult {
  const { plan, target, request } = planned;
  const isComplete = (of: readonly Outcome[]): boolean => isCompleteImport(plan, of, target.files !== undefined);
  const exitCode = stopped !== undefined ? exitCodeOfError(stopped) : exitCodeOfEnd(outcomes, isComplete);
  const next = [...repeatAdvice(exitCode, stopped), ...undoLines(outcomes, run, planned)];
  return {
    exitCode,
    text: (display) => documentOutput(describedImport(planned, session, outcomes, next), request.markdown, display),
    outcomes,
    abortedBy: stopped,
    details: {
      dryRun: false,
      journal,
      run,
      ...planMembers(plan, outcomes),
    },
  };
}

/** Prints a plan or a result as text or as Markdown. */
export function documentOutput(run: Omit<PlannedRun, "whole">, markdown: boolean, display: OutputOptions): string {
  if (markdown) return documentMarkdown(planDocument({ ...run, whole: false }));
  // A workflow reads the digest from Markdown, even that of a plan without a write. For people it only names something to approve.
  const digest = countWrites(run.plan) > 0 ? run.digest : undefined;
  return documentText(planDocument({ ...run, digest, whole: display.verbose === true }), display);
}

/** Returns a line with the run's number and the command that undoes it; empty if nothing was written. */
function undoLines(
  outcomes: readonly Outcome[],
  run: number | undefined,
  { plan, target: { settings } }: Pick<PlannedImport, "plan" | "target">,
): string[] {
  const wrote = outcomes.some(
    ({ action, status }) => status === "done" && (action === "create" || action === "update" || action === "delete"),
  );
  if (!wrote || run === undefined) return [];
  const isLossy = plan.warnings.some(({ code }) => code === "may-lose-hidden");
  const undo = isLossy ? "To undo it, but for the settings that do not come back" : "To undo it";
  return [`This was run ${run}. ${undo}: stackferry rollback --to ${asCommandArgument(settings)} --run ${run}`];
}

export async function writeImportPage(
  planned: PlannedImport,
  result: CommandResult,
  session: Session,
): Promise<CommandResult> {
  const { request } = planned;
  const isPlan = request.dryRun || result.abortedBy?.code === "plan-changed";
  const run = describedImport(planned, session, isPlan ? undefined : result.outcomes);
  return await withPlanPage(result, request.report, run, session);
}

/** Returns a plan's members for the `--json` document. `moreCandidates` counts the candidates that are not listed. */
export function planMembers(plan: Plan, outcomes: readonly Outcome[]): Record<string, unknown> {
  const { digest, items, matches, unresolved, missingSecrets, mirror } = plan;
  const updates = items.filter(({ action }) => action === "update");
  const conflicts = items.filter(({ since }) => since !== undefined);
  const itemsWith = (member: "transformed" | "fitted") => items.filter((item) => item[member] !== undefined);
  const identityOf = ({ kind, name, sourceId }: PlanItem) => ({ kind, name, sourceId });
  return {
    ...(digest !== undefined && { plan: digest }),
    matches,
    unresolved: unresolved.map(shortenCandidates),
    missingSecrets,
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
