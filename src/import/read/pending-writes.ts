import { groupBy } from "../../core/collections.ts";
import type { JournalEntry } from "../../core/journal.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import type { JournalState, PendingWrite } from "../../journal/state.ts";
import { findKind } from "../../kinds/registry.ts";
import type { Inventory } from "../../matching/inventory.ts";
import { foldIds } from "../../references/known-ids.ts";
import { recordFingerprint } from "../../references/record-content.ts";

type DoneEntry = Extract<JournalEntry, { type: "done" }>;

/**
 * What the journal lacks because a process died between a write and its answer: an entry for each open write whose result
 * the target shows. Without it, a rollback would not know of the record, or take it for somebody else's.
 * @param at ISO 8601, UTC
 */
export function recoverPendingWrites(state: JournalState, inventory: Inventory, at: string): DoneEntry[] {
  const named = state.open.flatMap((open) => {
    const kind = findKind(open.key.split("/")[0] ?? "");
    return kind && open.content !== undefined ? [{ open, kind, content: open.content }] : [];
  });
  const creates = groupBy(
    named.filter(({ open }) => open.write === "create"),
    ({ kind, content }) => `${kind.name} ${content}`,
  );
  return [
    ...[...creates.values()].flatMap((group) => recoverCreates(group, state, inventory, at)),
    ...named.flatMap(({ open, kind, content }) => {
      const { targetId, write } = open;
      if (write === "create" || targetId === undefined) return [];
      const [stored] = withContent(kind, content, inventory).filter((id) => foldIds(id) === foldIds(targetId));
      return stored === undefined ? [] : [done(open, stored, content, at)];
    }),
  ];
}

interface NamedPending {
  readonly open: PendingWrite;
  readonly kind: ResourceKind;
  readonly content: string;
}

/** Several creates of the same content are counted; where there are more such records, some are not ours: none is taken. */
function recoverCreates(
  group: readonly NamedPending[],
  state: JournalState,
  inventory: Inventory,
  at: string,
): DoneEntry[] {
  const [first] = group;
  if (!first) return [];
  const known = new Set([...state.records.values()].map(({ targetId }) => foldIds(targetId)));
  const made = withContent(first.kind, first.content, inventory).filter((id) => !known.has(foldIds(id)));
  if (made.length > group.length) return [];
  return made.flatMap((id, index) => {
    const open = group[index]?.open;
    return open ? [done(open, id, first.content, at)] : [];
  });
}

function withContent(kind: ResourceKind, content: string, inventory: Inventory): string[] {
  const records = inventory.kinds.get(kind.name)?.records ?? [];
  return records.filter(({ body }) => recordFingerprint(kind, body) === content).map(({ id }) => id);
}

function done({ key, write }: PendingWrite, targetId: string, content: string, at: string): DoneEntry {
  return { type: "done", at, key, write, targetId, content };
}
