import { requireOptions } from "./options/option-values.ts";
import type { RunContext } from "../core/events.ts";
import type { Outcome, Warning } from "../core/outcome.ts";
import { isCompleteImport, prepareImport, type AppliedImport } from "./import.ts";
import { normaliseStack, openStack, type StackOptions } from "./options/connect.ts";
import { secretsOfAccess } from "./options/credential-guard.ts";
import { normaliseImport, type ImportOptions } from "./options/import-options.ts";
import { withRun, StoppedError, type RunOptions } from "./run.ts";
import { localArchivePath, openArchiveAt, archiveReadOptions, type ArchiveAccess } from "./steps/archive-file.ts";
import { plannedOutcomes, type Plan } from "../core/plan/plan.ts";
import { lockTarget } from "./steps/lock-target.ts";
import type { ImportJob } from "./steps/prepare-import.ts";

/** The archive to import, and the target. */
export interface ImportArchiveOptions extends ImportOptions, ArchiveAccess {
  /** Path of a zip or folder. */
  readonly archive: string;
  readonly to: StackOptions;
}

/** The result of an import or of its dry run. */
export interface ImportArchiveResult {
  /**
   * False if a record failed or is blocked, or, after `apply`, still differs from its file. The record's outcome has the code and
   * the reason. After `migrate`, also false if the key may not read a kind of the source: a warning names the kind.
   */
  readonly complete: boolean;
  readonly dryRun: boolean;
  /** One outcome per record of the archive. The outcomes of a dry run have the status `planned`. */
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly Warning[];
  readonly plan: Plan;
  /** Path of the journal that records the writes, for `rollback`. Absent if nothing had to be written. */
  readonly journal?: string | undefined;
}

/**
 * Imports an archive into a stack: plans, writes, then reads the target again and compares it with the writes. A second run with
 * the same archive resumes an interrupted import and creates no duplicates.
 * @throws StackferryError `config` and `usage` (options), `archive-damaged`, `archive-unknown`, `locked` (another run is active),
 * `journal`, `incomplete` (under `onConflict: "fail"`), `plan-changed` (another `plan`), the errors of the stack before the first write; StoppedError, with outcomes
 * and journal, once writing has begun @example const { complete, outcomes, journal } = await importArchive({ archive: "backup.zip",
 * to, map: { sources: { Logs: "Service logs" } } });
 */
export async function importArchive(options: ImportArchiveOptions, run: RunOptions = {}): Promise<ImportArchiveResult> {
  requireOptions(options);
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
 * Plans an import and writes nothing: the action for each record, the references that could not be matched, the missing
 * secrets.
 * @throws StackferryError the errors that `importArchive` throws before its first write
 * @example const { items, unresolved, missingSecrets } = await planImport({ archive: "backup.zip", to });
 */
export async function planImport(options: ImportArchiveOptions, run: RunOptions = {}): Promise<Plan> {
  return (await importArchive({ ...options, dryRun: true }, run)).plan;
}

/** Prepares and plans an import and, unless it is a dry run, applies the plan. */
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
