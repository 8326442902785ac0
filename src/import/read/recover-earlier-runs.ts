import { groupBy } from "../../core/collections.ts";
import type { EntryOf, JournalEntry } from "../../core/plan/journal.ts";
import { splitKey } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { isPendingCreate, replayJournal, type JournalReplay, type PendingWrite } from "../../journal/replay.ts";
import { findKind } from "../../kinds/registry.ts";
import { recordsWithContent, type Inventory } from "../../matching/inventory.ts";
import { foldIds } from "../../references/known-ids.ts";

type DoneEntry = EntryOf<"done">;

/** A journal of earlier runs, with the entries that are missing because a process died. */
export interface EarlierRuns {
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
  return { recovered, state: recovered.length === 0 ? replay : replayJournal([...entries, ...recovered]) };
}

/**
 * Makes the journal entries that are missing because a process died between a write and its response: one for each such write whose
 * result is on the target. Without these entries, a rollback would miss the written record, or would take the record for somebody
 * else's.
 * @param at ISO 8601, UTC
 */
export function recoverPendingWrites(state: JournalReplay, inventory: Inventory, at: string): DoneEntry[] {
  const pendingOfKinds = state.pendingWrites.flatMap((pending) => {
    const kind = findKind(splitKey(pending.key)[0]);
    return kind && pending.content !== undefined ? [{ pending, kind, content: pending.content }] : [];
  });
  const creates = groupBy(
    pendingOfKinds.filter(({ pending }) => isPendingCreate(pending)),
    ({ kind, content }) => `${kind.name} ${content}`,
  );
  return [
    ...[...creates.values()].flatMap((group) => recoverCreates(group, state, inventory, at)),
    ...pendingOfKinds.flatMap(({ pending, kind, content }) => {
      const { targetId, write } = pending;
      if (targetId === undefined) return [];
      if (write === "remove")
        return isGone(kind, targetId, inventory) ? [doneEntry(pending, targetId, content, at)] : [];
      const stored = recordsWithContent(inventory, kind, content).find(({ id }) => foldIds(id) === foldIds(targetId));
      return stored === undefined ? [] : [doneEntry(pending, stored.id, content, at)];
    }),
  ];
}

interface NamedPending {
  readonly pending: PendingWrite;
  readonly kind: ResourceKind;
  readonly content: string;
}

/**
 * Makes the entries of creates with one content. Makes none if there are more records with this content than creates, because some
 * of the records are not ours.
 */
function recoverCreates(
  group: readonly NamedPending[],
  state: JournalReplay,
  inventory: Inventory,
  at: string,
): DoneEntry[] {
  const [first] = group;
  if (!first) return [];
  const written = [...state.records.values(), ...state.broughtBack].map(({ targetId }) => targetId);
  const knownIds = new Set([...written, ...group.flatMap(({ pending }) => pending.others ?? [])].map(foldIds));
  const alike = recordsWithContent(inventory, first.kind, first.content);
  const candidates = alike.filter(({ id }) => !knownIds.has(foldIds(id)));
  if (candidates.length > group.length) return [];
  return candidates.flatMap(({ id }, index) => {
    const pending = group[index]?.pending;
    return pending ? [doneEntry(pending, id, first.content, at)] : [];
  });
}

function isGone(kind: ResourceKind, targetId: string, { kinds }: Inventory): boolean {
  const listed = kinds.get(kind.name);
  return listed?.status === "complete" && !listed.records.some(({ id }) => foldIds(id) === foldIds(targetId));
}

function doneEntry({ key, write }: PendingWrite, targetId: string, content: string, at: string): DoneEntry {
  return { type: "done", at, key, write, targetId, content };
}
