import { getOrMake } from "../core/collections.ts";
import type { Base, Bases } from "../core/plan/base.ts";
import type { EntryOf, Image, JournalEntry, JournalWrite } from "../core/plan/journal.ts";
import { splitKey, type RecordKey } from "../core/records/record.ts";
import { foldedKey } from "../references/known-ids.ts";
import { baseAfter, isSameId, undoneBase, type SettledBy } from "./base-changes.ts";

/** One run of a journal. A run that was cut short and the run that went on with it have one number. */
export interface Run {
  readonly number: number;
  /** ISO 8601, UTC. */
  readonly begunAt: string;
  /** The run did not reach its end, so the next one goes on with it. */
  readonly isCutShort: boolean;
  /** The archive's file name, or the folder of the files. */
  readonly from: string | undefined;
  readonly undoes: number | undefined;
}

/** What one run did to one record. All its writes to the record count as one. */
export interface RunWrite {
  readonly run: number;
  readonly key: RecordKey;
  readonly name: string;
  readonly targetId: string;
  readonly action: "create" | "update" | "delete";
  /** The record before the run; absent if the run created it. */
  readonly image: Image | undefined;
  /** Digest of the record as the run left it; empty after a delete. */
  readonly content: string;
  /** The base before the run. */
  readonly before: Base | undefined;
  /** After a delete: ids of the target's records that had the same name then. */
  readonly namesakes: readonly string[];
  /** When the write was first sent. */
  readonly since: string;
  readonly lacksLinks: boolean;
  /** Names of children whose settings the run's first update may have deleted. */
  readonly mayLose: readonly string[];
  /** Whether the server deleted the record along with another. */
  readonly isLost: boolean;
}

/** A write of which nobody knows whether the target carried it out. */
export interface OpenWrite {
  readonly run: number;
  /** When the archive was exported from which the write was sent. */
  readonly archived?: string | undefined;
  readonly intent: EntryOf<"intent">;
}

export interface History {
  readonly bases: Bases;
  readonly runs: readonly Run[];
  readonly writesOf: (run: number) => readonly RunWrite[];
  /** By record: the writes of imports that no rollback has undone, the oldest first. */
  readonly standing: ReadonlyMap<RecordKey, readonly RunWrite[]>;
  /** What all runs did to a record, rollbacks included, the oldest first. */
  readonly writesTo: (key: RecordKey) => readonly RunWrite[];
  readonly isUndone: (run: number, key: RecordKey) => boolean;
  /** By record of the target (`foldedKey`): digest of what it stored at the last write. */
  readonly lastWrites: ReadonlyMap<string, string>;
  readonly open: readonly OpenWrite[];
  /** The records that the open run's updates may have deleted with them; empty if the last run reached its end. */
  readonly unchecked: readonly Image[];
  /** Time of the last line that has one, in milliseconds; 0 in an empty journal. */
  readonly lastAt: number;
}

/** Reads what a journal knows out of its lines. */
export function foldJournal(entries: readonly JournalEntry[]): History {
  const fold = new Fold();
  for (const entry of entries) fold.add(entry);
  return fold.history();
}

/** Returns the history that has the last run: each run of a target has a number of its own, whatever its source. */
export function withLastRun(histories: readonly History[]): History {
  const sorted = histories.toSorted((left, right) => lastRunNumber(left) - lastRunNumber(right));
  return sorted.at(-1) ?? foldJournal([]);
}

export function lastRunNumber({ runs }: Pick<History, "runs">): number {
  return runs.at(-1)?.number ?? 0;
}

/**
 * Returns the number under which the next run works: that of the last run, if it did not reach its end.
 * @param highest the highest number of a run in other journals of the target: each run of a target has a number of its own
 */
export function numberOfNextRun({ runs }: Pick<History, "runs">, undoes: number | undefined, highest = 0): number {
  const last = runs.at(-1);
  if (last?.isCutShort && last.undoes === undoes) return last.number;
  return Math.max(highest, last?.number ?? 0) + 1;
}

interface Undone {
  readonly standing: readonly RunWrite[];
  readonly base: Base | undefined;
}

class Fold {
  readonly #bases = new Map<RecordKey, Base>();
  /** The bases before the last run: what that run itself has seen of a record is not what was known before. */
  #basesBefore: Bases = new Map();
  readonly #runs: Run[] = [];
  readonly #writes = new Map<number, Map<RecordKey, RunWrite>>();
  /** By record: its writes that count, the oldest first. */
  readonly #standing = new Map<RecordKey, readonly RunWrite[]>();
  /** By rollback and record: what counted before the rollback, for a rollback of the rollback. */
  readonly #undone = new Map<string, Undone>();
  /** Run and record of each write that a rollback has undone. */
  readonly #undoneWrites = new Set<string>();
  readonly #lastWrites = new Map<string, string>();
  readonly #open = new Map<string, OpenWrite>();
  #dependents: Image[] = [];
  /** By record of the target: the run whose update may have deleted it last, and the record before that. */
  readonly #atRisk = new Map<string, { readonly run: number; readonly image: Image }>();
  /** The records of the target that runs deleted themselves: no update can have deleted them. */
  readonly #deleted = new Set<string>();
  #archived: string | undefined;
  #lastAt = 0;

  add(entry: JournalEntry): void {
    if ("at" in entry) this.#lastAt = Date.parse(entry.at);
    switch (entry.type) {
      case "base":
        this.#bases.set(entry.key, entry.base);
        if (entry.lastWrite !== undefined)
          this.#lastWrites.set(targetOf(entry.key, entry.base.targetId), entry.lastWrite);
        break;
      case "begin":
        this.#begin(entry);
        break;
      case "intent":
        this.#intend(entry);
        break;
      case "done":
        this.#finish(entry);
        break;
      case "seen":
        this.#settle(entry, entry.name, { isWrite: false, archived: this.#archived });
        break;
      case "refused":
        this.#close(entry);
        break;
      case "end":
        this.#end();
        break;
      case "journal":
        break;
    }
  }

  history(): History {
    return {
      bases: this.#bases,
      runs: this.#runs,
      writesOf: (run) => [...(this.#writes.get(run)?.values() ?? [])],
      standing: this.#standing,
      writesTo: (key) => [...this.#writes.values()].flatMap((ofRun) => ofRun.get(key) ?? []),
      isUndone: (run, key) => this.#undoneWrites.has(`${run} ${key}`),
      lastWrites: this.#lastWrites,
      open: [...this.#open.values()],
      unchecked: this.#dependents,
      lastAt: this.#lastAt,
    };
  }

  #begin({ at, run, archived, from, undoes }: EntryOf<"begin">): void {
    this.#archived = archived;
    if (this.#runs.at(-1)?.number === run) return;
    this.#dependents = [];
    this.#basesBefore = new Map(this.#bases);
    this.#runs.push({ number: run, begunAt: at, isCutShort: true, from, undoes });
  }

  #end(): void {
    const last = this.#runs.pop();
    if (last !== undefined) this.#runs.push({ ...last, isCutShort: false });
    this.#dependents = [];
  }

  #intend(intent: EntryOf<"intent">): void {
    const write = writeKey(intent);
    const run = this.#runs.at(-1)?.number ?? 0;
    this.#open.set(write, { run, archived: this.#archived, intent });
    for (const image of intent.dependents ?? []) {
      if (this.#deleted.has(targetOfKey(image.key))) continue;
      this.#dependents.push(image);
      this.#atRisk.set(targetOfKey(image.key), { run, image });
    }
  }

  #close(entry: { readonly key: RecordKey; readonly write: JournalWrite }): OpenWrite | undefined {
    const write = writeKey(entry);
    const open = this.#open.get(write);
    this.#open.delete(write);
    return open;
  }

  #finish(done: EntryOf<"done">): void {
    const open = this.#close(done);
    const entry = open === undefined ? { ...done, key: this.#keyOfTarget(done) } : done;
    const { key, write } = entry;
    const writer = open?.run ?? this.#atRisk.get(targetOf(done.key, done.targetId))?.run;
    const run = this.#runs.find(({ number }) => number === writer) ?? this.#runs.at(-1);
    if (run === undefined) return;
    const { number, undoes } = run;
    if (write === "delete" && open !== undefined) this.#forgetRisk(targetOf(key, entry.targetId));
    const noted = this.#note(entry, number, open?.intent);
    if (undoes !== undefined) {
      // A link that the undo sets later belongs to its create.
      this.#undo({ ...entry, write: noted.action }, number, undoes);
      return;
    }
    const earlier = this.#standing.get(key)?.filter((each) => each.run !== number) ?? [];
    this.#standing.set(key, [...earlier, noted]);
    if (write === "delete") this.#forget(entry);
    else {
      const { archived } = open ?? { archived: this.#archived };
      this.#settle(entry, noted.name, { isWrite: true, archived });
    }
  }

  /** The record of the target is gone, under whatever keys the source had it. */
  #forget({ key, targetId }: EntryOf<"done">): void {
    const target = targetOf(key, targetId);
    this.#bases.delete(key);
    for (const [other, base] of this.#bases) if (targetOf(other, base.targetId) === target) this.#bases.delete(other);
  }

  #forgetRisk(deleted: string): void {
    this.#deleted.add(deleted);
    this.#dependents = this.#dependents.filter((image) => targetOfKey(image.key) !== deleted);
    this.#atRisk.delete(deleted);
  }

  /** The server deleted a record along with another: returns the key of the source's record, if the journal knows one. */
  #keyOfTarget({ key, targetId }: EntryOf<"done">): RecordKey {
    const lost = targetOf(key, targetId);
    const [known] = [...this.#bases].find(([each, base]) => targetOf(each, base.targetId) === lost) ?? [];
    return known ?? key;
  }

  /** Adds a write of a run to what the run did to the record before. */
  #note(entry: EntryOf<"done">, run: number, intent: EntryOf<"intent"> | undefined): RunWrite {
    const { key, write, targetId, content } = entry;
    const target = targetOf(key, targetId);
    if (write === "delete") this.#lastWrites.delete(target);
    else this.#lastWrites.set(target, content);
    const ofRun = getOrMake(this.#writes, run, () => new Map<RecordKey, RunWrite>());
    const first = ofRun.get(key) ?? this.#firstWrite(entry, run, intent);
    const action = write === "delete" ? "delete" : first.action;
    const isLost = write === "delete" && intent === undefined;
    const { namesakes = [] } = intent ?? {};
    const lacksLinks = entry.lacksLinks === true;
    const noted = { ...first, targetId, content, action, namesakes, lacksLinks, isLost };
    ofRun.set(key, noted);
    return noted;
  }

  #firstWrite(entry: EntryOf<"done">, run: number, intent: EntryOf<"intent"> | undefined): RunWrite {
    const { key, write, targetId, content, at } = entry;
    const target = targetOf(key, targetId);
    const lost = intent === undefined ? this.#atRisk.get(target)?.image : undefined;
    const sent: Partial<EntryOf<"intent">> = intent ?? { name: lost?.name ?? "", image: lost };
    const { name = "", image, mayLose = [], at: since = at } = sent;
    const action = write === "link" ? "update" : write;
    const before = this.#basesBefore.get(key);
    return {
      run,
      key,
      name,
      targetId,
      action,
      image,
      content,
      before,
      since,
      namesakes: [],
      lacksLinks: false,
      mayLose,
      isLost: false,
    };
  }

  /**
   * Takes back what a run did to a record. The base is the one before that run, with the ids and the stored digests of the undo. What
   * later runs did to the record no longer counts. An undo that is undone counts as never been.
   */
  #undo(entry: EntryOf<"done">, run: number, undoes: number): void {
    const { key } = entry;
    const undo = `${run} ${key}`;
    const standing = this.#undone.get(undo)?.standing ?? this.#standing.get(key) ?? [];
    if (!this.#undone.has(undo)) this.#undone.set(undo, { standing, base: this.#bases.get(key) });
    this.#noteUndone(key, undoes, standing);
    const undone = standing.find((write) => write.run === undoes);
    // The undone write may be an undo itself.
    const earlier = this.#undone.get(`${undoes} ${key}`);
    this.#standing.set(key, earlier?.standing ?? standing.filter((write) => write.run < undoes));
    const before = earlier?.base ?? undone?.before;
    const base = isOfOther(before, undone) ? before : undoneBase(before, entry, this.#imageOf(undoes, key));
    if (base === undefined) this.#bases.delete(key);
    else this.#bases.set(key, base);
  }

  /** Counts the writes of the undone run and of those after it as undone. If that run was an undo, those that it undid count again. */
  #noteUndone(key: RecordKey, undoes: number, standing: readonly RunWrite[]): void {
    for (const run of [undoes, ...standing.map((write) => write.run)])
      if (run >= undoes) this.#undoneWrites.add(`${run} ${key}`);
    const undoneRun = this.#runs.find(({ number }) => number === undoes)?.undoes;
    const again = this.#undone.get(`${undoes} ${key}`)?.standing ?? [];
    for (const run of [undoneRun, ...again.map((write) => write.run)]) this.#undoneWrites.delete(`${run} ${key}`);
  }

  /** Returns a record as it was before a run wrote it. */
  #imageOf(run: number, key: RecordKey): Image | undefined {
    return this.#writes.get(run)?.get(key)?.image;
  }

  #settle(entry: EntryOf<"done" | "seen">, name: string, by: SettledBy): void {
    this.#bases.set(entry.key, baseAfter(entry, this.#bases.get(entry.key), name, by));
  }
}

/** Returns the key of a write: a run has at most one open write of each key. */
function writeKey({ write, key }: { readonly key: RecordKey; readonly write: JournalWrite }): string {
  return `${write} ${key}`;
}

function targetOf(key: RecordKey, targetId: string): string {
  return foldedKey(splitKey(key)[0], targetId);
}

function targetOfKey(key: RecordKey): string {
  return foldedKey(...splitKey(key));
}

/** Tells whether a run wrote another record of the target than the one that was known before. */
function isOfOther(before: Base | undefined, undone: RunWrite | undefined): boolean {
  return before !== undefined && undone !== undefined && !isSameId(before.targetId, undone.targetId);
}
