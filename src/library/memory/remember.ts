import { StackferryError } from "../../core/errors.ts";
import type { EventSink, RunContext } from "../../core/events.ts";
import type { Memory, RememberedRecord } from "../../core/plan/memory.ts";
import type { Plan } from "../../core/plan/plan.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { RunKnowledge, SourceIdentities } from "../../import/apply/remember.ts";
import { rememberJournal, rememberRun } from "../../import/apply/remember.ts";
import { itemKey } from "../../import/plan/plan-import.ts";
import { recoverPendingWrites } from "../../import/read/recover-pending-writes.ts";
import { readFileJournal } from "../../journal/file-journal.ts";
import type { BegunRun } from "../../journal/memory/format.ts";
import type { ReadState, StateLocation } from "../../journal/memory/state-file.ts";
import { openState, readState } from "../../journal/memory/state-file.ts";
import { readJournalState } from "../../journal/state.ts";
import type { Inventory } from "../../matching/inventory.ts";

/** Where a memory is kept, and what its records are known by. */
export interface MemoryLocation extends StateLocation {
  readonly identities: SourceIdentities;
  /** Somebody asked for this file: a run that cannot write it must not begin. Otherwise it goes on without. */
  readonly named: boolean;
}

/** What is remembered, for one run. */
export interface RunMemory {
  readonly location: MemoryLocation;
  readonly state: ReadState;
  /** What is known, also of what a run that was cut short has written. */
  readonly records: Memory;
  /** Why it holds nothing although it was there; undefined for one that is used, or new. */
  readonly unusable?: string;
  /** By record of this archive. */
  readonly remembered: ReadonlyMap<RecordKey, RememberedRecord>;
}

/** Reads what earlier imports have noted of these records. What cannot be used is a warning. */
export async function recallMemory(
  location: MemoryLocation,
  records: readonly StackRecord[],
  inventory: Inventory,
  { events }: RunContext,
): Promise<RunMemory> {
  const state = await readState(location);
  if (state.warning !== undefined) events({ type: "warning", warning: state.warning });
  const whole =
    state.begun === undefined ? state.records : await withBegun(state, state.begun, location, inventory, events);
  const remembered = records.flatMap(({ kind, id }) => {
    const key = recordKey(kind, id);
    const known = whole.get(location.identities.of(key));
    return known === undefined ? [] : [[key, known] as const];
  });
  const unusable = state.warning && { unusable: `the state ${location.path} cannot be used` };
  return { location, state, records: whole, remembered: new Map(remembered), ...unusable };
}

/** The memory with what a run that was cut short has written: its journal says so. */
async function withBegun(
  { records }: ReadState,
  { journal, identities }: BegunRun,
  { access }: MemoryLocation,
  inventory: Inventory,
  events: EventSink,
): Promise<Memory> {
  try {
    const entries = (await readFileJournal(journal, access)) ?? [];
    const recovered = recoverPendingWrites(readJournalState(entries), inventory, new Date().toISOString());
    return rememberJournal(records, readJournalState([...entries, ...recovered]), identities);
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    const message = `this run cannot remember what the last one wrote: ${error.message}`;
    events({ type: "warning", warning: { code: "state-unreadable", message } });
    return records;
  }
}

/** A memory that this run alone may write. */
interface OpenMemory extends AsyncDisposable {
  /** Notes that a run begins to write, so that nothing is forgotten if it is cut short. */
  begin(plan: Plan, journal: string | undefined): Promise<void>;
  /** Notes what a run has done, and answers where; undefined where nothing is remembered. */
  keep(run: RunKnowledge): Promise<string | undefined>;
}

const NO_MEMORY: OpenMemory = {
  begin: () => Promise.resolve(),
  keep: () => Promise.resolve(undefined),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

/** Takes the memory for a run that writes. What is somebody else's is left as it is. @throws StackferryError `locked` */
export async function openMemory(memory: RunMemory | undefined, { events }: RunContext): Promise<OpenMemory> {
  if (memory === undefined || memory.state.standing === "kept") return NO_MEMORY;
  const { location, state, records: before } = memory;
  const unwritten = (error: unknown): void => {
    if (!(error instanceof StackferryError) || error.code === "locked") throw error;
    // The records are more than the memory of them: the next import goes by names again.
    const message = `the state cannot be saved, so the next run has to match by name: ${error.message}`;
    events({ type: "warning", warning: { code: "state-unwritten", message } });
  };
  const unbegun = (error: unknown): undefined => {
    if (location.named) throw error;
    unwritten(error);
  };
  const file = await openState(location, state).catch(unbegun);
  if (file === undefined) return NO_MEMORY;
  return {
    begin: async ({ items }, journal) => {
      if (journal === undefined) return;
      const created = items.filter(({ action }) => action === "create").map(itemKey);
      const known = created.map((key) => [key, location.identities.of(key)] as const);
      const identities = Object.fromEntries(known.filter(([key, identity]) => key !== identity));
      await file.write({ records: before, begun: { journal, identities } }).catch(unbegun);
    },
    keep: async (run) => {
      try {
        await file.write({ records: rememberRun(before, run, location.identities) });
        return location.path;
      } catch (error) {
        unwritten(error);
        return undefined;
      }
    },
    [Symbol.asyncDispose]: () => Promise.resolve(file[Symbol.asyncDispose]()),
  };
}
