import { basename } from "node:path";
import { StackferryError, mapErrorTexts, rewordError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import { leavesRunIncomplete, isLeftDifferent, type Outcome } from "../core/outcome.ts";
import type { ManualMapping, Plan } from "../core/plan/plan.ts";
import type { RecordKey, StackRecord } from "../core/records/record.ts";
import { applyPlan, type ImportResult } from "../import/apply/apply-plan.ts";
import { describeUpdates, redactPlanNames } from "../import/plan/describe-updates.ts";
import { refuseTooManyDeletes, isMirrorIncomplete } from "../import/remove/mirror.ts";
import { memoryJournal } from "../core/plan/journal.ts";
import { estimateRequests, countWrites, validatePlan } from "./steps/validate-plan.ts";
import { numberOfNextRun } from "../journal/fold.ts";
import type { Base } from "../core/plan/base.ts";
import { approvedPlan, digestOf, planChangedError } from "./steps/approve-plan.ts";
import {
  draftPlan,
  readImport,
  type DraftedPlan,
  type ImportJob,
  type PreparedImport,
} from "./steps/prepare-import.ts";

/** An import that has read the archive and the target but has written nothing yet. */
export interface ImportRun {
  /** Path of the journal, whether it exists already or not; undefined for a journal in memory. */
  readonly journal: string | undefined;
  /** The archive's records in the form that the target takes. They contain placeholders, not the secrets that were filled in. */
  readonly records: readonly StackRecord[];
  /** Plans without asking the target to validate records. Such a plan is enough for the questions about the mapping. */
  readonly draft: (mapping: ManualMapping) => Promise<Plan>;
  /** Plans, asks the target to validate, and reports the plan's warnings. Uses the job's mapping by default. */
  readonly plan: (mapping?: ManualMapping) => Promise<Plan>;
  /** Carries out the last plan. @throws StackferryError `plan-changed`, `journal`, `incomplete` before the first write */
  readonly apply: (plan: Plan) => Promise<AppliedImport>;
}

/** The outcomes of a plan, and the files that record them. */
export interface AppliedImport extends Pick<ImportResult, "outcomes" | "warnings" | "stopped"> {
  /** Path of the journal; absent if there was nothing to write. */
  readonly journal?: string | undefined;
  /** The run's number, by which a rollback names it; absent without a journal file. */
  readonly run?: number;
}

/** Reads the archive and the target. The returned run can plan several times, after each answer of the user, and then write. */
export async function prepareImport(job: ImportJob, context: RunContext): Promise<ImportRun> {
  const prepared = await readImport(job, context);
  const { inventory } = prepared;
  const { approved } = job;
  let last: (DraftedPlan & { readonly mapping: ManualMapping }) | undefined;
  /** The whole digest of the approved plan, if the last plan may be carried out under it. */
  let allowed: string | undefined;
  const draft = async (mapping: ManualMapping): Promise<DraftedPlan> => {
    if (last?.mapping !== mapping) last = { mapping, ...(await draftPlan(prepared, mapping, inventory, context)) };
    return last;
  };
  const { records } = prepared.transformed;
  const { redactNames } = prepared;
  /** The names in an error may contain secrets. */
  const redacted = <Result>(planning: Promise<Result>): Promise<Result> =>
    planning.catch((error: unknown) => {
      throw error instanceof StackferryError ? mapErrorTexts(error, redactNames) : error;
    });
  return {
    journal: prepared.journal.path,
    records,
    draft: (mapping) => redacted(draft(mapping).then(({ plan }) => plan)),
    async plan(mapping = job.options.mapping) {
      const validation = draft(mapping).then((first) => validatePlan(prepared, first, mapping, context));
      const validated = await redacted(validation);
      last = undefined;
      const { options, redact } = prepared;
      const described = await describeUpdates(validated.plan, {
        ...options,
        records,
        inventory: validated.sides.inventory,
        redact,
      });
      const plan = redactPlanNames(described, redactNames);
      for (const warning of plan.warnings) context.events({ type: "warning", warning });
      if (!job.dryRun && approved === undefined) return plan;
      const digest = await digestOf(prepared, plan);
      if (approved === undefined) return { ...plan, digest };
      const found = await approvedPlan(approved, { digest, plan }, prepared, validated, context);
      allowed = found?.digest;
      return { ...plan, digest, ...found };
    },
    async apply(plan) {
      if (approved !== undefined && allowed === undefined) throw planChangedError(plan);
      return applyImport(prepared, plan, allowed, context);
    },
  };
}

/** @param approved the digest of the approved plan; undefined for a run without one */
async function applyImport(
  prepared: PreparedImport,
  plan: Plan,
  approved: string | undefined,
  context: RunContext,
): Promise<AppliedImport> {
  const { job, options, history, unknown, redact, records, transformed } = prepared;
  const { client, settings, clock, files, reader } = job;
  const { fitLimits = false } = options;
  refuseTooManyDeletes(plan);
  const isNeeded = isJournalNeeded(prepared, plan);
  await using journal = isNeeded ? await prepared.journal.open() : memoryJournal();
  const at = new Date(clock.now()).toISOString();
  const [archived, from] =
    files === undefined ? [reader.manifest.createdAt, basename(reader.summary.path)] : [undefined, files.root];
  const run = numberOfNextRun(history, undefined, prepared.lastRunElsewhere);
  await journal.append({ type: "begin", at, run, archived, from: job.from ?? from, plan: approved });
  for (const entry of history.recovered) await journal.append(entry);
  context.events({
    type: "phase",
    phase: "importing",
    total: countWrites(plan),
    ...estimateRequests(plan, settings, client.announcedRate()),
  });
  const { concurrency, consistencyWaitMs } = settings;
  const pace = { concurrency, clock, consistencyWaitMs };
  const memory = {
    journal,
    bases: prepared.planInput.bases ?? new Map<RecordKey, Base>(),
    identify: files?.identify ?? ((key: RecordKey): RecordKey => key),
    keepsChildren: files === undefined,
    formerNames: transformed.formerNames,
  };
  const input = {
    plan,
    records,
    client,
    fitLimits,
    unknown,
    unchecked: history.unchecked,
    memory,
    redact,
    ...pace,
  };
  const { stopped, outcomes, warnings } = await applyPlan(input, context);
  const known = { journal: journal.path, ...(journal.path !== undefined && { run }) };
  return { outcomes, warnings, ...known, stopped: stopped && resumable(stopped, journal.path) };
}

/** Tells whether a run has anything to tell its journal: a run that neither writes nor sees anything new leaves no line. */
function isJournalNeeded({ history }: PreparedImport, plan: Plan): boolean {
  const isNew = plan.items.some(({ seen }) => seen !== undefined);
  return isNew || history.unchecked.length > 0 || countWrites(plan) + history.recovered.length > 0;
}

/** Adds to a stopped run's error the hint that the run can be resumed from the journal. */
function resumable(stopped: StackferryError, path: string | undefined): StackferryError {
  if (path === undefined) return stopped;
  const first = stopped.hint === undefined ? [] : [stopped.hint.replace(/[.;]?$/, ".")];
  const hint = [...first, `Run it again to go on; the journal ${path} has the finished writes.`].join(" ");
  return rewordError(stopped, stopped.message, hint);
}

/**
 * Tells whether an import has done everything that it should; for a dry run, whether the import would do so.
 * @param mustBeEqual whether the source is the truth, as code files are: then the import is incomplete while the target keeps content
 * that differs
 */
export function isCompleteImport({ warnings }: Plan, outcomes: readonly Outcome[], mustBeEqual: boolean): boolean {
  if (outcomes.some(leavesRunIncomplete) || isMirrorIncomplete(warnings)) return false;
  return !mustBeEqual || !outcomes.some(isLeftDifferent);
}
