import { isLeftAlone, isLeftDifferent, type Outcome } from "../../core/outcome.ts";
import { isCompleteImport, type AppliedImport } from "../../library/import.ts";
import { planDocument, type PlannedRun } from "../../report/view/plan.ts";
import type { CommandResult } from "../output/document.ts";
import { documentMarkdown } from "../output/markdown.ts";
import type { OutputOptions } from "../output/terminal.ts";
import { documentText } from "../output/text.ts";
import { exitCodeOfEnd, exitCodeOfError, repeatAdvice } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { asCommandArgument, stackAddressOf } from "../../config/stacks/stack-address.ts";
import { countWrites } from "../../library/steps/validate-plan.ts";
import { withPlanPage } from "../output/report-file.ts";
import type { RecordChange } from "../../core/diff.ts";
import {
  limitCandidates,
  plannedOutcomes,
  type ConflictPolicy,
  type Plan,
  type PlanItem,
  type UnresolvedId,
} from "../../core/plan/plan.ts";
import { basename } from "node:path";
import { exceedsMaxDelete, plannedDeletes } from "../../import/remove/mirror.ts";
import { isSameStack, type StackRecord } from "../../core/records/record.ts";
import { quoteShellWord } from "../../core/text/format.ts";
import { isAlwaysWritten } from "../../kinds/registry.ts";
import { stackNameAndAddress } from "../inputs/stack.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { addressInWords, minuteText } from "../../report/view/words.ts";
import type { ArchiveReader } from "../../core/ports.ts";
import type { ImportJob } from "../../library/steps/prepare-import.ts";
import type { ImportRequest } from "./flags.ts";

export interface ImportTarget extends Pick<ImportJob, "client" | "from" | "early" | "files" | "findCommand"> {
  readonly settings: StackSettings;
  /** True for a suspect backup: `--mirror` must not delete what the backup lacks. */
  readonly isSuspect?: boolean;
}

export interface PlannedImport {
  readonly reader: ArchiveReader;
  readonly target: ImportTarget;
  readonly request: ImportRequest;
  readonly plan: Plan;
  /** Without the values of the secrets file. */
  readonly records: readonly StackRecord[];
}

export function resultOfImport(
  planned: PlannedImport,
  { outcomes, stopped, journal, run }: AppliedImport,
  session: Session,
): CommandResult {
  const { plan, target, request } = planned;
  const isComplete = (of: readonly Outcome[]): boolean => isCompleteImport(plan, of, target.files !== undefined);
  const exitCode = stopped !== undefined ? exitCodeOfError(stopped) : exitCodeOfEnd(outcomes, isComplete);
  const next = [...repeatAdvice(exitCode, stopped), ...undoLines(outcomes, run, planned, session)];
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

export function documentOutput(run: Omit<PlannedRun, "whole">, markdown: boolean, display: OutputOptions): string {
  if (markdown) return documentMarkdown(planDocument({ ...run, whole: false }));
  // A text omits the digest if the plan writes nothing. Markdown keeps the digest, for a workflow.
  const digest = countWrites(run.plan) > 0 ? run.digest : undefined;
  return documentText(planDocument({ ...run, digest, whole: display.verbose === true }), display);
}

function undoLines(
  outcomes: readonly Outcome[],
  run: number | undefined,
  { plan, target: { settings } }: Pick<PlannedImport, "plan" | "target">,
  { words }: Session,
): string[] {
  const wrote = outcomes.some(
    ({ action, status }) => status === "done" && (action === "create" || action === "update" || action === "delete"),
  );
  if (!wrote || run === undefined) return [];
  const isLossy = plan.warnings.some(({ code }) => code === "may-lose-hidden");
  const undo = isLossy ? "To undo it, but for the settings that do not come back" : "To undo it";
  const command = ["rollback", "--to", asCommandArgument(settings), "--run", String(run), ...placeFlags(words)];
  return [`This was run ${run}. ${undo}: ${commandText(command)}`];
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

/** `moreCandidates` is the number of candidates that the document leaves out. */
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

/** The left id is the id in the archive. */
function changeOf(item: PlanItem): RecordChange & Pick<PlanItem, "targetName"> {
  const { kind, name, sourceId, targetId, targetName, changes = [] } = item;
  return { kind, change: "changed", name, leftId: sourceId, rightId: targetId, targetName, members: changes };
}

function shortenCandidates(entry: UnresolvedId): UnresolvedId & { readonly moreCandidates?: number } {
  const { some, more } = limitCandidates(entry);
  return more === 0 ? entry : { ...entry, candidates: some, moreCandidates: more };
}

export function describedImport(
  planned: PlannedImport,
  session: Session,
  outcomes?: readonly Outcome[],
  next: readonly string[] = [],
): Omit<PlannedRun, "whole"> {
  const { plan, records, target, reader } = planned;
  const { source } = reader.manifest;
  const { identity } = target.settings;
  const to = stackNameAndAddress(target.settings);
  return {
    plan,
    outcomes,
    records,
    headline: `${sourceText(planned, session)} → ${isOfOtherStack(planned) ? "another stack, " : ""}${to}`,
    notes: [],
    imported: target.files === undefined ? "archive" : "files",
    facts: [
      ["From", addressInWords(source)],
      ["To", addressInWords(identity)],
      ["Archive", session.runState.archive?.path],
      ["Content digest", { code: reader.summary.contentDigest }],
    ],
    ...(outcomes === undefined && { digest: plan.digest }),
    next: [...nextOfPlan(planned, session, outcomes), ...next],
  };
}

function sourceText({ target, reader }: PlannedImport, { runState }: Session): string {
  const { source, createdAt } = reader.manifest;
  if (target.from !== undefined) return stackNameAndAddress({ stackName: target.from, identity: source });
  if (target.files !== undefined) return `${basename(target.files.root)} (files)`;
  const name = basename(runState.archive?.path ?? reader.summary.path);
  return `${name} (${stackAddressOf(source)}, ${minuteText(createdAt)})`;
}

export function isOfOtherStack({ target, reader }: PlannedImport): boolean {
  const isArchive = target.files === undefined && target.from === undefined;
  return isArchive && !isSameStack(reader.manifest.source, target.settings.identity);
}

function nextOfPlan(planned: PlannedImport, session: Session, outcomes?: readonly Outcome[]): string[] {
  const { words } = session;
  const { plan } = planned;
  // Leaves out kinds that an import never updates: no flag writes their records.
  const leavesDifferent = (outcomes ?? plannedOutcomes(plan)).some(
    (each) => isLeftDifferent(each) && isAlwaysWritten(each.kind),
  );
  const write =
    outcomes === undefined && countWrites(plan) > 0 ? [`To do this: ${commandText(allowingDeletes(words, plan))}`] : [];
  // Drops `--tile`, which goes neither with `merge` nor with `overwrite`.
  const whole = allowingDeletes(withoutFlag(withoutFlag(words, "--on-conflict"), "--tile"), plan);
  const under = (policy: ConflictPolicy): string => commandText([...whole, "--on-conflict", policy]);
  const merge = plan.items.some((item) => item.isMergeable)
    ? [`To write what a merge would take from the source: ${under("merge")}`]
    : [];
  const overwrite = leavesDifferent ? [`To write what is kept: ${under("overwrite")}`] : [];
  return [...write, ...(outcomes === undefined ? takeEdits(planned, session) : []), ...merge, ...overwrite];
}

/** Raises `--max-delete` for a plan that exceeds it, because the run would be refused. */
function allowingDeletes(words: readonly string[], { mirror }: Plan): readonly string[] {
  if (mirror === undefined || !exceedsMaxDelete(mirror)) return words;
  return [...withoutFlag(words, "--max-delete"), "--max-delete", String(plannedDeletes({ mirror }).length)];
}

function takeEdits({ plan, reader, target: { files, settings } }: PlannedImport, { words }: Session): string[] {
  const isEdited = plan.items.some(({ code }) => code === "edited" || code === "both-changed");
  const { path } = reader.summary;
  if (files === undefined || !isEdited || /\.(?:ya?ml|json)$/i.test(path)) return [];
  // Gives no advice: the export would write transformed records into the files.
  if (settings.transforms !== undefined) return [];
  const command = ["export", "--from", asCommandArgument(settings), "--format", "code", "--out", path];
  const flags = [...placeFlags(words), ...flagsOf(words, ["--values"])];
  return [`To take what was edited into the files instead: ${commandText([...command, ...flags])}`];
}

/** Without these flags, the next command could mean another stack of that name, or another run of that number. */
function placeFlags(words: readonly string[]): string[] {
  const allowHttp = words.filter((word) => word === "--allow-http");
  return [...flagsOf(words, ["--config", "--journals", "--ca"]), ...allowHttp];
}

function flagsOf(words: readonly string[], flags: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    if (flags.includes(word)) return words.slice(index, index + 2);
    return flags.some((flag) => word.startsWith(`${flag}=`)) ? [word] : [];
  });
}

/** The command for writing does not need these flags. True for a flag that takes a value. */
const DRY_FLAGS: Readonly<Record<string, boolean>> = {
  "--dry-run": false,
  "--exit-code": false,
  "--markdown": false,
  "--json": false,
  "--quiet": false,
  "-q": false,
  "--verbose": false,
  "-v": false,
  "--report": true,
  "--plan": true,
  "--draft-map": true,
  "--draft-secrets": true,
};

function commandText(words: readonly string[]): string {
  const needed = Object.keys(DRY_FLAGS).reduce<readonly string[]>((left, flag) => withoutFlag(left, flag), words);
  return ["stackferry", ...needed.map(quoteShellWord)].join(" ");
}

function withoutFlag(words: readonly string[], flag: string): readonly string[] {
  const takesValue = DRY_FLAGS[flag] ?? true;
  return words.filter((word, index) => {
    const isValue = takesValue && words[index - 1] === flag;
    return word !== flag && !word.startsWith(`${flag}=`) && !isValue;
  });
}
