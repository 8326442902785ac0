import { groupBy } from "../core/collections.ts";
import type { EntryOf, JournalEntry } from "../core/plan/journal.ts";
import type { JsonObject } from "../core/json.ts";
import { recordKey, splitKey, type RecordKey } from "../core/records/record.ts";
import { foldedKey, foldIds } from "../references/known-ids.ts";
import { JournalRuns, type JournalRun, type JournalPart } from "./runs.ts";

/** A record that earlier runs of the same import wrote, according to the journal. */
export interface JournaledRecord {
  readonly targetId: string;
  /** Digest of the content that the target stored at the last write. */
  readonly content: string;
  readonly name: string;
  /** True if the import created the record; false if the record existed before and the import updated it. */
  readonly created: boolean;
  /** The content that the first update replaced. */
  readonly previous?: JsonObject;
  /** Whether the record has all its links, so that no second write is pending. */
  readonly linked: boolean;
  /** True if the last write left parts of the record as somebody had made them on the target. */
  readonly inParts?: boolean | undefined;
}

/** The writes of one run to one record, if no rollback has undone them. */
export interface RunWrite extends JournaledRecord {
  readonly run: number;
  /** Time of the run's first write to the record, in Unix milliseconds; undefined if no entry contains it. */
  readonly since: number | undefined;
  /** Names of children whose settings the run's first update may have deleted. */
  readonly mayLose?: readonly string[] | undefined;
}

/** A write that was started and whose result is unknown: the process was killed, or the response was lost. */
export interface PendingWrite extends Omit<EntryOf<"intent">, "type" | "at"> {
  /** Time at which the write was started, in Unix milliseconds. */
  readonly since: number;
}

/** Tells whether the write creates a record: an import's create, or a rollback's restore of a deleted record. */
export function isPendingCreate({ write, targetId }: PendingWrite): boolean {
  return write === "create" || (write === "restore" && targetId === undefined);
}

/** The result of all entries of a journal. */
export interface JournalReplay {
  readonly records: ReadonlyMap<RecordKey, JournaledRecord>;
  /** By record: the writes of each run, the earliest first. */
  readonly writes: ReadonlyMap<RecordKey, readonly RunWrite[]>;
  /** By record of the target (`foldedKey`): digest of what it stored at the last write, even of a rollback or of some parts. */
  readonly lastWrites: ReadonlyMap<string, string>;
  readonly runs: readonly JournalRun[];
  /** Records that the import removed, or that the server may have deleted together with others, and that are not restored. */
  readonly cascadeLosses: readonly CascadeLoss[];
  readonly broughtBack: readonly BroughtBackRecord[];
  readonly pendingWrites: readonly PendingWrite[];
  /** For each record whose create has no known result: the run that started the create. */
  readonly creating: ReadonlyMap<RecordKey, number>;
  /** Records whose create was sent again although the stack may have carried out the first create. */
  readonly sentTwice: ReadonlySet<RecordKey>;
  /** False if the last run was stopped or killed before it had checked that the target's lists show its writes. */
  readonly listsShowWrites: boolean;
  /** Time of the last line, Unix milliseconds; -Infinity for an empty journal. */
  readonly lastAt: number;
}

type DoneEntry = EntryOf<"done">;

/** A write without a result so far, and the part of the journal in which it was started. */
interface OpenWrite {
  readonly pending: PendingWrite;
  readonly part: JournalPart;
}

/** Combines the entries of a journal into one result. A rollback removes the writes of the runs that it undoes. */
export function replayJournal(entries: readonly JournalEntry[]): JournalReplay {
  const replay = new Replay();
  for (const entry of entries) replay.add(entry);
  const last = entries.at(-1);
  return {
    ...replay.result(),
    listsShowWrites: endsChecked(entries),
    lastAt: last ? Date.parse(last.at) : Number.NEGATIVE_INFINITY,
  };
}

/** Tells whether no write came after the last check of the target's lists. The beginning of a rollback is not a write. */
function endsChecked(entries: readonly JournalEntry[]): boolean {
  const last = entries.findLast(({ type }) => type !== "rollback");
  return last === undefined || last.type === "begin" || (last.type === "end" && last.result !== "stopped");
}

/** Combines the entries of a journal that have been added so far. */
class Replay {
  readonly #runs = new JournalRuns();
  readonly #writes = new Map<RecordKey, RunWrite[]>();
  readonly #lastWrites = new Map<string, string>();
  /** By kind of write and record. */
  readonly #openWrites = new Map<string, OpenWrite>();
  readonly #cascadeLosses = new Map<RecordKey, CascadeLoss>();
  readonly #broughtBack: BroughtBackRecord[] = [];
  readonly #sentTwice = new Set<RecordKey>();

  add(entry: JournalEntry): void {
    const part = this.#runs.addEntry(entry);
    switch (entry.type) {
      case "intent":
        this.#open(entry, part);
        break;
      case "done":
        this.#finish(entry, part);
        break;
      case "refused":
        this.#close(entry);
        break;
      case "cascade-loss":
      case "at-risk":
        this.#lose(entry, part);
        break;
      case "found":
        this.#cascadeLosses.delete(entry.key);
        break;
      case "end":
        if (entry.result === "complete") this.#linkAll();
        break;
      case "begin":
      case "rollback":
        break;
    }
  }

  result(): Omit<JournalReplay, "listsShowWrites" | "lastAt"> {
    const cascadeLosses = [...this.#cascadeLosses.values()];
    const openWrites = [...this.#openWrites.values()];
    return {
      records: new Map(
        [...this.#writes].flatMap(([key, runs]) => {
          const record = mergeRunWrites(runs);
          return record === undefined ? [] : [[key, record]];
        }),
      ),
      writes: this.#writes,
      lastWrites: this.#lastWrites,
      runs: this.#runs.summary(notUndoneByRun(this.#writes, this.#runs.runsThatDeleted(cascadeLosses))),
      cascadeLosses,
      broughtBack: this.#broughtBack,
      pendingWrites: openWrites.map(({ pending }) => pending),
      creating: new Map(
        openWrites.flatMap(({ pending: { key, write }, part }) =>
          write === "create" && "run" in part ? [[key, part.run]] : [],
        ),
      ),
      sentTwice: this.#sentTwice,
    };
  }

  #open({ at, type: _type, ...intent }: EntryOf<"intent">, part: JournalPart): void {
    const place = `${intent.write} ${intent.key}`;
    if (intent.write === "create" && this.#openWrites.has(place)) this.#sentTwice.add(intent.key);
    this.#openWrites.set(place, { pending: { ...intent, since: Date.parse(at) }, part });
  }

  /** Closes an open write, whose result is known now, and returns it. */
  #close({ write, key }: Pick<PendingWrite, "write" | "key">): OpenWrite | undefined {
    const place = `${write} ${key}`;
    const openWrite = this.#openWrites.get(place);
    this.#openWrites.delete(place);
    return openWrite;
  }

  #finish(entry: DoneEntry, currentPart: JournalPart): void {
    const { key, write } = entry;
    const isStored = write !== "remove" && write !== "delete";
    if (isStored) this.#lastWrites.set(foldedKey(splitKey(key)[0], entry.targetId), entry.content);
    const openWrite = this.#close(entry);
    if (write === "remove") {
      if (openWrite !== undefined) this.#remove(openWrite);
      return;
    }
    if (write === "restore") this.#bringBack(entry);
    const create = this.#close({ write: "create", key });
    const earlierWrites = [...(this.#writes.get(key) ?? []), ...foundCreate(create, entry)];
    const done = { entry, intent: openWrite?.pending };
    const part = openWrite?.part ?? currentPart;
    if ("run" in part) {
      const writes = addWrite(earlierWrites, done, part.run);
      this.#writes.set(key, writes);
      this.#runs.addWrite(part.run, key, writes.at(-1)?.created === true);
      return;
    }
    const remaining = removeUndone(earlierWrites, done, part.undoes);
    if (remaining.length === 0) this.#writes.delete(key);
    else this.#writes.set(key, remaining);
  }

  #remove({ pending: { key, name, previous: body = {} }, part }: OpenWrite): void {
    if (!("run" in part)) return;
    this.#cascadeLosses.set(key, { key, name, body, proven: true, run: part.run });
    this.#runs.addDelete(part.run, key);
  }

  #lose({ key, name, body, type }: EntryOf<"cascade-loss" | "at-risk">, part: JournalPart): void {
    const proven = type === "cascade-loss";
    this.#cascadeLosses.set(key, { key, name, body, proven, ...("run" in part && { run: part.run }) });
  }

  /** Notes the result of a `restore`: the record exists again, or it got its links, or it has its former content again. */
  #bringBack(entry: DoneEntry): void {
    const { key, targetId, content } = entry;
    const lost = this.#cascadeLosses.get(key);
    if (lost === undefined) this.#linkBroughtBack(entry);
    else {
      this.#cascadeLosses.delete(key);
      this.#broughtBack.push({ ...lost, targetId, content, linked: false });
    }
    const written = mergeRunWrites(this.#writes.get(key) ?? []);
    if (written?.previous === undefined) return;
    // A record whose former content was put back is noted, too, because its restored children have new ids.
    const { targetId: writtenId, name, previous: body } = written;
    const writtenKey = recordKey(splitKey(key)[0], writtenId);
    this.#broughtBack.push({ key: writtenKey, name, body, targetId: writtenId, content, proven: true, linked: true });
  }

  #linkBroughtBack({ key, targetId, content }: DoneEntry): void {
    const index = this.#broughtBack.findIndex((record) => record.key === key && record.targetId === targetId);
    const [unlinked] = index < 0 ? [] : this.#broughtBack.splice(index, 1);
    if (unlinked !== undefined) this.#broughtBack.push({ ...unlinked, content, linked: true });
  }

  /** Notes that a run has ended after writing all links. */
  #linkAll(): void {
    for (const [key, runs] of this.#writes) {
      this.#writes.set(
        key,
        runs.map((write) => ({ ...write, linked: true })),
      );
    }
  }
}

/**
 * Counts, for each run, the records that no rollback has undone.
 * @param removed for each deleted record that is not restored: the number of the run that deleted it
 */
function notUndoneByRun(
  writes: ReadonlyMap<RecordKey, readonly RunWrite[]>,
  removed: readonly number[],
): Map<number, number> {
  const runs = [...writes.values()].flatMap((of) => [...new Set(of.map(({ run }) => run))]);
  return new Map([...groupBy([...runs, ...removed], (run) => run)].map(([run, of]) => [run, of.length]));
}

interface DoneWrite {
  readonly entry: DoneEntry;
  readonly intent: PendingWrite | undefined;
}

/** Returns the write of a pending create whose record was updated: a run found it on the target, so the create succeeded. */
function foundCreate(create: OpenWrite | undefined, { targetId, content }: DoneEntry): RunWrite[] {
  if (create === undefined || !("run" in create.part)) return [];
  const { name, since } = create.pending;
  return [{ run: create.part.run, targetId, content, name, created: true, linked: false, since }];
}

/** Adds a write of a run to the earlier writes of the record. All writes of one run to a record count as one. */
function addWrite(earlierWrites: readonly RunWrite[], { entry, intent }: DoneWrite, run: number): RunWrite[] {
  const { targetId, content, write } = entry;
  const last = earlierWrites.at(-1);
  const previous = write === "update" ? intent?.previous : undefined;
  const { name = last?.name ?? "", since, mayLose } = intent ?? {};
  const added = {
    run,
    targetId,
    content,
    name,
    created: write === "create",
    linked: write !== "create",
    inParts: write === "link" ? last?.inParts : intent?.inParts,
    since,
    mayLose,
    ...(previous && { previous }),
  };
  if (last?.run !== run || !isSame(last, entry)) return [...earlierWrites, added];
  return [...earlierWrites.slice(0, -1), mergeWrites(last, added)];
}

/** Merges two writes of one run to a record: the first tells what was on the target before the run, the second what is there now. */
function mergeWrites(first: RunWrite, second: RunWrite): RunWrite {
  const { created, since = second.since, mayLose } = first;
  const { previous: replaced, ...now } = second;
  const previous = first.previous ?? (created ? undefined : replaced);
  return { ...now, created, since, mayLose, ...(previous && { previous }) };
}

/**
 * Removes the writes of undone runs to the record that the rollback has deleted or put back. If the rollback put back the content
 * that an earlier run had written, the write of that run gets the digest of the content that the target stores now. If somebody had
 * changed the content after that run, the write keeps its old digest, so the content does not count as the run's.
 */
function removeUndone(
  earlierWrites: readonly RunWrite[],
  { entry, intent }: DoneWrite,
  undoes: readonly number[] | "all",
): RunWrite[] {
  const isUndone = (write: RunWrite): boolean =>
    isSame(write, entry) && (undoes === "all" || undoes.includes(write.run));
  const remaining = earlierWrites.filter((write) => !isUndone(write));
  const last = remaining.at(-1);
  if (entry.write !== "restore" || !last || !isSame(last, entry) || intent?.content !== last.content) return remaining;
  return [...remaining.slice(0, -1), { ...last, content: entry.content }];
}

function isSame(left: { readonly targetId: string }, right: { readonly targetId: string }): boolean {
  return foldIds(left.targetId) === foldIds(right.targetId);
}

/**
 * Merges the writes of several runs to one record. The first write tells whether the import created the record; the first update
 * holds the content that the import replaced.
 */
export function mergeRunWrites(runs: readonly RunWrite[]): JournaledRecord | undefined {
  const last = runs.at(-1);
  if (last === undefined) return undefined;
  const same = runs.filter((write) => isSame(write, last));
  const created = same[0]?.created === true;
  const previous = created ? undefined : same.find((write) => write.previous !== undefined)?.previous;
  const { targetId, content, name, linked, inParts } = last;
  return { targetId, content, name, created, linked, inParts, ...(previous && { previous }) };
}

/** A record of the target that the import removed, or that the server deleted although the import did not ask for it. */
export interface CascadeLoss {
  readonly key: RecordKey;
  readonly name: string;
  readonly body: JsonObject;
  /** True if the target was checked and the record is gone; false if the run was stopped before the check. */
  readonly proven: boolean;
  /** The run during which the record was lost; undefined if it was lost during a rollback. */
  readonly run?: number;
}

/** A record that a rollback created again, or whose former content a rollback put back. */
export interface BroughtBackRecord extends CascadeLoss {
  /** The record's present id: the former id, unless the record was created again. */
  readonly targetId: string;
  /** Digest of the content that the target stored. */
  readonly content: string;
  /** Whether the record has all its links, so that no second write is pending. */
  readonly linked: boolean;
}
