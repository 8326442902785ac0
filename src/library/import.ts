import { basename } from "node:path";
import { StackferryError, mapErrorTexts, rewordError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import { leavesRunIncomplete, isLeftDifferent, type Outcome, type Warning } from "../core/outcome.ts";
import { plannedOutcomes, type ManualMapping, type Plan } from "../core/plan/plan.ts";
import type { StackRecord } from "../core/records/record.ts";
import { applyPlan, type ImportResult } from "../import/apply/apply-plan.ts";
import { describeUpdates } from "../import/plan/describe-updates.ts";
import { refuseTooManyDeletes, isMirrorIncomplete } from "../import/remove/mirror.ts";
import { memoryJournal } from "../core/plan/journal.ts";
import { normaliseStack, openStack, type StackOptions } from "./options/connect.ts";
import { secretsOfAccess } from "./options/credential-guard.ts";
import { IMPORT_OPTIONS, normaliseImport, type ImportOptions } from "./options/import-options.ts";
import { requireOptions } from "./options/option-values.ts";
import { withRun, StoppedError, type RunOptions } from "./run.ts";
import {
  ARCHIVE_ACCESS,
  localArchivePath,
  openArchiveAt,
  archiveReadOptions,
  type ArchiveAccess,
} from "./steps/archive-file.ts";
import { lockTarget } from "./steps/journal-place.ts";
import { countWrites, validatePlan } from "./steps/validate-plan.ts";
import { numberOfNextRun } from "../journal/fold.ts";
import type { PlanDigest } from "../import/plan/plan-digest.ts";
import { approvedPlan, digestOf, planChangedError } from "./steps/approve-plan.ts";
import {
  draftPlan,
  readImport,
  type DraftedPlan,
  type ImportJob,
  type PreparedImport,
} from "./steps/prepare-import.ts";

export interface ImportArchiveOptions extends ImportOptions, ArchiveAccess {
  /** Path of a zip or folder. */
  readonly archive: string;
  readonly to: StackOptions;
}

export interface ImportArchiveResult {
  /** False if a record failed, is blocked or doubled, or differs after `apply`, and if a mirror or an export is incomplete. */
  readonly complete: boolean;
  readonly dryRun: boolean;
  /** One outcome per record of the archive, and per other record that a mirror handles or the server deletes. */
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly Warning[];
  readonly plan: Plan;
  /** Path of the journal, for `rollback`. Absent in a dry run, and if no file was written. */
  readonly journal?: string | undefined;
}

/**
 * Imports an archive into a stack. A second run with the same archive resumes an interrupted import and creates no duplicates.
 * @throws StackferryError `config`, `usage`, `archive-damaged`, `archive-unknown`, `archive-io`, `wrong-key`, `locked`, `journal`,
 * `interrupted`, `incomplete` (a conflict under `fail`, too many deletes), `plan-changed`, or an error of the stack, before the first
 * write; StoppedError after it
 * @example const { outcomes } = await importArchive({ archive: "backup.zip", to, map: { sources: { Logs: "Service logs" } } });
 */
export async function importArchive(options: ImportArchiveOptions, run: RunOptions = {}): Promise<ImportArchiveResult> {
  requireOptions(options, { ...IMPORT_OPTIONS, ...ARCHIVE_ACCESS, archive: true, to: true });
  const to = normaliseStack(options.to, "to");
  const archive = localArchivePath(options.archive, "archive");
  const normalised = await normaliseImport(options, secretsOfAccess(to));
  return withRun(run, async (context) => {
    await using reader = await openArchiveAt(archive, archiveReadOptions(options));
    await using _lock = await lockTarget(options, to);
    await using client = openStack(to, { ...context, secrets: normalised.secretTexts });
    return await runImportJob({ ...normalised, reader, client, settings: to }, context);
  });
}

/**
 * Plans an import and writes nothing.
 * @throws StackferryError the errors that `importArchive` throws before its first write
 * @example const { items, unresolved, missingSecrets } = await planImport({ archive: "backup.zip", to });
 */
export async function planImport(options: ImportArchiveOptions, run: RunOptions = {}): Promise<Plan> {
  return (await importArchive({ ...options, dryRun: true }, run)).plan;
}

export async function runImportJob(job: ImportJob, context: RunContext): Promise<ImportArchiveResult> {
  const warnings: Warning[] = [];
  const run = await prepareImport(job, {
    ...context,
    events: (event) => {
      if (event.type === "warning") warnings.push(event.warning);
      context.events(event);
    },
  });
  const plan = await run.plan();
  const { outcomes, journal, stopped }: AppliedImport = job.dryRun
    ? { outcomes: plannedOutcomes(plan), warnings: [] }
    : await run.apply(plan);
  if (stopped !== undefined) throw new StoppedError(stopped, outcomes, journal);
  const complete = isCompleteImport(plan, outcomes, !job.dryRun && job.files !== undefined);
  return { complete, dryRun: job.dryRun, outcomes, warnings, plan: { ...plan, bodies: new Map() }, journal };
}

export interface ImportRun {
  /** In the form that the target takes, with placeholders instead of secrets. */
  readonly records: readonly StackRecord[];
  /** Plans without a validation by the target; enough for questions about the mapping. */
  readonly draft: (mapping: ManualMapping) => Promise<Plan>;
  /** In a dry run or under an approved plan, also asks the target to validate records. The default mapping is the job's. */
  readonly plan: (mapping?: ManualMapping) => Promise<Plan>;
  /**
   * With an approved digest, call `plan` first and pass its result: `plan` compares the digest.
   * @throws StackferryError `plan-changed`, `journal`, `incomplete` before the first write
   */
  readonly apply: (plan: Plan) => Promise<AppliedImport>;
}

export interface AppliedImport extends Pick<ImportResult, "outcomes" | "warnings" | "stopped"> {
  readonly journal?: string | undefined;
  /** Number of the run, for `rollback`. Absent without a journal file. */
  readonly run?: number;
}

export async function prepareImport(job: ImportJob, context: RunContext): Promise<ImportRun> {
  const prepared = await readImport(job, context);
  const { approved } = job;
  let last: (DraftedPlan & { readonly mapping: ManualMapping }) | undefined;
  let allowed: PlanDigest | undefined;
  const draft = async (mapping: ManualMapping): Promise<DraftedPlan> => {
    if (last?.mapping !== mapping) last = { mapping, ...(await draftPlan(prepared, mapping, context)) };
    return last;
  };
  const { records } = prepared.transformed;
  const { redactNames } = prepared;
  /** Errors quote names, which may contain secrets. */
  const redacted = <Result>(planning: Promise<Result>): Promise<Result> =>
    planning.catch((error: unknown) => {
      throw error instanceof StackferryError ? mapErrorTexts(error, redactNames) : error;
    });
  return {
    records,
    draft: (mapping) => redacted(draft(mapping).then(({ plan }) => plan)),
    async plan(mapping = job.options.mapping) {
      const validation = draft(mapping).then((first) => validatePlan(prepared, first, context));
      const validated = await redacted(validation);
      last = undefined;
      const { options, inventory, redact } = prepared;
      const basis = { ...options, records, inventory, redact, redactNames };
      const plan = await describeUpdates(validated.plan, basis);
      for (const warning of plan.warnings) context.events({ type: "warning", warning });
      if (!job.dryRun && approved === undefined) return plan;
      const present = await digestOf(prepared, plan);
      allowed = approved === undefined ? undefined : await approvedPlan(approved, present, prepared, plan);
      return { ...plan, digest: (allowed ?? present).digest };
    },
    async apply(plan) {
      if (approved !== undefined && allowed === undefined) throw planChangedError(plan);
      return applyImport(prepared, plan, allowed, context);
    },
  };
}

async function applyImport(
  prepared: PreparedImport,
  plan: Plan,
  approved: PlanDigest | undefined,
  context: RunContext,
): Promise<AppliedImport> {
  const { job, options, history, unknown, redact, records, transformed, identify, inventory } = prepared;
  const { client, settings, clock, files, reader } = job;
  const { fitLimits = false } = options;
  refuseTooManyDeletes(plan);
  const isNeeded = isJournalNeeded(prepared, plan);
  await using journal = isNeeded ? await prepared.journal.open() : memoryJournal();
  const at = new Date(clock.now()).toISOString();
  const [archived, from] =
    files === undefined ? [reader.manifest.createdAt, basename(reader.summary.path)] : [undefined, files.root];
  const run = numberOfNextRun(history, undefined, prepared.lastRunElsewhere);
  const { digest, writes } = approved ?? {};
  await journal.append({ type: "begin", at, run, archived, from: job.from ?? from, plan: digest, writes });
  for (const entry of history.recovered) await journal.append(entry);
  context.events({ type: "phase", phase: "importing", total: countWrites(plan), counts: "writes" });
  const memory = {
    journal,
    bases: prepared.planInput.bases,
    identify,
    keepsChildren: files === undefined,
    formerNames: transformed.formerNames,
  };
  const { concurrency, consistencyWaitMs } = settings;
  const { unchecked } = history;
  const pace = { concurrency, clock, consistencyWaitMs };
  const input = { plan, records, client, inventory, fitLimits, unknown, unchecked, memory, redact, ...pace };
  const { stopped, outcomes, warnings } = await applyPlan(input, context);
  if (journal.path === undefined) return { outcomes, warnings, stopped };
  return { outcomes, warnings, journal: journal.path, run, stopped: stopped && resumable(stopped, journal.path) };
}

function isJournalNeeded({ history }: PreparedImport, plan: Plan): boolean {
  const isNew = plan.items.some(({ seen }) => seen !== undefined);
  return isNew || history.unchecked.length > 0 || countWrites(plan) + history.recovered.length > 0;
}

function resumable(stopped: StackferryError, path: string): StackferryError {
  const first = stopped.hint?.replace(/[.;]?$/, ".") ?? "Run the same command again to go on.";
  return rewordError(stopped, stopped.message, `${first} The journal ${path} has the finished writes.`);
}

/** @param mustBeEqual true for code files: a record that still differs makes the import incomplete */
export function isCompleteImport({ warnings }: Plan, outcomes: readonly Outcome[], mustBeEqual: boolean): boolean {
  if (outcomes.some(leavesRunIncomplete) || isMirrorIncomplete(warnings)) return false;
  return !mustBeEqual || !outcomes.some(isLeftDifferent);
}
