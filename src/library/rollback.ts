import { systemClock } from "../client/clock.ts";
import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import type { JournalEntry } from "../core/plan/journal.ts";
import { compactJson } from "../core/json.ts";
import type { Outcome, Warning } from "../core/outcome.ts";
import type { StackClient } from "../core/ports.ts";
import type { StackIdentity, StackRecord } from "../core/records/record.ts";
import { readTarget } from "../import/read/read-target.ts";
import { recoverEarlierRuns } from "../import/read/recover-earlier-runs.ts";
import type { JournalAccess } from "../journal/seal.ts";
import { openFileJournal, readFileJournal } from "../journal/file-journal.ts";
import type { JournalRun } from "../journal/runs.ts";
import { replayJournal } from "../journal/replay.ts";
import { kinds } from "../kinds/registry.ts";
import {
  completeInventory,
  readTargetInventory,
  recordFinder,
  recordsOf,
  type Inventory,
} from "../matching/inventory.ts";
import { redactPlanNames } from "../import/plan/describe-updates.ts";
import { createNameRedactor, redactDisplayTexts } from "../redaction/redact-names.ts";
import { createRedactor } from "../redaction/redactor.ts";
import { applyRollback, type RollbackResult as AppliedRollback } from "../rollback/apply.ts";
import { isUndone } from "../rollback/outcomes.ts";
import { planRollback, type PlannedRollback } from "../rollback/plan.ts";
import { selectRuns, warnOfOverlappingRuns, type RunChoice } from "../rollback/runs.ts";
import { requireConsistencyWait, requireOptions } from "./options/option-values.ts";
import { normaliseStack, openStack, type StackOptions } from "./options/connect.ts";
import { withRun, StoppedError, type RunOptions } from "./run.ts";
import { lockTarget, type LockOptions } from "./steps/lock-target.ts";
import { localArchivePath } from "./steps/archive-file.ts";
import { journalAccess, warnOfUnsealedJournal, type JournalTrustOptions } from "./steps/find-journal.ts";
import { updateStateAfterRollback } from "./steps/update-state-after-rollback.ts";

/** The import to undo. */
export interface RollbackOptions extends JournalTrustOptions, LockOptions {
  /** Path of the import's journal. */
  readonly journal: string;
  /** The stack that the import wrote to. */
  readonly to: StackOptions;
  /** The run of the journal to undo: the last one (default), the one with this number, or all. */
  readonly run?: RunChoice;
  /** Undo writes even if their records were changed since the import or are used by other records; default false. */
  readonly force?: boolean;
  /** Write a record even if that destroys content that the stack's API does not return; default false. */
  readonly acceptHiddenLoss?: boolean;
  /** Convert records that the API refuses into a form that it accepts, as an import does; default false. */
  readonly fitLimits?: boolean;
  /** Maximum time, in milliseconds, until the stack's lists show a write; default 10 000. */
  readonly consistencyWaitMs?: number;
}

/** The result of a rollback or of its dry run. */
export interface RollbackResult {
  /**
   * False if a record is not undone (in a dry run: would not be undone), because its rollback failed, or because somebody has
   * changed or used the record since the import.
   */
  readonly complete: boolean;
  readonly dryRun: boolean;
  /**
   * One outcome per record that the chosen runs wrote: `delete`, `update` (previous content restored), `create` (a deleted record
   * is created again), `skip` or `blocked`, with the reason. With `force`, also one per record that the server would delete with
   * them (`cascade-delete`).
   */
  readonly outcomes: readonly Outcome[];
  /**
   * Warnings about other runs that wrote the same records (`earlier-run`, `later-run`), and about what is not restored as it was.
   */
  readonly warnings: readonly Warning[];
  /** The runs of the journal before the rollback. */
  readonly runs: readonly JournalRun[];
}

/**
 * Undoes the last run of an import, or the chosen run: deletes created records and restores the former content of updated records.
 * Records that somebody changed after the import, or that a later run wrote, are left alone.
 * @throws StackferryError `config`, `usage` (no such journal or run), `journal` (the journal belongs to another stack), `locked`,
 * the errors of the stack; StoppedError, with outcomes, once writing has begun
 * @example await rollback({ journal: "backup.zip.1a2b3c4d.journal", to: staging });
 */
export async function rollback(options: RollbackOptions, run: RunOptions = {}): Promise<RollbackResult> {
  requireOptions(options);
  const to = normaliseStack(options.to, "to");
  const path = localArchivePath(options.journal, "journal");
  const { force = false, acceptHiddenLoss = false, fitLimits = false, dryRun = false, run: choice = "last" } = options;
  const access = journalAccess(options);
  return withRun(run, async (context) => {
    await using _lock = await lockTarget(options, to);
    await using client = openStack(to, context);
    const settings = { choice: runChoice(choice), force, acceptHiddenLoss, fitLimits };
    const consistencyWaitMs = requireConsistencyWait(options.consistencyWaitMs);
    const job = { path, access, client, ...settings, concurrency: to.concurrency, consistencyWaitMs };
    const done: UndoneImport = dryRun ? await prepareRollback(job, context) : await undoImport(job, context);
    const { outcomes, stopped, warnings, runs } = done;
    for (const warning of warnings) context.events({ type: "warning", warning });
    if (stopped !== undefined) throw new StoppedError(stopped, outcomes, path);
    return { complete: isUndone(outcomes, warnings), dryRun, outcomes, warnings, runs };
  });
}

function runChoice(choice: RunChoice): RunChoice {
  if (choice === "last" || choice === "all" || (Number.isInteger(choice) && choice > 0)) return choice;
  throw new StackferryError("usage", 'run is neither "last" nor "all" nor the number of a run');
}

export interface RollbackJob extends Required<
  Pick<RollbackOptions, "force" | "acceptHiddenLoss" | "fitLimits" | "consistencyWaitMs">
> {
  readonly path: string;
  readonly access: JournalAccess;
  readonly client: StackClient;
  readonly choice: RunChoice;
  readonly concurrency: number;
}

/** A planned rollback that has written nothing yet. */
export interface PreparedRollback extends PlannedRollback {
  readonly runs: readonly JournalRun[];
  /** Numbers of the runs to undo. */
  readonly chosen: readonly number[];
  /** Number of journal entries at the time of the plan. */
  readonly entryCount: number;
  /** Writes of an earlier run that are on the target but not yet in the journal. */
  readonly recovered: readonly JournalEntry[];
}

export async function prepareRollback(job: RollbackJob, context: RunContext): Promise<PreparedRollback> {
  return planNow(await entriesOf(job), job, context);
}

/** Reads the runs in a journal. @throws StackferryError `usage`, `journal` */
export async function readJournalRuns(path: string, access: JournalAccess): Promise<readonly JournalRun[]> {
  return replayJournal(await existingEntries(path, access)).runs;
}

export interface UndoneImport extends Omit<PreparedRollback, keyof AppliedRollback>, AppliedRollback {}

/**
 * Plans the rollback from the current journal and target, and carries out that plan.
 * @param displayedPlan the plan that the user saw. If the journal has not grown since that plan, the run does not wait again for
 * the target's lists to show earlier writes
 */
export async function undoImport(
  job: RollbackJob,
  context: RunContext,
  displayedPlan?: PreparedRollback,
): Promise<UndoneImport> {
  await entriesOf(job);
  await using journal = await openFileJournal(job.path, job.access);
  const plan = await planNow(journal.entries, job, context, displayedPlan?.entryCount);
  const { outcomes, chosen, recovered } = plan;
  for (const entry of recovered) await journal.append(entry);
  for (const warning of warnOfUnsealedJournal(journal)) context.events({ type: "warning", warning });
  context.events({ type: "phase", phase: "undoing", total: outcomes.length });
  const { client, concurrency, fitLimits, consistencyWaitMs } = job;
  const pace = { clock: systemClock, concurrency, consistencyWaitMs };
  const applied = await applyRollback({ ...plan, client, journal, fitLimits, runs: chosen, ...pace }, context);
  const newWarnings = await updateStateAfterRollback(applied.outcomes, chosen, journal.entries, job);
  for (const warning of newWarnings) context.events({ type: "warning", warning });
  return { ...plan, ...applied, warnings: [...plan.warnings, ...applied.warnings] };
}

async function entriesOf({ path, access, client }: RollbackJob): Promise<readonly JournalEntry[]> {
  const entries = await existingEntries(path, access);
  refuseOtherTarget(entries, client, path);
  return entries;
}

async function existingEntries(path: string, access: JournalAccess): Promise<readonly JournalEntry[]> {
  const entries = await readFileJournal(path, access);
  if (entries !== undefined) return entries;
  throw new StackferryError("usage", `there is no journal ${path}`, { hint: "check the path" });
}

async function planNow(
  entries: readonly JournalEntry[],
  { client, force, acceptHiddenLoss, fitLimits, choice, consistencyWaitMs }: RollbackJob,
  context: RunContext,
  waitedForEntries?: number,
): Promise<PreparedRollback> {
  const replay = replayJournal(entries);
  const { runs } = replay;
  const chosen = selectRuns({ runs }, choice);
  // No fixed wait is needed, even after an unfinished run: `readTarget` looks for every record of the journal in the lists, and
  // waits if one is missing.
  const earlierWrites = [{ ...replay, listsShowWrites: true }];
  const reading = { client, earlierWrites, clock: systemClock, consistencyWaitMs };
  const inventory =
    waitedForEntries === entries.length
      ? await readTargetInventory(client, kinds, context)
      : await readTarget(reading, context);
  const allowed = { force, acceptHiddenLoss, fitLimits, now: systemClock.now() };
  const planOn = async (target: Inventory) => {
    const { recovered, state } = recoverEarlierRuns(entries, replay, target, systemClock.now());
    return {
      recovered,
      ...(await planRollback({ state, inventory: target, ...allowed, runs: chosen }, context.signal)),
    };
  };
  const first = await planOn(inventory);
  const whole = await completeInventory(inventory, changedRecords(first.outcomes, inventory), client, context);
  const { plan, recovered, outcomes, left, warnings, ...planned } = whole === undefined ? first : await planOn(whole);
  const listed = recordsOf(inventory).map(({ kind, name }) => ({ kind, name }));
  const redactNames = await createNameRedactor([...listed, ...outcomes], createRedactor());
  const redacted = <Part extends object>(part: Part): Part => redactDisplayTexts(part, redactNames);
  return {
    ...planned,
    plan: redactPlanNames(plan, redactNames),
    outcomes: outcomes.map(redacted),
    left: left.map(redacted),
    warnings: [...warnOfOverlappingRuns(replay, chosen), ...warnings.map(redacted)],
    entryCount: entries.length,
    recovered,
    runs,
    chosen,
  };
}

/** Lists the records that seem to have changed. A list may omit members that a read of a single record returns. */
function changedRecords(outcomes: readonly Outcome[], inventory: Inventory): StackRecord[] {
  const find = recordFinder(inventory);
  return outcomes.flatMap(({ kind, targetId = "", code }) =>
    code === "changed-since" ? (find(kind, targetId) ?? []) : [],
  );
}

function addressOf({ baseUrl, organizationId, serviceId }: StackIdentity): string {
  return serviceId === undefined ? baseUrl : `${baseUrl} (organization ${organizationId}, service ${serviceId})`;
}

function refuseOtherTarget([first]: readonly JournalEntry[], { identity }: StackClient, path: string): void {
  if (first?.type === "begin" && compactJson({ ...first.subject.target }) === compactJson({ ...identity })) return;
  if (first?.type !== "begin") {
    const message = `the journal ${path} ${first === undefined ? "is empty" : "does not begin with the entry that names its stack"}`;
    throw new StackferryError("journal", message, { hint: "check the path: an import writes its stack first" });
  }
  const message = `the journal ${path} is of an import into ${addressOf(first.subject.target)}, not into ${addressOf(identity)}`;
  throw new StackferryError("journal", message, {
    hint: "Give exactly the address that the import used: 127.0.0.1 and localhost count as different stacks.",
  });
}
