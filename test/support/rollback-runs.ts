import { expect } from "vitest";
import type { StackferryError } from "../../src/core/errors.ts";
import { ignoreEvents, type RunEvent } from "../../src/core/events.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Outcome, Warning } from "../../src/core/outcome.ts";
import type { Clock } from "../../src/core/ports.ts";
import { readTarget } from "../../src/import/read/read-target.ts";
import { recoverPendingWrites } from "../../src/import/read/recover-earlier-runs.ts";
import { memoryJournal, type JournalEntry } from "../../src/core/plan/journal.ts";
import { replayJournal, type JournalReplay } from "../../src/journal/replay.ts";
import { kinds, knownKind } from "../../src/kinds/registry.ts";
import { readInventory, type Inventory } from "../../src/matching/inventory.ts";
import { recordFingerprint } from "../../src/references/record-content.ts";
import { applyRollback } from "../../src/rollback/apply.ts";
import { isUndone } from "../../src/rollback/outcomes.ts";
import { planRollback, type PlannedRollback } from "../../src/rollback/plan.ts";
import { CONSISTENCY_WAIT_MS, importStage, type RunOptions, type StackRecord } from "./import-stage.ts";
import { instantClock } from "./instant-clock.ts";
import { runKilled, type MemoryStack } from "./memory-stack.ts";
import { usualTarget } from "./import-samples.ts";

export type { JournalEntry, JournalReplay };
export const stateOf = replayJournal;
export const journalOf = memoryJournal;

/** Returns the digest by which a journal recognises a written record. */
export const contentOf = (kind: string, body: JsonObject): string => recordFingerprint(knownKind(kind), body);

/** Returns the journal as the next run reads it, with the outcomes of pending writes recovered from the stack. */
export async function replayAfterRun(
  stack: MemoryStack,
  entries: readonly JournalEntry[],
): Promise<{ readonly recovered: readonly JournalEntry[]; readonly state: JournalReplay }> {
  const inventory = await inventoryOf(stack);
  const recovered = recoverPendingWrites(replayJournal(entries), inventory, "2026-01-01T00:00:09.000Z");
  return { recovered, state: replayJournal([...entries, ...recovered]) };
}

/** Returns the outcomes of a rollback's dry run, without their status. */
export async function planRollbackOf(
  stack: MemoryStack,
  entries: readonly JournalEntry[],
  force = false,
  runs?: readonly number[],
): Promise<readonly Omit<Outcome, "status">[]> {
  const { outcomes } = await planUndo(stack, entries, force, runs);
  return outcomes.map(({ status: _planned, ...outcome }) => outcome);
}

async function planUndo(
  stack: MemoryStack,
  entries: readonly JournalEntry[],
  force: boolean,
  runs: readonly number[] | undefined,
  allowed: Pick<RollbackRunOptions, "acceptHiddenLoss" | "fitLimits" | "now"> = {},
): Promise<PlannedRollback> {
  const { state } = await replayAfterRun(stack, entries);
  const inventory = await inventoryOf(stack);
  const { acceptHiddenLoss = false, fitLimits = false, now } = allowed;
  const given = { acceptHiddenLoss, fitLimits, ...(now !== undefined && { now }) };
  return planRollback({ state, inventory, force, ...given, ...(runs && { runs }) });
}

/** The result of a rollback, and the journal after it. */
export interface RollbackRun {
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly Warning[];
  readonly stopped?: StackferryError;
  readonly exitCode: number;
  readonly entries: readonly JournalEntry[];
}

/** Options of a rollback. */
export interface RollbackRunOptions {
  readonly force?: boolean;
  readonly acceptHiddenLoss?: boolean;
  readonly fitLimits?: boolean;
  /** In milliseconds. */
  readonly now?: number;
  /** Called after the plan is made, to change the stack as another user would. */
  readonly between?: () => void;
  /** The numbers of the runs to undo. */
  readonly runs?: readonly number[];
  /** The journal of the rollback, which a test can read after a killed rollback. */
  readonly journal?: ReturnType<typeof memoryJournal>;
}

/** Carries out a rollback. */
export async function rollBackJournal(
  stack: MemoryStack,
  entries: readonly JournalEntry[],
  options: RollbackRunOptions = {},
): Promise<RollbackRun> {
  const { force = false, between = () => {}, runs, journal = memoryJournal(entries) } = options;
  const planned = await planUndo(stack, entries, force, runs, options);
  between();
  const pace = { clock: instantClock(), concurrency: 4, consistencyWaitMs: CONSISTENCY_WAIT_MS };
  const chosen = runs ?? replayJournal(entries).runs.map(({ number }) => number);
  const input = { ...planned, ...pace, client: stack.client, journal, fitLimits: options.fitLimits ?? false };
  const result = await applyRollback({ ...input, runs: chosen }, { events: ignoreEvents });
  const warnings = [...planned.warnings, ...result.warnings];
  const exitCode = isUndone(result.outcomes, warnings) ? 0 : 3;
  return { ...result, warnings, exitCode, entries: [...entries, ...journal.appended] };
}

/** Carries out a rollback, and returns the outcome of each record. */
export async function rollBack(
  stack: MemoryStack,
  entries: readonly JournalEntry[],
  force = false,
  runs?: readonly number[],
): Promise<readonly Outcome[]> {
  return (await rollBackJournal(stack, entries, { force, runs })).outcomes;
}

/** A stack, and the journal of the runs that wrote to it. */
export interface ImportedStack {
  readonly stack: MemoryStack;
  readonly entries: readonly JournalEntry[];
}

/** Imports an archive, expects that no record fails, and clears the stack's list of requests. */
export async function importOnce(
  archive: readonly StackRecord[],
  stack: MemoryStack = usualTarget(),
  options: RunOptions = {},
): Promise<ImportedStack> {
  const stage = importStage(stack);
  const { outcomes } = await stage.run(archive, options);
  expect(outcomes.filter(({ status }) => status === "failed")).toEqual([]);
  stack.requests.length = 0;
  return { stack, entries: stage.history };
}

/** Returns the journal entries of a mirror's deletion. */
export function deletionEntries(kind: string, body: JsonObject): JournalEntry[] {
  const [at, targetId] = ["2026-01-01T00:00:00.000Z", String(body["id"])];
  const write = { at, key: `${kind}/${targetId}` as const, write: "remove", targetId } as const;
  return [
    { type: "intent", name: String(body["name"]), previous: body, ...write },
    { type: "done", content: "digest", ...write },
  ];
}

/** Kills a rollback at a write, as `runKilled` does, and returns the journal that it leaves. */
export async function killRollback(
  { stack, entries }: ImportedStack,
  moment: "before" | "after",
  at: number,
  options: RollbackRunOptions = {},
): Promise<readonly JournalEntry[]> {
  const journal = memoryJournal(entries);
  const run = (): Promise<RollbackRun> => rollBackJournal(stack, entries, { ...options, journal });
  await runKilled(stack, moment, /^(?:create|update|delete) /, run, at);
  return [...entries, ...journal.appended];
}

/** Reads a target's lists as the next run does, waiting for lagging lists. Returns the waiting time, too. */
export async function readAfter(
  stack: MemoryStack,
  entries: readonly JournalEntry[],
  clock: Clock,
  more: {
    readonly consistencyWaitMs?: number;
    readonly early?: Promise<Inventory>;
    readonly signal?: AbortSignal;
  } = {},
): Promise<{ readonly inventory: Inventory; readonly waitedMs: number; readonly waits: readonly RunEvent[] }> {
  const { consistencyWaitMs = 10_000, early, signal } = more;
  const waits: RunEvent[] = [];
  const events = (event: RunEvent): void => {
    if (event.type === "wait") waits.push(event);
  };
  const since = clock.now();
  const earlierWrites = [replayJournal(entries)];
  const input = { client: stack.client, earlierWrites, clock, consistencyWaitMs, ...(early && { early }) };
  const inventory = await readTarget(input, { events, ...(signal && { signal }) });
  return { inventory, waitedMs: clock.now() - since, waits };
}

export function inventoryOf(stack: MemoryStack): Promise<Inventory> {
  return readInventory(stack.client, kinds, { events: ignoreEvents });
}
