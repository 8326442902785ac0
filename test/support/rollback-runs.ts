import { expect } from "vitest";
import type { StackferryError } from "../../src/core/errors.ts";
import { ignoreEvents, type RunEvent } from "../../src/core/events.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Outcome, Warning } from "../../src/core/outcome.ts";
import type { Clock } from "../../src/core/ports.ts";
import { readTarget } from "../../src/import/read/read-target.ts";
import { settleForRollback, type SettledHistory } from "../../src/import/read/settle-open-writes.ts";
import { memoryJournal, type Image, type JournalEntry } from "../../src/core/plan/journal.ts";
import { foldJournal } from "../../src/journal/fold.ts";
import { kinds, knownKind } from "../../src/kinds/registry.ts";
import { readInventory, type Inventory } from "../../src/matching/inventory.ts";
import { recordFingerprint } from "../../src/references/record-content.ts";
import {
  applyRollback,
  planRollback,
  type ApplyRollbackInput,
  type PlannedRollback,
} from "../../src/rollback/rollback.ts";
import { isUndone } from "../../src/rollback/outcomes.ts";
import { lastRunToUndo, runsOf } from "../../src/library/rollback.ts";
import { CONSISTENCY_WAIT_MS, importStage, outcomeLines, type RunOptions, type StackRecord } from "./import-stage.ts";
import { instantClock } from "./instant-clock.ts";
import { runKilled, type MemoryStack } from "./memory-stack.ts";
import { usualTarget } from "./import-samples.ts";

export type { JournalEntry };
export { foldJournal, runsOf };
export const journalOf = memoryJournal;

/** Returns the digest by which a journal recognises a written record. */
export const contentOf = (kind: string, body: JsonObject): string => recordFingerprint(knownKind(kind), body);

/** Returns what the next run knows: the open writes are looked up on the stack. */
export async function historyAfterRun(stack: MemoryStack, entries: readonly JournalEntry[]): Promise<SettledHistory> {
  return settleForRollback(entries, foldJournal(entries), await inventoryOf(stack), Date.UTC(2026, 0, 1, 0, 0, 9));
}

/** Returns the outcomes of a rollback's dry run, without their status. */
export async function planRollbackOf(
  stack: MemoryStack,
  entries: readonly JournalEntry[],
  force = false,
  run?: number,
): Promise<readonly Omit<Outcome, "status">[]> {
  const { outcomes } = await planUndo(stack, entries, { force, run });
  return outcomes.map(({ status: _planned, ...outcome }) => outcome);
}

/** Returns a line for each outcome of a rollback's dry run. */
export async function planLines(...plan: Parameters<typeof planRollbackOf>): Promise<string[]> {
  return outcomeLines(await planRollbackOf(...plan));
}

async function planUndo(
  stack: MemoryStack,
  entries: readonly JournalEntry[],
  { force = false, run, acceptHiddenLoss = false, fitLimits = false, now }: RollbackRunOptions,
): Promise<PlannedRollback & Pick<ApplyRollbackInput, "history" | "inventory" | "undoes">> {
  const history = await historyAfterRun(stack, entries);
  const inventory = await inventoryOf(stack);
  const undoes = run ?? lastRunToUndo(runsOf(foldJournal(entries))) ?? 1;
  const given = { force, acceptHiddenLoss, fitLimits, ...(now !== undefined && { now }) };
  return { ...(await planRollback({ history, inventory, run: undoes, ...given })), history, inventory, undoes };
}

/** The result of a rollback, and the journal after it. */
export interface RollbackRun {
  readonly outcomes: readonly Outcome[];
  /** A line for each outcome (`outcomeLines`). */
  readonly lines: readonly string[];
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
  /** The number of the run to undo; by default the last import. */
  readonly run?: number | undefined;
  /** Gets the entries of the rollback, which a test can read after a killed rollback. */
  readonly after?: JournalEntry[];
}

/** Carries out a rollback. */
export async function rollBackJournal(
  stack: MemoryStack,
  entries: readonly JournalEntry[],
  options: RollbackRunOptions = {},
): Promise<RollbackRun> {
  const { between = () => {}, after = [...entries], fitLimits = false } = options;
  const journal = memoryJournal(after);
  const planned = await planUndo(stack, entries, options);
  between();
  const pace = { clock: instantClock(), concurrency: 4, consistencyWaitMs: CONSISTENCY_WAIT_MS };
  const input = { ...planned, ...pace, client: stack.client, journal, fitLimits, highestRun: 0 };
  const result = await applyRollback(input, { events: ignoreEvents });
  const warnings = [...planned.warnings, ...result.warnings];
  const exitCode = isUndone(result.outcomes, warnings) ? 0 : 3;
  return { ...result, lines: outcomeLines(result.outcomes), warnings, exitCode, entries: after };
}

/** Carries out a rollback, and returns the outcome of each record. */
export async function rollBack(
  stack: MemoryStack,
  entries: readonly JournalEntry[],
  force = false,
  run?: number,
): Promise<readonly Outcome[]> {
  return (await rollBackJournal(stack, entries, { force, run })).outcomes;
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

/** Returns the image of a record that a write replaces or deletes. */
export function imageOf(kind: string, body: JsonObject): Image {
  const key = `${kind}/${String(body["id"])}` as const;
  return { key, name: String(body["name"]), body, digest: contentOf(kind, body) };
}

/** Returns the time of a journal's last line. */
export function timeOf(entries: readonly JournalEntry[]): string {
  return entries.flatMap((entry) => ("at" in entry ? [entry.at] : [])).at(-1) ?? "";
}

/** Returns the journal entries of a mirror's deletion. */
export function deletionEntries(kind: string, body: JsonObject): JournalEntry[] {
  const [at, targetId] = ["2026-01-01T00:00:00.000Z", String(body["id"])];
  const image = imageOf(kind, body);
  const { key, name } = image;
  return [
    { type: "begin", at, run: 1 },
    { type: "intent", at, key, name, write: "delete", targetId, image },
    { type: "done", at, key, write: "delete", targetId, content: "" },
    { type: "end", at },
  ];
}

/** Kills a rollback at a write, as `runKilled` does, and returns the journal that it leaves. */
export async function killRollback(
  { stack, entries }: ImportedStack,
  moment: "before" | "after",
  at: number,
  options: RollbackRunOptions = {},
): Promise<readonly JournalEntry[]> {
  const after = [...entries];
  const run = (): Promise<RollbackRun> => rollBackJournal(stack, entries, { ...options, after });
  await runKilled(stack, moment, /^(?:create|update|delete) /, run, at);
  return after;
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
  const input = {
    client: stack.client,
    last: foldJournal(entries),
    clock,
    consistencyWaitMs,
    ...(early && { early }),
  };
  const inventory = await readTarget(input, { events, ...(signal && { signal }) });
  return { inventory, waitedMs: clock.now() - since, waits };
}

export function inventoryOf(stack: MemoryStack): Promise<Inventory> {
  return readInventory(stack.client, kinds, { events: ignoreEvents });
}
