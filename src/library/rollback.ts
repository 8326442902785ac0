import { resolve } from "node:path";
import { systemClock } from "../client/clock.ts";
import type { StackSettings } from "../config/stacks/stack-settings.ts";
import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import type { Outcome, Warning } from "../core/outcome.ts";
import { memoryJournal } from "../core/plan/journal.ts";
import type { StackClient } from "../core/ports.ts";
import { pluralize } from "../core/text/format.ts";
import { isSameStack, type StackIdentity } from "../core/records/record.ts";
import { readTarget } from "../import/read/read-target.ts";
import { settleForRollback, type SettledHistory } from "../import/read/settle-open-writes.ts";
import { listJournals, openFileJournal, readJournals, type StoredJournal } from "../journal/file-journal.ts";
import { lastRunNumber, withLastRun, type History, type Run } from "../journal/fold.ts";
import { recordsOf, type Inventory } from "../matching/inventory.ts";
import { redactPlanNames } from "../import/plan/describe-updates.ts";
import { createNameRedactor, redactDisplayTexts } from "../redaction/redact-names.ts";
import { createRedactor } from "../redaction/redactor.ts";
import { applyRollback, planRollback, type AppliedRollback, type PlannedRollback } from "../rollback/rollback.ts";
import { isUndone } from "../rollback/outcomes.ts";
import { requireOptions, type OptionNames } from "./options/option-values.ts";
import { normaliseStack, openStack, type StackOptions } from "./options/connect.ts";
import { withRun, StoppedError, type RunOptions } from "./run.ts";
import { countWrites } from "./steps/validate-plan.ts";
import { JOURNALS_FOLDER, lockTarget } from "./steps/journal-place.ts";

export interface RollbackOptions {
  /** The stack that the import wrote to. */
  readonly to: StackOptions;
  /** Number of the run to undo. Default: the run that an interrupted last rollback undoes, else the last import that wrote. */
  readonly run?: number;
  /** Folder of the journals; default `.stackferry` in the working directory. */
  readonly journals?: string;
  /** Plan only; default false. */
  readonly dryRun?: boolean;
  /** Undo a write even if somebody, or a later run, has changed the record since; default false. */
  readonly force?: boolean;
  /** Write a record even if that destroys content that the API does not return; default false. */
  readonly acceptHiddenLoss?: boolean;
  /** Convert records that the API refuses into a form that it accepts; default false. */
  readonly fitLimits?: boolean;
}

const ROLLBACK_OPTIONS: OptionNames<RollbackOptions> = {
  to: true,
  run: true,
  journals: true,
  dryRun: true,
  force: true,
  acceptHiddenLoss: true,
  fitLimits: true,
};

export interface RollbackResult {
  /** False if a record is not undone, or only in part. */
  readonly complete: boolean;
  readonly dryRun: boolean;
  /** One outcome per record that the run wrote and no rollback has undone, with the reason for `skip` or `blocked`. */
  readonly outcomes: readonly Outcome[];
  /** Warnings about content that is not restored exactly. */
  readonly warnings: readonly Warning[];
  /** The number of the run that the rollback undoes. */
  readonly undoes: number;
}

/**
 * Undoes a run. Leaves alone created records that others use and, without `force`, records that were changed since.
 * @throws StackferryError `config`, `usage` (no such run), `journal`, `locked`, the errors of the stack; StoppedError, with outcomes,
 * once writing has begun
 * @example await rollback({ to: staging });
 */
export async function rollback(options: RollbackOptions, run: RunOptions = {}): Promise<RollbackResult> {
  requireOptions(options, ROLLBACK_OPTIONS);
  const to = normaliseStack(options.to, "to");
  const { force = false, acceptHiddenLoss = false, fitLimits = false, dryRun = false } = options;
  const { journals = JOURNALS_FOLDER, run: choice } = options;
  if (choice !== undefined && !(Number.isInteger(choice) && choice > 0)) {
    throw new StackferryError("usage", "run is not the number of a run");
  }
  if (typeof journals !== "string") {
    throw new StackferryError("usage", "journals is not a folder", {
      hint: "Imports with memoryJournals() cannot be undone.",
    });
  }
  return withRun(run, async (context) => {
    await using _lock = await lockTarget({ journals, dryRun }, to);
    await using client = openStack(to, context);
    const { concurrency, consistencyWaitMs } = to;
    const settings = { force, acceptHiddenLoss, fitLimits, concurrency, consistencyWaitMs };
    const job = { folder: resolve(journals), client, choice, ...settings };
    const plan = await prepareRollback(job, context);
    const done: UndoneRun = dryRun ? plan : await undoRun(plan, job, context);
    const { outcomes, stopped, warnings, undoes } = done;
    for (const warning of warnings) context.events({ type: "warning", warning });
    if (stopped !== undefined) throw new StoppedError(stopped, outcomes, plan.path);
    return { complete: isUndone(outcomes, warnings), dryRun, outcomes, warnings, undoes };
  });
}

export interface RollbackJob
  extends
    Required<Pick<RollbackOptions, "force" | "acceptHiddenLoss" | "fitLimits">>,
    Pick<StackSettings, "concurrency" | "consistencyWaitMs"> {
  readonly folder: string;
  readonly client: StackClient;
  readonly choice: number | undefined;
}

export interface PreparedRollback extends PlannedRollback, Pick<StoredJournal, "path" | "pair"> {
  readonly undoes: number;
  readonly history: SettledHistory;
  readonly inventory: Inventory;
  readonly runs: readonly StackRun[];
  readonly highestRun: number;
}

export interface JournalRun extends Run {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly notUndone: number;
}

export function runsOf({ runs, writesOf, isUndone, open }: History): JournalRun[] {
  return runs.flatMap((run) => {
    const writes = writesOf(run.number);
    const count = (action: string): number => writes.filter((write) => write.action === action).length;
    const notUndone = writes.filter(({ key }) => !isUndone(run.number, key)).length;
    const counts = { created: count("create"), updated: count("update"), deleted: count("delete"), notUndone };
    const isOpen = open.some((write) => write.run === run.number);
    return writes.length === 0 && !isOpen ? [] : [{ ...run, ...counts }];
  });
}

export function lastRunToUndo(runs: readonly JournalRun[]): number | undefined {
  const last = runs.at(-1);
  if (last?.undoes !== undefined && last.isCutShort) return last.undoes;
  return runs.findLast(({ undoes }) => undoes === undefined)?.number;
}

export interface StackRun extends JournalRun {
  readonly journal: string;
}

export async function listRuns(folder: string, target: StackIdentity): Promise<readonly StackRun[]> {
  return stackRuns(await readJournalsOf(folder, target));
}

async function readJournalsOf(folder: string, target: StackIdentity): Promise<readonly StoredJournal[]> {
  return readJournals((await listJournals(folder)).filter(({ pair }) => isSameStack(pair.target, target)));
}

function stackRuns(journals: readonly StoredJournal[]): StackRun[] {
  const runs = journals.flatMap(({ path, history }) => runsOf(history).map((run) => ({ ...run, journal: path })));
  return runs.toSorted((a, b) => a.number - b.number);
}

export async function prepareRollback(job: RollbackJob, context: RunContext): Promise<PreparedRollback> {
  const { client, choice, force, acceptHiddenLoss, fitLimits, consistencyWaitMs } = job;
  const journals = await readJournalsOf(job.folder, client.identity);
  const runs = stackRuns(journals);
  const undoes = choice ?? lastRunToUndo(runs);
  if (undoes === undefined || runs.length === 0) throw nothingToUndo(job.folder);
  const paths = new Set(runs.filter(({ number }) => number === undoes).map(({ journal }) => journal));
  const [ofRun] = paths;
  if (paths.size > 1) throw severalJournalsError(undoes, [...paths]);
  const stored = journals.find(({ path }) => path === ofRun);
  if (stored === undefined) throw unknownRunError(runs, undoes);
  const { path, pair, entries } = stored;
  const last = withLastRun(journals.map((journal) => journal.history));
  const inventory = await readTarget({ client, last, clock: systemClock, consistencyWaitMs }, context);
  const allowed = { force, acceptHiddenLoss, fitLimits, now: systemClock.now(), run: undoes };
  const history = settleForRollback(entries, stored.history, inventory, systemClock.now());
  const { plan, outcomes, left, warnings, ...planned } = await planRollback(
    { history, inventory, ...allowed },
    context.signal,
  );
  const listed = recordsOf(inventory).map(({ kind, name }) => ({ kind, name }));
  const redactNames = await createNameRedactor([...listed, ...outcomes], createRedactor());
  const redacted = <Part extends object>(part: Part): Part => redactDisplayTexts(part, redactNames);
  return {
    ...planned,
    history,
    inventory,
    plan: redactPlanNames(plan, redactNames),
    outcomes: outcomes.map(redacted),
    left: left.map(redacted),
    warnings: warnings.map(redacted),
    path,
    pair,
    undoes,
    runs,
    highestRun: lastRunNumber(last),
  };
}

export const JOURNALS_HINT =
  "Give the folder of the journals with --journals, and exactly the address that the import used: 127.0.0.1 and localhost count as different stacks.";

function unknownRunError(runs: readonly JournalRun[], choice: number): StackferryError {
  const message = `there is no run ${choice} on this stack: the journals have ${pluralize(runs.length, "run")} that wrote something`;
  return new StackferryError("usage", message, { hint: "--list shows them" });
}

function severalJournalsError(choice: number, paths: readonly string[]): StackferryError {
  const message = `${paths.length} journals have a run ${choice} on this stack: ${paths.join(", ")}`;
  const hint = "Nothing was written. One is a copy, or from another folder: move it out of the folder of the journals.";
  return new StackferryError("journal", message, { hint });
}

function nothingToUndo(folder: string): StackferryError {
  const message = `no journal in ${folder} has a run on this stack that wrote something`;
  return new StackferryError("usage", message, { hint: JOURNALS_HINT });
}

export interface UndoneRun extends PreparedRollback, AppliedRollback {}

/** The caller holds the lock of the target. */
export async function undoRun(plan: PreparedRollback, job: RollbackJob, context: RunContext): Promise<UndoneRun> {
  const { path, pair, history } = plan;
  const total = countWrites(plan.plan);
  const hasNews = total + history.recovered.length > 0;
  await using journal = hasNews ? await openFileJournal(path, pair) : memoryJournal();
  const { client, concurrency, fitLimits, consistencyWaitMs } = job;
  context.events({ type: "phase", phase: "undoing", total, counts: "writes" });
  const pace = { clock: systemClock, concurrency, consistencyWaitMs };
  const applied = await applyRollback({ ...plan, client, journal, fitLimits, ...pace }, context);
  return { ...plan, ...applied, warnings: [...plan.warnings, ...applied.warnings] };
}
