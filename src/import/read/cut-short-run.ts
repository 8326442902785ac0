import { partition } from "../../core/collections.ts";
import type { EntryOf, JournalEntry } from "../../core/plan/journal.ts";
import { splitKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { foldJournal, writeKey } from "../../journal/fold.ts";
import { knownKind } from "../../kinds/registry.ts";
import { recordFinder, withRecords, type Inventory } from "../../matching/inventory.ts";
import { foldedKey } from "../../references/known-ids.ts";
import { recordFingerprint } from "../../references/record-content.ts";
import type { SettledHistory } from "./settle-open-writes.ts";

/** What an approved plan was made of: the journal and the target before the run that was cut short while it carried the plan out. */
export interface ApprovedBasis {
  /** The digest of the approved plan. */
  readonly plan: string;
  readonly history: Pick<SettledHistory, "bases" | "lastWrites" | "standing" | "unknownCreates">;
  readonly inventory: Inventory;
}

/**
 * Takes back in memory what the last run wrote, if it was cut short under an approved plan: the same plan follows from what is left,
 * unless the source, the target or the command have changed. A record that somebody has changed since the run wrote it is not taken
 * back. Returns undefined if there is no such run.
 */
export function basisOfApprovedPlan(
  entries: readonly JournalEntry[],
  { recovered, unknownCreates }: Pick<SettledHistory, "recovered" | "unknownCreates">,
  inventory: Inventory,
): ApprovedBasis | undefined {
  const from = beginOfApproved(entries);
  const begin = entries[from];
  if (begin?.type !== "begin" || begin.plan === undefined) return undefined;
  const later = [...entries.slice(from + 1), ...recovered];
  const intents = new Map(
    later.flatMap((entry) => (entry.type === "intent" ? [[writeKey(entry), entry] as const] : [])),
  );
  // A result without an intent belongs to a write of an earlier run, which this run has looked up.
  const isEarlier = (entry: JournalEntry): boolean =>
    (entry.type === "done" || entry.type === "refused") && !intents.has(writeKey(entry));
  const [earlier, ofRun] = partition(later, isEarlier);
  const writes = writesIn(ofRun);
  const { bases, lastWrites, standing } = foldJournal([...entries.slice(0, from), ...earlier]);
  const unknown = new Map([...unknownCreates].filter(([key]) => !intents.has(writeKey({ write: "create", key }))));
  return {
    plan: begin.plan,
    history: { bases, lastWrites, standing, unknownCreates: unknown },
    inventory: takeBack(writes, inventory, new Set(recovered)),
  };
}

/** The line with which a run began that carried out an approved plan. */
export type BeginOfApproved = EntryOf<"begin"> & { readonly plan: string };

/** Finds the last run that carried out an approved plan, and reached its end under it. @param approved the plan's first digits */
export function runOfApprovedPlan(entries: readonly JournalEntry[], approved: string): BeginOfApproved | undefined {
  const marks = entries.filter(({ type }) => type === "begin" || type === "end");
  return marks.findLast(
    (entry, index): entry is BeginOfApproved =>
      entry.type === "begin" && entry.plan?.startsWith(approved) === true && marks[index + 1]?.type === "end",
  );
}

/** Returns the position of the line with which the approved plan was begun; -1 if the last run ended, or had no such plan. */
function beginOfApproved(entries: readonly JournalEntry[]): number {
  const last = entries.findLast(({ type }) => type === "begin" || type === "end");
  if (last?.type !== "begin" || last.plan === undefined) return -1;
  const other = entries.findLastIndex(
    (entry) => entry.type === "begin" && (entry.run !== last.run || entry.plan !== last.plan),
  );
  return entries.findIndex((entry, index) => index > other && entry.type === "begin");
}

/** The first intent of a run to write a record, and its last result. */
interface JournaledWrite {
  readonly intent: EntryOf<"intent">;
  readonly done: EntryOf<"done">;
}

function writesIn(entries: readonly JournalEntry[]): JournaledWrite[] {
  const first = new Map<RecordKey, EntryOf<"intent">>();
  const writes = new Map<RecordKey, JournaledWrite>();
  for (const entry of entries) {
    if (entry.type === "intent" && !first.has(entry.key)) first.set(entry.key, entry);
    const intent = entry.type === "done" ? first.get(entry.key) : undefined;
    if (entry.type === "done" && intent !== undefined) writes.set(entry.key, { intent, done: entry });
  }
  return [...writes.values()];
}

/** @param recovered the results that the journal lacked: the content that such a create has left proves nothing */
function takeBack(
  writes: readonly JournaledWrite[],
  inventory: Inventory,
  recovered: ReadonlySet<JournalEntry>,
): Inventory {
  const find = recordFinder(inventory);
  const taken = new Set<string>();
  const images: StackRecord[] = [];
  for (const { intent, done } of writes) {
    const { image, write } = intent;
    const kind = knownKind(splitKey(intent.key)[0]);
    const current = find(kind.name, done.targetId);
    const isLeft =
      done.write === "delete"
        ? current === undefined
        : current !== undefined &&
          (recordFingerprint(kind, current.body) === done.content || (write === "create" && recovered.has(done)));
    if (!isLeft || (write !== "create" && image === undefined)) continue;
    taken.add(foldedKey(kind.name, done.targetId));
    if (image === undefined) continue;
    images.push({ kind: kind.name, id: done.targetId, name: image.name, body: { ...image.body, id: done.targetId } });
  }
  const kinds = [...inventory.kinds].map(([name, of]) => {
    const records = of.records.filter(({ id }) => !taken.has(foldedKey(name, id)));
    return [name, { ...of, records }] as const;
  });
  return withRecords({ ...inventory, kinds: new Map(kinds) }, images);
}
