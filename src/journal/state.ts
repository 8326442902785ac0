import { StackferryError } from "../core/errors.ts";
import type { Journal, JournalEntry, JournalSubject, JournalWrite } from "../core/journal.ts";
import { JOURNAL_FORMAT, JOURNAL_VERSION } from "../core/journal.ts";
import type { JsonObject } from "../core/json.ts";
import { compactJson } from "../core/json.ts";
import type { Clock } from "../core/ports.ts";
import type { RecordKey } from "../core/record.ts";

/** A record that earlier runs of the same import have written, as far as the journal knows. */
export interface JournaledRecord {
  readonly targetId: string;
  /** Digest of what the target stored at the last write. */
  readonly content: string;
  readonly name: string;
  /** It was created by the import; otherwise it was there before and updated. */
  readonly created: boolean;
  /** What the first update replaced. */
  readonly previous?: JsonObject;
  /** Nothing is left to be added by a second write. */
  readonly linked: boolean;
}

/** A write that began and of which no end is known: the process was killed, or the response was lost. */
export interface PendingWrite {
  readonly key: RecordKey;
  readonly write: JournalWrite;
  /** Unix milliseconds. */
  readonly since: number;
  readonly previous?: JsonObject;
  readonly targetId?: string;
  /** Digest of what a create sent. */
  readonly content?: string;
  readonly name: string;
}

/** A record of the target that the server deleted although the import left it alone. */
export interface VanishedRecord {
  readonly key: RecordKey;
  readonly name: string;
  readonly body: JsonObject;
}

/** What a journal says, read from its beginning to its end. */
export interface JournalState {
  readonly records: ReadonlyMap<RecordKey, JournaledRecord>;
  /** What has vanished and was not brought back. */
  readonly vanished: readonly VanishedRecord[];
  readonly open: readonly PendingWrite[];
  /** The last run came to its end and looked at the target's lists: they show what it wrote. */
  readonly ended: boolean;
  /** When the last line was written, Unix milliseconds; -Infinity for an empty journal. */
  readonly lastAt: number;
}

/** Folds the entries of a journal into what is known. A rollback takes records back out. */
export function readJournalState(entries: readonly JournalEntry[]): JournalState {
  const records = new Map<RecordKey, JournaledRecord>();
  const open = new Map<string, PendingWrite>();
  const vanished = new Map<RecordKey, VanishedRecord>();
  let ended = true;
  for (const entry of entries) {
    ended = entry.type === "begin" || (entry.type === "end" && entry.result !== "stopped");
    if (entry.type === "end" && entry.result === "complete") {
      for (const [key, record] of records) records.set(key, { ...record, linked: true });
    }
    if (entry.type === "intent") {
      const { at, type: _type, ...intent } = entry;
      open.set(`${intent.write} ${intent.key}`, { ...intent, since: Date.parse(at) });
    }
    if (entry.type === "vanished") vanished.set(entry.key, { key: entry.key, name: entry.name, body: entry.body });
    if (entry.type !== "done" && entry.type !== "refused") continue;
    const intent = open.get(`${entry.write} ${entry.key}`);
    open.delete(`${entry.write} ${entry.key}`);
    if (entry.type !== "done") continue;
    if (entry.write === "restore") vanished.delete(entry.key);
    // A record that is updated while its create is pending was found on the target: that create has made it.
    const made = entry.write !== "create" && open.delete(`create ${entry.key}`);
    recordDone(records, entry, intent, made);
  }
  const last = entries.at(-1);
  const lastAt = last ? Date.parse(last.at) : Number.NEGATIVE_INFINITY;
  return { records, vanished: [...vanished.values()], open: [...open.values()], ended, lastAt };
}

function recordDone(
  records: Map<RecordKey, JournaledRecord>,
  entry: Extract<JournalEntry, { type: "done" }>,
  intent: PendingWrite | undefined,
  made: boolean,
): void {
  if (entry.write === "delete" || entry.write === "restore") {
    records.delete(entry.key);
    return;
  }
  const before = records.get(entry.key);
  const created = before?.created ?? (made || entry.write === "create");
  const previous = before?.previous ?? (entry.write === "update" && !created ? intent?.previous : undefined);
  records.set(entry.key, {
    targetId: entry.targetId,
    content: entry.content,
    name: intent?.name ?? before?.name ?? "",
    created,
    linked: entry.write !== "create",
    ...(previous && { previous }),
  });
}

/**
 * Ties a fresh journal to its import, or checks that one that was there belongs to it. Throws `journal` where it belongs to
 * another archive, stack or naming: going on with it would take another import's writes for this one's.
 */
export async function beginJournal(journal: Journal, subject: JournalSubject, clock: Clock): Promise<void> {
  const [first] = journal.entries;
  if (!first) {
    const at = new Date(clock.now()).toISOString();
    await journal.append({ type: "begin", at, format: JOURNAL_FORMAT, version: JOURNAL_VERSION, subject });
    return;
  }
  const other = first.type === "begin" ? differing(first.subject, subject) : "content";
  if (other === undefined) return;
  const message = `the journal ${journal.path ?? ""} belongs to an import with another ${other}`;
  throw new StackferryError("journal", message, {
    hint: "Name another file with --journal, or use the archive and target it belongs to.",
  });
}

function differing(theirs: JournalSubject, ours: JournalSubject): string | undefined {
  if (theirs.contentDigest !== ours.contentDigest) return "archive";
  if (compactJson({ ...theirs.target }) !== compactJson({ ...ours.target })) return "target";
  const sameNames = theirs.namePrefix === ours.namePrefix && compactJson(theirs.tags) === compactJson(ours.tags);
  return sameNames ? undefined : "--name-prefix or --tag";
}
