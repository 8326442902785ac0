import { splitKey } from "../../core/records/record.ts";
import { groupBy } from "../../core/collections.ts";
import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { JournalEntry } from "../../core/plan/journal.ts";
import type { Clock, StackClient } from "../../core/ports.ts";
import type { RecordKey } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import type { JournalReplay, PendingWrite } from "../../journal/replay.ts";
import { isCreate, replayJournal } from "../../journal/replay.ts";
import { findKind, kinds } from "../../kinds/registry.ts";
import type { Inventory } from "../../matching/inventory.ts";
import { readTargetInventory, recordsOf } from "../../matching/inventory.ts";
import { foldIds, foldedKey } from "../../references/known-ids.ts";
import { recordFingerprint } from "../../references/record-content.ts";

export interface ReadTargetInput {
  readonly client: StackClient;
  /** Earlier runs into the target, one replay for each of their journals. */
  readonly earlierWrites: readonly JournalReplay[];
  readonly clock: Clock;
  /** Longest time, in milliseconds, until the target's lists show a write. */
  readonly consistencyWaitMs: number;
  /** Lists that were read in advance; used only if no earlier run has written anything. */
  readonly early?: Promise<Inventory>;
}

/** Waits for the lists to show the writes of earlier runs, then reads them: else a plan would create records twice. */
export async function readTarget(input: ReadTargetInput, context: RunContext): Promise<Inventory> {
  const { client, earlierWrites, clock, consistencyWaitMs, early } = input;
  const isFirst = earlierWrites.every(({ records, pendingWrites }) => records.size === 0 && pendingWrites.length === 0);
  if (early !== undefined && isFirst) return early;
  const listedFrom = earlierWrites.map((state) => timeOfEarlierWrites(state, clock.now(), consistencyWaitMs));
  await pauseUntil(Math.max(...listedFrom), clock, context);
  const inventory = await readTargetInventory(client, kinds, context);
  const behind = earlierWrites.filter((state) => isBehind(state, inventory));
  const until = Math.max(...behind.map(({ lastAt }) => lastAt + consistencyWaitMs));
  if (until <= clock.now()) return inventory;
  // A run with `--no-verify` ends before its records appear in the lists, and a rollback never waits for the lists.
  await pauseUntil(Math.min(until, clock.now() + consistencyWaitMs), clock, context);
  return readTargetInventory(client, kinds, context);
}

/** Tells whether the lists lack written or restored records, or still show deleted ones. */
function isBehind({ records, broughtBack, cascadeLosses }: JournalReplay, inventory: Inventory): boolean {
  const listedIds = new Set(recordsOf(inventory).map(({ kind, id }) => foldedKey(kind, id)));
  const isThere = (key: RecordKey, id: string): boolean => listedIds.has(foldedKey(splitKey(key)[0], id));
  return (
    [...records].some(([key, { targetId }]) => !isThere(key, targetId)) ||
    broughtBack.some(({ key, targetId }) => !isThere(key, targetId)) ||
    cascadeLosses.some(({ key, proven }) => proven && isThere(key, splitKey(key)[1]))
  );
}

/** Longest time, in milliseconds, that one request can take: its longest wait for a turn (in the pacer) plus all its retries. */
const MAX_ON_THE_WAY_MS = 60 * 60_000;

/** Returns the time from which the lists show the writes of a run: after a killed run, the next one may start before that. */
function timeOfEarlierWrites(state: JournalReplay, now: number, consistencyWaitMs: number): number {
  const isRecent = now - state.lastAt < MAX_ON_THE_WAY_MS;
  // A create is journalled before it waits for its turn, so the journal line does not tell when the create was sent.
  if (isRecent && state.pendingWrites.some(isCreate)) return now + consistencyWaitMs;
  if (state.listsShowWrites) return now;
  // Even if the clock was set back, the wait is no longer than `consistencyWaitMs`.
  return Math.min(state.lastAt, now) + consistencyWaitMs;
}

/** Waits until the given time, and reports why. Throws `interrupted`. */
async function pauseUntil(untilMs: number, clock: Clock, { events, signal }: RunContext): Promise<void> {
  if (untilMs <= clock.now()) return;
  events({ type: "wait", reason: "the records of the last run may not be listed yet", untilMs });
  try {
    await clock.sleep(untilMs - clock.now(), signal);
  } catch (cause) {
    throw new StackferryError("interrupted", "the run was interrupted", { cause });
  }
}

type DoneEntry = Extract<JournalEntry, { type: "done" }>;

/** A journal of earlier runs, with the entries that a process which died could not write. */
export interface EarlierRuns {
  readonly entries: readonly JournalEntry[];
  /** Writes of an earlier run that are on the target but not yet in the journal. */
  readonly recovered: readonly JournalEntry[];
  readonly state: JournalReplay;
}

/** Adds to a journal the missing entries of writes whose result is on the target. @param replay the replay of `entries` */
export function recoverEarlierRuns(
  entries: readonly JournalEntry[],
  replay: JournalReplay,
  inventory: Inventory,
  now: number,
): EarlierRuns {
  const recovered = recoverPendingWrites(replay, inventory, new Date(now).toISOString());
  return { entries, recovered, state: recovered.length === 0 ? replay : replayJournal([...entries, ...recovered]) };
}

/**
 * Makes the journal entries that are missing because a process died between a write and its response: one for each such write whose
 * result is on the target. Without these entries, a rollback would miss the written record or take it for somebody else's.
 * @param at ISO 8601, UTC
 */
export function recoverPendingWrites(state: JournalReplay, inventory: Inventory, at: string): DoneEntry[] {
  const pendingOfKinds = state.pendingWrites.flatMap((pending) => {
    const kind = findKind(splitKey(pending.key)[0]);
    return kind && pending.content !== undefined ? [{ pending, kind, content: pending.content }] : [];
  });
  const creates = groupBy(
    pendingOfKinds.filter(({ pending }) => isCreate(pending)),
    ({ kind, content }) => `${kind.name} ${content}`,
  );
  return [
    ...[...creates.values()].flatMap((group) => recoverCreates(group, state, inventory, at)),
    ...pendingOfKinds.flatMap(({ pending, kind, content }) => {
      const { targetId, write } = pending;
      if (targetId === undefined) return [];
      if (write === "remove")
        return isGone(kind, targetId, inventory) ? [doneEntry(pending, targetId, content, at)] : [];
      const [stored] = withContent(kind, content, inventory).filter((id) => foldIds(id) === foldIds(targetId));
      return stored === undefined ? [] : [doneEntry(pending, stored, content, at)];
    }),
  ];
}

interface NamedPending {
  readonly pending: PendingWrite;
  readonly kind: ResourceKind;
  readonly content: string;
}

/** Makes the entries of creates with one content; none if more records have it than there were creates, so some are not ours. */
function recoverCreates(
  group: readonly NamedPending[],
  state: JournalReplay,
  inventory: Inventory,
  at: string,
): DoneEntry[] {
  const [first] = group;
  if (!first) return [];
  const knownIds = new Set([...state.records.values(), ...state.broughtBack].map(({ targetId }) => foldIds(targetId)));
  const made = withContent(first.kind, first.content, inventory).filter((id) => !knownIds.has(foldIds(id)));
  if (made.length > group.length) return [];
  return made.flatMap((id, index) => {
    const pending = group[index]?.pending;
    return pending ? [doneEntry(pending, id, first.content, at)] : [];
  });
}

function isGone(kind: ResourceKind, targetId: string, { kinds }: Inventory): boolean {
  const listed = kinds.get(kind.name);
  return listed?.status === "complete" && !listed.records.some(({ id }) => foldIds(id) === foldIds(targetId));
}

function withContent(kind: ResourceKind, content: string, inventory: Inventory): string[] {
  const records = inventory.kinds.get(kind.name)?.records ?? [];
  return records.filter(({ body }) => recordFingerprint(kind, body) === content).map(({ id }) => id);
}

function doneEntry({ key, write }: PendingWrite, targetId: string, content: string, at: string): DoneEntry {
  return { type: "done", at, key, write, targetId, content };
}
