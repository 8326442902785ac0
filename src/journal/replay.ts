import { groupBy } from "../core/collections.ts";
import type { JournalEntry, JournalWrite } from "../core/plan/journal.ts";
import type { JsonObject } from "../core/json.ts";
import type { RecordKey } from "../core/records/record.ts";
import { foldIds } from "../references/known-ids.ts";

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
}

/** The writes of one run to one record, if no rollback has undone them. */
export interface RunWrite extends JournaledRecord {
  readonly run: number;
  /** Time of the run's first write to the record, in Unix milliseconds; undefined if no entry contains it. */
  readonly since: number | undefined;
}

/** A write that was started and whose result is unknown: the process was killed, or the response was lost. */
export interface PendingWrite {
  readonly key: RecordKey;
  readonly write: JournalWrite;
  /** Time at which the write was started, in Unix milliseconds. */
  readonly since: number;
  readonly previous?: JsonObject;
  readonly targetId?: string;
  /** Digest of the content that a create sent. */
  readonly content?: string;
  readonly name: string;
}

/** Tells whether the write creates a record: an import's create, or a rollback's restore of a deleted record. */
export function isCreate({ write, targetId }: PendingWrite): boolean {
  return write === "create" || (write === "restore" && targetId === undefined);
}

/** The result of all entries of a journal. */
export interface JournalReplay {
  readonly records: ReadonlyMap<RecordKey, JournaledRecord>;
  /** By record: the writes of each run, the earliest first. */
  readonly writes: ReadonlyMap<RecordKey, readonly RunWrite[]>;
  readonly runs: readonly JournalRun[];
  /** Records that the import removed, or that the server may have deleted with others, and that are not restored. */
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

type DoneEntry = Extract<JournalEntry, { type: "done" }>;

interface OpenWrite {
  readonly pending: PendingWrite;
  readonly part: Part;
}

/** Combines the entries of a journal into one result. A rollback removes the writes of the runs that it undoes. */
export function replayJournal(entries: readonly JournalEntry[]): JournalReplay {
  const parts = new RunParts();
  const writes = new Map<RecordKey, RunWrite[]>();
  const openWrites = new Map<string, OpenWrite>();
  const cascadeLosses = new Map<RecordKey, CascadeLoss>();
  const broughtBack: BroughtBackRecord[] = [];
  const sentTwice = new Set<RecordKey>();
  let listsShowWrites = true;
  for (const entry of entries) {
    const part = parts.follow(entry);
    if (entry.type !== "rollback")
      listsShowWrites = entry.type === "begin" || (entry.type === "end" && entry.result !== "stopped");
    if (entry.type === "end" && entry.result === "complete") {
      for (const [key, runs] of writes) writes.set(key, runs.map(asLinked));
    }
    if (entry.type === "intent") {
      const { at, type: _type, ...intent } = entry;
      if (intent.write === "create" && openWrites.has(`create ${intent.key}`)) sentTwice.add(intent.key);
      openWrites.set(`${intent.write} ${intent.key}`, { pending: { ...intent, since: Date.parse(at) }, part });
    }
    if (entry.type === "cascade-loss" || entry.type === "at-risk") {
      const { key, name, body, type } = entry;
      cascadeLosses.set(key, {
        key,
        name,
        body,
        proven: type === "cascade-loss",
        ...("run" in part && { run: part.run }),
      });
    }
    if (entry.type === "found") cascadeLosses.delete(entry.key);
    if (entry.type !== "done" && entry.type !== "refused") continue;
    const intent = openWrites.get(`${entry.write} ${entry.key}`);
    openWrites.delete(`${entry.write} ${entry.key}`);
    if (entry.type !== "done") continue;
    if (entry.write === "remove") {
      if (intent === undefined || !("run" in intent.part)) continue;
      const { name, previous: body = {} } = intent.pending;
      cascadeLosses.set(entry.key, { key: entry.key, name, body, proven: true, run: intent.part.run });
      parts.removed(intent.part.run, entry.key);
      continue;
    }
    const lost = entry.write === "restore" ? cascadeLosses.get(entry.key) : undefined;
    if (lost !== undefined) {
      cascadeLosses.delete(entry.key);
      broughtBack.push({ ...lost, targetId: entry.targetId, linked: false });
    }
    const made = lost === undefined && entry.write === "restore" ? broughtBack.findIndex(isOf(entry)) : -1;
    const [unlinked] = made < 0 ? [] : broughtBack.splice(made, 1);
    if (unlinked !== undefined) broughtBack.push({ ...unlinked, linked: true });
    const put = entry.write === "restore" ? mergeRuns(writes.get(entry.key) ?? []) : undefined;
    if (put?.previous !== undefined) broughtBack.push(putBackRecord(entry.key, put, put.previous));
    const create = openWrites.get(`create ${entry.key}`);
    openWrites.delete(`create ${entry.key}`);
    const done = { entry, intent: intent?.pending };
    const of = intent?.part ?? part;
    const earlierWrites = [...(writes.get(entry.key) ?? []), ...foundCreate(create, entry)];
    const next = "run" in of ? addWrite(earlierWrites, done, of.run) : removeUndone(earlierWrites, done, of.undoes);
    if (next.length === 0) writes.delete(entry.key);
    else writes.set(entry.key, next);
    if ("run" in of) parts.wrote(of.run, entry.key, next.at(-1)?.created === true);
  }
  const last = entries.at(-1);
  return {
    records: new Map(
      [...writes].flatMap(([key, runs]) => {
        const record = mergeRuns(runs);
        return record === undefined ? [] : [[key, record]];
      }),
    ),
    writes,
    runs: parts.summary(notUndoneByRun(writes, parts.removedAmong(cascadeLosses.values()))),
    cascadeLosses: [...cascadeLosses.values()],
    broughtBack,
    pendingWrites: [...openWrites.values()].map(({ pending }) => pending),
    creating: new Map(
      [...openWrites.values()].flatMap(({ pending: { key, write }, part }) =>
        write === "create" && "run" in part ? [[key, part.run]] : [],
      ),
    ),
    sentTwice,
    listsShowWrites,
    lastAt: last ? Date.parse(last.at) : Number.NEGATIVE_INFINITY,
  };
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

function isOf({ key, targetId }: DoneEntry): (record: BroughtBackRecord) => boolean {
  return (record) => record.key === key && record.targetId === targetId;
}

function asLinked(write: RunWrite): RunWrite {
  return { ...write, linked: true };
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

function addWrite(earlierWrites: readonly RunWrite[], { entry, intent }: DoneWrite, run: number): RunWrite[] {
  const last = earlierWrites.at(-1);
  const { targetId, content } = entry;
  const now = { targetId, content, name: intent?.name ?? last?.name ?? "", linked: entry.write !== "create" };
  const before = last?.run === run && isSame(last, entry) ? last : undefined;
  const created = before?.created ?? entry.write === "create";
  const previous = before?.previous ?? (entry.write === "update" && !created ? intent?.previous : undefined);
  const write = { ...now, run, since: before?.since ?? intent?.since, created, ...(previous && { previous }) };
  return [...(before ? earlierWrites.slice(0, -1) : earlierWrites), write];
}

/**
 * Removes the writes of undone runs. If the rollback put back content that an earlier run had written, the write of that run gets
 * the digest of the content that the target stores now. Content that somebody changed after that run does not count as the run's.
 */
function removeUndone(
  earlierWrites: readonly RunWrite[],
  { entry, intent }: DoneWrite,
  undoes: readonly number[] | "all",
): RunWrite[] {
  const remaining = undoes === "all" ? [] : earlierWrites.filter(({ run }) => !undoes.includes(run));
  const last = remaining.at(-1);
  if (entry.write !== "restore" || !last || !isSame(last, entry) || intent?.content !== last.content) return remaining;
  return [...remaining.slice(0, -1), { ...last, content: entry.content }];
}

function isSame(left: { readonly targetId: string }, right: { readonly targetId: string }): boolean {
  return foldIds(left.targetId) === foldIds(right.targetId);
}

/** Merges the writes of several runs to one record; the first tells whether it was created and what was replaced. */
export function mergeRuns(runs: readonly RunWrite[]): JournaledRecord | undefined {
  const last = runs.at(-1);
  if (last === undefined) return undefined;
  const same = runs.filter((write) => isSame(write, last));
  const created = same[0]?.created === true;
  const previous = created ? undefined : same.find((write) => write.previous !== undefined)?.previous;
  const { targetId, content, name, linked } = last;
  return { targetId, content, name, created, linked, ...(previous && { previous }) };
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
  /** Whether the record has all its links, so that no second write is pending. */
  readonly linked: boolean;
}

/** Makes the entry of a record whose former content was put back. The entry is kept because restored children have new ids. */
function putBackRecord(
  key: RecordKey,
  { targetId, name }: { readonly targetId: string; readonly name: string },
  body: JsonObject,
): BroughtBackRecord {
  return { key: `${key.slice(0, key.indexOf("/"))}/${targetId}`, name, body, targetId, proven: true, linked: true };
}

/** One run of the import that a journal belongs to. A run that was cut short and resumed counts as one run. */
export interface JournalRun {
  /** The run's position in the journal; the first run is 1. */
  readonly number: number;
  /** ISO 8601, UTC. */
  readonly begunAt: string;
  /** `open`: the process died, or is still running. */
  readonly result: "complete" | "incomplete" | "stopped" | "open";
  /** Number of records that the run created. */
  readonly created: number;
  /** Number of target records that the run updated. */
  readonly updated: number;
  /** Number of target records that the run deleted because the source no longer had them. */
  readonly deleted: number;
  /** Number of created, updated and deleted records of the run that no rollback has undone. */
  readonly notUndone: number;
}

/** The part of a journal: a run, or a rollback of runs. `all`: a rollback by an earlier version, which undid every run. */
export type Part = { readonly run: number } | { readonly undoes: readonly number[] | "all" };

interface Draft {
  readonly begunAt: string;
  result: JournalRun["result"];
  readonly created: Set<RecordKey>;
  readonly updated: Set<RecordKey>;
  readonly deleted: Set<RecordKey>;
}

/** Splits a journal into runs. A run ends with its `end` line or a rollback, but a stopped one may still write after it. */
class RunParts {
  readonly #runs: Draft[] = [];
  #part: Part = { run: 0 };

  /** Returns the part of the journal that the next entry belongs to. */
  follow(entry: JournalEntry): Part {
    if (entry.type === "rollback") this.#part = { undoes: entry.undoes };
    if (entry.type === "begin") this.#begin(entry.at);
    if (entry.type === "end") this.#currentRun().result = entry.result;
    if (entry.type !== "intent") return this.#part;
    const isUndo = entry.write === "delete" || entry.write === "restore";
    if (isUndo && !("undoes" in this.#part)) this.#part = { undoes: "all" };
    if (!isUndo) this.#goOn(entry.at);
    return this.#part;
  }

  wrote(run: number, key: RecordKey, created: boolean): void {
    const draft = this.#runs[run - 1];
    if (!draft?.created.has(key)) draft?.[created ? "created" : "updated"].add(key);
  }

  removed(run: number, key: RecordKey): void {
    this.#runs[run - 1]?.deleted.add(key);
  }

  /** Returns, for each of these records that a run deleted, the number of that run. */
  removedAmong(records: Iterable<{ readonly key: RecordKey; readonly run?: number }>): number[] {
    return [...records].flatMap(({ key, run = 0 }) => (this.#runs[run - 1]?.deleted.has(key) === true ? [run] : []));
  }

  /**
   * Summarises the runs.
   * @param notUndone by run: the number of records that are not undone
   */
  summary(notUndone: ReadonlyMap<number, number>): JournalRun[] {
    return this.#runs.map(({ begunAt, result, created, updated, deleted }, index) => ({
      number: index + 1,
      begunAt,
      result,
      created: created.size,
      updated: updated.size,
      deleted: deleted.size,
      notUndone: notUndone.get(index + 1) ?? 0,
    }));
  }

  #goOn(at: string): void {
    const { result } = this.#currentRun();
    if ("undoes" in this.#part || result === "complete" || result === "incomplete") this.#begin(at);
    else this.#currentRun().result = "open";
  }

  #begin(at: string): Draft {
    const sets = { created: new Set<RecordKey>(), updated: new Set<RecordKey>(), deleted: new Set<RecordKey>() };
    const draft: Draft = { begunAt: at, result: "open", ...sets };
    this.#runs.push(draft);
    this.#part = { run: this.#runs.length };
    return draft;
  }

  #currentRun(): Draft {
    return this.#runs.at(-1) ?? this.#begin("");
  }
}
