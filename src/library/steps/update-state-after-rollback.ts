import { definedMembers, groupBy } from "../../core/collections.ts";
import type { JournalEntry } from "../../core/plan/journal.ts";
import type { Outcome, Warning } from "../../core/outcome.ts";
import type { StackClient } from "../../core/ports.ts";
import type { JournalAccess } from "../../journal/seal.ts";
import { dirname, resolve } from "node:path";
import type { StateRecords } from "../../core/plan/state.ts";
import { readFileJournal } from "../../journal/file-journal.ts";
import { editState } from "../../journal/state-file.ts";
import { foldedKey, foldedTargetKey } from "../../references/known-ids.ts";
import { splitKey } from "../../core/records/record.ts";
import { replayJournal } from "../../journal/replay.ts";

/** The journal of the import that is undone, and the stack that it wrote to. */
interface UndoneJournal {
  readonly path: string;
  readonly access: JournalAccess;
  readonly client: Pick<StackClient, "identity">;
}

/**
 * Updates the import's state file after a rollback. The next import must not take restored values for manual edits, and must not
 * count restored records as created by an import. If the rollback undid the last write of a record, the record's state becomes what
 * it was before that write. Does nothing if there is no state file. Returns a warning if the file cannot be updated.
 */
export async function updateStateAfterRollback(
  outcomes: readonly Outcome[],
  chosen: readonly number[],
  entries: readonly JournalEntry[],
  { path, access, client }: UndoneJournal,
): Promise<Warning[]> {
  const [first] = entries;
  const state = first?.type === "begin" ? first.state : undefined;
  const undone = outcomes.filter(
    ({ status, code }) => status === "done" && (code === undefined || code === "put-back"),
  );
  if (state === undefined || undone.length === 0) return [];
  const deleted = keysOf(undone.filter(({ action }) => action === "delete"));
  const putBack = keysOf(undone.filter(({ action }) => action !== "delete"));
  const { before, putBackEarlier } = splitBeforeRollbacks(entries);
  const writes = [...replayJournal(before).writes].flatMap(([key, ofRecord]) =>
    ofRecord.filter(({ run }) => chosen.includes(run)).map((write) => ({ ...write, kind: splitKey(key)[0] })),
  );
  const writesTo = groupBy(writes, foldedTargetKey);
  // `entries` are those from before the rollback. An error must not hide what the rollback has done.
  const after = await readFileJournal(path, access).catch(() => undefined);
  const { lastWrites } = replayJournal(after ?? entries);
  const withoutUndone = (records: StateRecords): StateRecords =>
    new Map(
      [...records].flatMap(([key, record]) => {
        const written = foldedKey(splitKey(key)[0], record.targetId);
        if (deleted.has(written)) return [];
        const { sent: _sent, stored: _stored, former, ...rest } = record;
        const [last, ...earlier] = writesTo.get(written) ?? [];
        const isLast = former !== undefined && earlier.length === 0 && last?.content === former.replacedBy;
        if (!putBack.has(written) && !(isLast && putBackEarlier.has(written))) return [[key, record]];
        const base = isLast ? { sent: former.sent, stored: former.stored } : {};
        return [[key, definedMembers({ ...rest, ...base, written: false, lastWrite: lastWrites.get(written) })]];
      }),
    );
  const file = resolve(dirname(path), state);
  const why = await editState({ path: file, target: client.identity, access }, withoutUndone);
  if (why === undefined) return [];
  const message = `the state ${file} could not be updated by the rollback, because ${why}: the next import will take the restored content for manual edits`;
  return [{ code: "state-unwritten", message }];
}

/**
 * Splits the rollbacks off the end of a journal, because an interrupted rollback has not updated the state.
 * @returns the entries before the rollbacks, and the keys of the records that the rollbacks put back
 */
function splitBeforeRollbacks(entries: readonly JournalEntry[]): {
  readonly before: readonly JournalEntry[];
  readonly putBackEarlier: ReadonlySet<string>;
} {
  const last = entries.findLastIndex(({ type }) => type === "begin" || type === "end");
  const first = entries.findIndex(({ type }, index) => index > last && type === "rollback");
  const rollbacks = first < 0 ? [] : entries.slice(first);
  const keys = rollbacks.flatMap((entry) =>
    entry.type === "done" && entry.write === "restore" ? [foldedKey(splitKey(entry.key)[0], entry.targetId)] : [],
  );
  return { before: entries.slice(0, entries.length - rollbacks.length), putBackEarlier: new Set(keys) };
}

function keysOf(outcomes: readonly Outcome[]): ReadonlySet<string> {
  return new Set(outcomes.map(foldedTargetKey));
}
