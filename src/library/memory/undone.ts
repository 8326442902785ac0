import { dirname, resolve } from "node:path";
import type { JournalEntry } from "../../core/importing/journal.ts";
import type { Memory } from "../../core/importing/memory.ts";
import type { Outcome, Warning } from "../../core/outcome.ts";
import type { StackIdentity } from "../../core/records/record.ts";
import type { JournalAccess } from "../../journal/access.ts";
import { editState } from "../../journal/memory/edit-state.ts";
import { foldIds } from "../../references/known-ids.ts";

/** A rollback that has come to its end. */
export interface EndedRollback {
  readonly outcomes: readonly Outcome[];
  readonly entries: readonly JournalEntry[];
  /** Of the journal. */
  readonly path: string;
  readonly target: StackIdentity;
  readonly access: JournalAccess;
}

/**
 * Tells the memory of an import what a rollback has undone. What it put back is no edit of somebody's: the next run decides on it as
 * on a record that it has never written, and nothing proves any more that it is ours. A memory that is gone costs nothing.
 */
export async function forgetUndone({ outcomes, entries, path, target, access }: EndedRollback): Promise<Warning[]> {
  const [first] = entries;
  const state = first?.type === "begin" ? first.state : undefined;
  const undone = outcomes.filter(
    ({ status, code }) => status === "done" && (code === undefined || code === "put-back"),
  );
  if (state === undefined || undone.length === 0) return [];
  const deleted = keysOf(undone.filter(({ action }) => action === "delete"));
  const putBack = keysOf(undone.filter(({ action }) => action !== "delete"));
  const forget = (records: Memory): Memory =>
    new Map(
      [...records].flatMap(([key, known]) => {
        const target = targetOf(key.slice(0, key.indexOf("/")), known.targetId);
        if (deleted.has(target)) return [];
        if (!putBack.has(target)) return [[key, known]];
        const { wanted: _wanted, stored: _stored, ...rest } = known;
        return [[key, { ...rest, written: false }]];
      }),
    );
  const file = resolve(dirname(path), state);
  const why = await editState({ path: file, target, access }, forget);
  if (why === undefined) return [];
  const message = `the state ${file} does not note what was undone, because ${why}: the next import takes it for somebody's edits`;
  return [{ code: "state-unwritten", message }];
}

function keysOf(outcomes: readonly Outcome[]): ReadonlySet<string> {
  return new Set(outcomes.map(({ kind, targetId = "" }) => targetOf(kind, targetId)));
}

function targetOf(kind: string, id: string): string {
  return `${kind} ${foldIds(id)}`;
}
