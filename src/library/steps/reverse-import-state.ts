import { groupBy } from "../../core/collections.ts";
import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { RecordState, RecordCounterparts, StateRecords } from "../../core/plan/state.ts";
import {
  keyOfRecord,
  splitKey,
  keyOfWholeRecord,
  type RecordKey,
  type StackRecord,
} from "../../core/records/record.ts";
import { replayJournal } from "../../journal/replay.ts";
import type { LoadedState } from "../../journal/state-file.ts";
import { isAlwaysWritten } from "../../kinds/registry.ts";
import { foldedKey } from "../../references/known-ids.ts";
import { withInterruptedRun, type ImportState } from "./import-state.ts";

/**
 * Returns, by record of this archive, the counterpart on the target that the state of imports in the other direction names. This
 * state knows the counterpart even if one of the two records was renamed, but does not tell who wrote or changed them. An unusable
 * state causes a warning if a record may need the state.
 */
export async function loadReversePairs(
  { location, records: states }: Pick<ImportState, "location" | "records">,
  records: readonly StackRecord[],
  { events }: RunContext,
): Promise<ReadonlyMap<RecordKey, RecordCounterparts>> {
  const { reverseImport } = location;
  if (reverseImport === undefined) return new Map();
  const state = await reverseImport.read().catch(unusableState);
  const isInState = (record: StackRecord): boolean => states.has(location.identities.identify(keyOfRecord(record)));
  const isNeeded = records.some((record) => isAlwaysWritten(record.kind) && !isInState(record));
  if (state.warning !== undefined && state.warning.code !== "state-foreign" && isNeeded) {
    const message = `the state ${reverseImport.path}, of imports in the other direction, cannot be used: records that were renamed since are not recognised, unless a map file names them`;
    events({ type: "warning", warning: { ...state.warning, message } });
  }
  const pairs = swapSides(await withInterruptedRun(state, reverseImport, replayJournal, events));
  return new Map(
    records.flatMap((record) => {
      const pair = pairs.get(foldedKey(record.kind, record.id));
      return pair === undefined ? [] : [[keyOfRecord(record), pair]];
    }),
  );
}

/** Treats a file that is no state like an unreadable state. The file need not be refused, because this run does not write to it. */
function unusableState(error: unknown): LoadedState {
  if (!(error instanceof StackferryError)) throw error;
  const warning = { code: "state-unreadable", message: error.message };
  return { records: new Map(), warning, status: "kept" };
}

/** Swaps the sides of each pair. @returns the pairs by the folded key of the former target's record */
function swapSides(records: StateRecords): ReadonlyMap<string, RecordCounterparts> {
  // An alert that was split into several has no single counterpart.
  const byOriginal = groupBy([...records], ([key]) => keyOfWholeRecord(key));
  return new Map(
    [...byOriginal.values()].flatMap(([first, ...others]) => {
      if (first === undefined || others.length > 0) return [];
      const [key, { targetId, children }] = first;
      const [kind, sourceId] = splitKey(key);
      return [[foldedKey(kind, targetId), { targetId: sourceId, children: swapChildren(children) }] as const];
    }),
  );
}

function swapChildren(children: RecordState["children"] = {}): RecordCounterparts["children"] {
  return Object.fromEntries(
    Object.entries(children).map(([space, ids]) => [
      space,
      Object.fromEntries(Object.entries(ids).map(([from, to]) => [to, from])),
    ]),
  );
}
