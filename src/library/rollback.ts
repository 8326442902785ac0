import { systemClock } from "../client/clock.ts";
import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import type { JournalEntry } from "../core/journal.ts";
import { compactJson } from "../core/json.ts";
import type { Outcome } from "../core/outcome.ts";
import { isIncomplete } from "../core/outcome.ts";
import type { Plan } from "../core/plan.ts";
import type { StackClient } from "../core/ports.ts";
import { recoverPendingWrites } from "../import/read/recover-pending-writes.ts";
import { openFileJournal, readFileJournal } from "../journal/file-journal.ts";
import { readJournalState } from "../journal/state.ts";
import { kinds } from "../kinds/registry.ts";
import { presentIds, readInventory } from "../matching/inventory.ts";
import type { RollbackResult as AppliedRollback } from "../rollback/apply.ts";
import { applyRollback } from "../rollback/apply.ts";
import type { RollbackItem } from "../rollback/item.ts";
import { planRollback } from "../rollback/plan.ts";
import type { StackOptions } from "./options/connect.ts";
import { normaliseStack, openStack } from "./options/connect.ts";
import type { RunOptions } from "./options/run-options.ts";
import { withRun } from "./options/run-options.ts";
import { localPath } from "./steps/archive-file.ts";
import { StoppedError } from "./stopped-error.ts";

/** Which import to undo. */
export interface RollbackOptions {
  /** Path of the import's journal. */
  readonly journal: string;
  /** The stack that the import wrote. */
  readonly to: StackOptions;
  /** Undo also what was changed since, or is used by something else; default false. */
  readonly force?: boolean;
  /** Plan only; default false. */
  readonly dryRun?: boolean;
}

/** What a rollback did, or would do. */
export interface RollbackResult {
  /** False where a record could not be undone. */
  readonly complete: boolean;
  readonly dryRun: boolean;
  /** One for each record that the import wrote: `delete`, `update` (put back) or `skip`, with the reason. */
  readonly outcomes: readonly Outcome[];
}

/**
 * Undoes an import: deletes what it created and puts back what it replaced. What somebody has changed since is left alone.
 * @throws StackferryError `config`, `usage` (no such journal), `journal` (it belongs to another stack), `locked`, the errors of
 * the stack; StoppedError, with outcomes, once writing has begun
 * @example
 * await rollback({ journal: "backup.zip.1a2b3c4d.journal", to: staging });
 */
export async function rollback(options: RollbackOptions, run: RunOptions = {}): Promise<RollbackResult> {
  const to = normaliseStack(options.to, "to");
  const path = localPath(options.journal, "journal");
  const { force = false, dryRun = false } = options;
  return withRun(run, async (context) => {
    await using client = openStack(to, context);
    const job = { path, client, force, concurrency: to.concurrency };
    if (dryRun) return { complete: true, dryRun, outcomes: undoOutcomes(await planUndo(job, context)) };
    const { outcomes, stopped } = await undoImport(job, context);
    if (stopped !== undefined) throw new StoppedError(stopped, outcomes, path);
    return { complete: !outcomes.some(isIncomplete), dryRun, outcomes };
  });
}

/** A rollback with everything decided. */
export interface RollbackJob {
  /** Of the journal. */
  readonly path: string;
  readonly client: StackClient;
  readonly force: boolean;
  readonly concurrency: number;
}

/** What would be undone now. Writes nothing. */
export async function planUndo(job: RollbackJob, context: RunContext): Promise<RollbackItem[]> {
  return (await planNow(await entriesOf(job), job, context)).items;
}

/** The items of a rollback as outcomes of a run that wrote nothing. */
export function undoOutcomes(items: readonly RollbackItem[]): Outcome[] {
  return items.map(({ kind, name, sourceId, targetId, action, code, message }) => {
    const why = { ...(code !== undefined && { code }), ...(message !== undefined && { message }) };
    return { kind, sourceId, name, targetId, action, ...why, status: "planned" };
  });
}

/** Plans with what the journal and the target say now, and carries that out. */
export async function undoImport(job: RollbackJob, context: RunContext): Promise<AppliedRollback> {
  await entriesOf(job);
  await using journal = await openFileJournal(job.path);
  const { items, present } = await planNow(journal.entries, job, context);
  context.events({ type: "phase", phase: "undoing", total: items.length });
  const { client, concurrency } = job;
  return await applyRollback({ items, present, client, journal, clock: systemClock, concurrency }, context);
}

async function entriesOf({ path, client }: RollbackJob): Promise<readonly JournalEntry[]> {
  const entries = await readFileJournal(path);
  if (entries === undefined)
    throw new StackferryError("usage", `there is no journal ${path}`, { hint: "Check the path." });
  refuseOtherTarget(entries, client, path);
  return entries;
}

async function planNow(
  entries: readonly JournalEntry[],
  { client, force }: RollbackJob,
  context: RunContext,
): Promise<{ readonly items: RollbackItem[]; readonly present: Plan["present"] }> {
  const inventory = await readInventory(client, kinds, context);
  const recovered = recoverPendingWrites(readJournalState(entries), inventory, new Date().toISOString());
  const items = planRollback({ state: readJournalState([...entries, ...recovered]), inventory, force });
  return { items, present: presentIds(inventory) };
}

function refuseOtherTarget([first]: readonly JournalEntry[], { identity }: StackClient, path: string): void {
  if (first?.type === "begin" && compactJson({ ...first.subject.target }) === compactJson({ ...identity })) return;
  const message = `the journal ${path} belongs to an import onto another stack`;
  throw new StackferryError("journal", message, { hint: "Name the stack that the import wrote." });
}
