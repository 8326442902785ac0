import { exitCodeOf, exitCodeOfOutcomes } from "../../src/cli/program/exit-codes.ts";
import type { RunEvent } from "../../src/core/events.ts";
import type { JournalEntry } from "../../src/core/plan/journal.ts";
import type { StateRecords } from "../../src/core/plan/state.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import type { Plan } from "../../src/core/plan/plan.ts";
import type { Clock } from "../../src/core/ports.ts";
import type { RecordKey, StackIdentity, StackRecord } from "../../src/core/records/record.ts";
import { recordKey } from "../../src/core/records/record.ts";
import type { ImportResult } from "../../src/import/apply/apply-plan.ts";
import { applyPlan } from "../../src/import/apply/apply-plan.ts";
import { STACK_IDENTITIES, stateAfterRun } from "../../src/import/apply/update-state.ts";
import type { SuppliedSecrets } from "../../src/import/plan/decide/blockers.ts";
import { NO_SECRETS } from "../../src/import/plan/decide/blockers.ts";
import { planRecords } from "../../src/import/plan/plan-import.ts";
import type { FilledRecords } from "../../src/import/read/fill-records.ts";
import { readTarget } from "../../src/import/read/read-target.ts";
import { recoverPendingWrites } from "../../src/import/read/recover-pending-writes.ts";
import type { MirrorBasis } from "../../src/import/remove/mirror-basis.ts";
import { refuseTooMany } from "../../src/import/remove/max-delete.ts";
import type { TransformNotes } from "../../src/import/transform/transform-records.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { memoryJournal } from "../../src/journal/memory-journal.ts";
import { replayJournal } from "../../src/journal/replay.ts";
import type { ImportOptions } from "../../src/matching/import-options.ts";
import type { Values } from "./drafted-secrets.ts";
import { filledIn } from "./drafted-secrets.ts";
import { plainImport } from "./import-into.ts";
import { instantClock } from "./instant-clock.ts";
import type { MemoryStack } from "./memory-stack.ts";

export type { JsonObject } from "../../src/core/json.ts";
export type { JournalEntry } from "../../src/core/plan/journal.ts";
export type { Outcome } from "../../src/core/outcome.ts";
export type { Plan } from "../../src/core/plan/plan.ts";
export type { StackRecord } from "../../src/core/records/record.ts";

/** How one run differs from a plain one. */
export interface RunOptions extends Partial<ImportOptions> {
  readonly onError?: "continue" | "abort";
  readonly concurrency?: number;
  readonly verify?: boolean;
  /** The stack that the archive was made from: the target itself, unless given. */
  readonly source?: StackIdentity;
  readonly signal?: AbortSignal;
  /** How long a stopped run looks for what its updates took away. */
  readonly graceMs?: number;
  readonly suppliedSecrets?: SuppliedSecrets;
  /** Kinds of which the archive has all that its stack had. */
  readonly whole?: ReadonlySet<string>;
  /** Delete what the archive, which has all of its source, no longer has. */
  readonly mirror?: Partial<MirrorBasis>;
  readonly transformed?: TransformNotes;
}

/** What a run came to. */
export interface StageRun extends ImportResult {
  readonly plan: Plan;
  readonly exitCode: number;
  readonly events: readonly RunEvent[];
}

/** One import that is run again and again, as the command does it: its journal outlives each run, whatever ends it. */
export interface ImportStage {
  /** The journal's lines so far. */
  readonly history: JournalEntry[];
  /** What became of which record, as the last run has left it. */
  memory: StateRecords;
  readonly clock: Clock;
  run(archive: readonly StackRecord[], options?: RunOptions): Promise<StageRun>;
}

/** How long the lists of the stage's target may lag, in milliseconds. */
export const CONSISTENCY_WAIT_MS = 1000;

/**
 * Sets the stage for imports onto one stack. @param clock time passes on it by sleeping alone, unless another is given
 * @param remember keep a memory from run to run, as where there is a configuration file
 */
export function importStage(stack: MemoryStack, clock: Clock = instantClock(), remember = false): ImportStage {
  const history: JournalEntry[] = [];
  const { client } = stack;
  const stage: ImportStage = {
    history,
    memory: new Map(),
    clock,
    async run(
      archive,
      {
        onError = "continue",
        concurrency = 4,
        verify = true,
        signal,
        graceMs,
        source,
        suppliedSecrets = NO_SECRETS,
        mirror,
        transformed,
        whole,
        ...options
      } = {},
    ) {
      const events: RunEvent[] = [];
      const context = { events: (event: RunEvent) => void events.push(event), ...(signal && { signal }) };
      const asked = { ...plainImport, ...options };
      const left = replayJournal(history);
      const inventory = await readTarget(
        { client, state: left, clock, consistencyWaitMs: CONSISTENCY_WAIT_MS },
        context,
      );
      const recovered = recoverPendingWrites(left, inventory, new Date(clock.now()).toISOString());
      const state = replayJournal([...history, ...recovered]);
      const lost = new Set(state.open.flatMap(({ key, write }) => (write === "create" ? [key] : [])));
      const noted = { journaled: state.records, recordStates: stage.memory };
      const known = { source: source ?? inventory.stack, ...noted, lost, suppliedSecrets };
      const mirrored = mirror && {
        scope: "ours" as const,
        maxDelete: { count: 1000 },
        stateRecords: stage.memory,
        identityOf: (key: RecordKey) => key,
        whole: new Set(kinds.map(({ name }) => name)),
        ...mirror,
      };
      const more = {
        ...(whole && { whole }),
        ...(mirrored && { mirror: mirrored }),
        ...(transformed && { transformed }),
      };
      const plan = await planRecords({ records: archive, inventory, options: asked, ...known, ...more });
      refuseTooMany(plan);
      history.push(...recovered);
      const journal = {
        ...memoryJournal([...history]),
        append: async (entry: JournalEntry) => void history.push(entry),
      };
      const byKey = new Map<string, StackRecord>(archive.map((record) => [recordKey(record.kind, record.id), record]));
      const read = async (key: string): Promise<StackRecord> => {
        const record = byKey.get(key);
        if (!record) throw new Error(`no record ${key}`);
        return record;
      };
      const grace = graceMs === undefined ? {} : { graceMs };
      const pace = { onError, concurrency, clock, consistencyWaitMs: CONSISTENCY_WAIT_MS, verify, ...grace };
      const result = await applyPlan(
        { plan, client, naming: asked.naming, fitLimits: asked.fitLimits ?? false, journal, read, ...pace },
        context,
      );
      const { outcomes, stopped } = result;
      const { naming, fitLimits = false, now } = asked;
      const translation = { ids: result.ids, known: plan.known, naming, fitLimits, ...(now !== undefined && { now }) };
      const journaled = new Set(state.records.keys());
      const seen = { records: archive, inventory, journaled, formerNames: transformed?.formerNames ?? new Map() };
      const ended = { plan, outcomes, stored: result.stored, translation, ...seen };
      if (remember) stage.memory = stateAfterRun(stage.memory, ended, STACK_IDENTITIES);
      return { ...result, plan, events, exitCode: stopped ? exitCodeOf(stopped) : exitCodeOfOutcomes(outcomes) };
    },
  };
  return stage;
}

/** The same for archives that follow each other: each import has a journal of its own, and all have one memory. */
export function rememberingStage(stack: MemoryStack): ImportStage {
  const stage = importStage(stack, instantClock(), true);
  const run: ImportStage["run"] = (archive, options) => {
    if (archive !== last) stage.history.length = 0;
    last = archive;
    return stage.run(archive, options);
  };
  let last: readonly StackRecord[] | undefined;
  return {
    history: stage.history,
    clock: stage.clock,
    run,
    get memory() {
      return stage.memory;
    },
    set memory(memory) {
      stage.memory = memory;
    },
  };
}

/** The archive with placeholders filled in: by record (`dashboards/ID`) and JSON pointer, the value of a place. */
export function filled(
  archive: readonly StackRecord[],
  values: Values,
): FilledRecords & { readonly suppliedSecrets: SuppliedSecrets } {
  const made = filledIn(archive, values);
  return { ...made, suppliedSecrets: { filled: made.filled, isListed: () => true } };
}

/** What a stack has of one kind, in its order. */
export function stored(stack: MemoryStack, kind: string): Readonly<Record<string, unknown>>[] {
  return [...(stack.records.get(kind)?.values() ?? [])];
}

/** The writes that a stack has seen, without their bodies. */
export function writesOn(stack: MemoryStack): string[] {
  return stack.requests.map(({ operation }) => operation).filter((name) => /^(?:create|update|delete)/.test(name));
}

/** The bodies that one operation was asked with. */
export function sentTo(stack: MemoryStack, operation: string): Readonly<Record<string, unknown>>[] {
  return stack.requests.flatMap((request) => (request.operation === operation ? [request.body ?? {}] : []));
}

/** The outcome of the record of one name, or of one id of the archive. */
export function outcomeOf({ outcomes }: ImportResult, nameOrId: string): Outcome | undefined {
  return outcomes.find(({ name, sourceId }) => name === nameOrId || sourceId === nameOrId);
}

/** The ids of the tiles of a body, in their order. */
export function tileIds(body: Readonly<Record<string, unknown>> | undefined): unknown[] {
  const tiles = body?.["tiles"];
  return Array.isArray(tiles) ? tiles.map((tile: { id?: unknown }) => tile.id) : [];
}
