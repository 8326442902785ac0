import { getOrMake } from "../core/collections.ts";
import type { Base, Bases } from "../core/plan/base.ts";
import type { EntryOf, Image, JournalEntry, JournalWrite } from "../core/plan/journal.ts";
import { splitKey, type RecordKey } from "../core/records/record.ts";
import { foldedKey, isSameId } from "../references/known-ids.ts";
import { baseAfter, undoneBase, type SettledBy } from "./base-changes.ts";

/** A run that was cut short and the run that went on with it count as one. */
export interface Run {
  readonly number: number;
  /** ISO 8601, UTC. */
  readonly begunAt: string;
  /** The next run goes on with such a run, if both are imports or both undo the same run. */
  readonly isCutShort: boolean;
  /** The archive's file name, or the folder of the files. */
  readonly from: string | undefined;
  readonly undoes: number | undefined;
}

export interface RunWrite {
  readonly run: number;
  readonly key: RecordKey;
  readonly name: string;
  readonly targetId: string;
  readonly action: "create" | "update" | "delete";
  /** Undefined for a record that the run created, or whose earlier content the journal lacks. */
  readonly image: Image | undefined;
  /** Digest of the record as the run left it; empty after a delete. */
  readonly content: string;
  readonly before: Base | undefined;
  /** For a create or a delete: the target's records that had the same name before the write. */
  readonly namesakes: readonly string[];
  /** Time of the run's first write to the record: ISO 8601, UTC. */
  readonly since: string;
  readonly lacksLinks: boolean;
  /** Names of children whose settings the run's first update may have deleted. */
  readonly mayLose: readonly string[];
  /** The server deleted the record when another record was updated. */
  readonly isLost: boolean;
}

export interface OpenWrite {
  readonly run: number;
  readonly archived?: string | undefined;
  readonly intent: EntryOf<"intent">;
}

export interface History {
  readonly bases: Bases;
  readonly runs: readonly Run[];
  readonly writesOf: (run: number) => readonly RunWrite[];
  /** Writes of imports that no rollback has undone, the oldest first. */
  readonly standing: ReadonlyMap<RecordKey, readonly RunWrite[]>;
  /** Includes the writes of rollbacks; the oldest write comes first. */
  readonly writesTo: (key: RecordKey) => readonly RunWrite[];
  readonly isUndone: (run: number, key: RecordKey) => boolean;
  /** By `foldedKey`: the digest of the record as the target stored it at the last write. */
  readonly lastWrites: ReadonlyMap<string, string>;
  readonly open: readonly OpenWrite[];
  /** Records that the server may have deleted along with updates of the last run; empty after the run's `end`. */
  readonly unchecked: readonly Image[];
  /** Unix milliseconds of the last line with a time; 0 in an empty journal. */
  readonly lastAt: number;
}

export function foldJournal(entries: readonly JournalEntry[]): History {
  const fold = new Fold();
  for (const entry of entries) fold.add(entry);
  return fold.history();
}

/** Returns the history whose last run has the highest number. */
export function withLastRun(histories: readonly History[]): History {
  const sorted = histories.toSorted((left, right) => lastRunNumber(left) - lastRunNumber(right));
  return sorted.at(-1) ?? foldJournal([]);
}

export function lastRunNumber({ runs }: Pick<History, "runs">): number {
  return runs.at(-1)?.number ?? 0;
}

/**
 * A run that goes on with the last run keeps its number.
 * @param highest the highest run number in the target's other journals
 */
export function numberOfNextRun({ runs }: Pick<History, "runs">, undoes: number | undefined, highest = 0): number {
  const last = runs.at(-1);
  if (last?.isCutShort && last.undoes === undoes) return last.number;
  return Math.max(highest, last?.number ?? 0) + 1;
}

interface BeforeUndo {
  readonly standing: readonly RunWrite[];
  readonly base: Base | undefined;
}

class Fold {
  readonly #bases = new Map<RecordKey, Base>();
  /** The bases before the last run, for `RunWrite.before`. */
  #basesBefore: Bases = new Map();
  readonly #runs: Run[] = [];
  readonly #writes = new Map<number, Map<RecordKey, RunWrite>>();
  readonly #standing = new Map<RecordKey, readonly RunWrite[]>();
  /** By rollback and record: what counts again if that rollback is undone. */
  readonly #beforeUndo = new Map<string, BeforeUndo>();
  readonly #undoneWrites = new Set<string>();
  readonly #lastWrites = new Map<string, string>();
  readonly #open = new Map<string, OpenWrite>();
  #dependents: Image[] = [];
  /** Records that an update may have deleted, as they were before, with the run of the update. */
  readonly #atRisk = new Map<string, { readonly run: number; readonly image: Image }>();
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
      // In a rollback, a link that follows a create counts as part of the create.
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

  /** Forgets all keys of the record, because the source may have had it under several ids. */
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

  #keyOfTarget({ key, targetId }: EntryOf<"done">): RecordKey {
    const lost = targetOf(key, targetId);
    const [known] = [...this.#bases].find(([each, base]) => targetOf(each, base.targetId) === lost) ?? [];
    return known ?? key;
  }

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

  #firstWrite(
    { key, write, targetId, at }: EntryOf<"done">,
    run: number,
    intent: EntryOf<"intent"> | undefined,
  ): Omit<RunWrite, "targetId" | "content" | "namesakes" | "lacksLinks" | "isLost"> {
    const lost = intent === undefined ? this.#atRisk.get(targetOf(key, targetId))?.image : undefined;
    const sent: Partial<EntryOf<"intent">> = intent ?? { name: lost?.name ?? "", image: lost };
    const { name = "", image, mayLose = [], at: since = at } = sent;
    const action = write === "link" ? "update" : write;
    const before = this.#basesBefore.get(key);
    return { run, key, name, action, image, before, since, mayLose };
  }

  /** If the undone run was a rollback, the state before that rollback counts again. */
  #undo(entry: EntryOf<"done">, run: number, undoes: number): void {
    const { key } = entry;
    // For a second write of one record, the state before the rollback's first write counts.
    const { standing } = getOrMake(this.#beforeUndo, `${run} ${key}`, () => {
      return { standing: this.#standing.get(key) ?? [], base: this.#bases.get(key) };
    });
    this.#noteUndone(key, undoes, standing);
    const undone = standing.find((write) => write.run === undoes);
    const earlier = this.#beforeUndo.get(`${undoes} ${key}`);
    this.#standing.set(key, earlier?.standing ?? standing.filter((write) => write.run < undoes));
    const before = earlier?.base ?? undone?.before;
    const isOfOther = before !== undefined && undone !== undefined && !isSameId(before.targetId, undone.targetId);
    const image = this.#writes.get(undoes)?.get(key)?.image;
    const base = isOfOther ? before : undoneBase(before, entry, image);
    if (base === undefined) this.#bases.delete(key);
    else this.#bases.set(key, base);
  }

  #noteUndone(key: RecordKey, undoes: number, standing: readonly RunWrite[]): void {
    for (const run of [undoes, ...standing.map((write) => write.run)])
      if (run >= undoes) this.#undoneWrites.add(`${run} ${key}`);
    const undoneRun = this.#runs.find(({ number }) => number === undoes)?.undoes;
    const again = this.#beforeUndo.get(`${undoes} ${key}`)?.standing ?? [];
    for (const run of [undoneRun, ...again.map((write) => write.run)]) this.#undoneWrites.delete(`${run} ${key}`);
  }

  #settle(entry: EntryOf<"done" | "seen">, name: string, by: SettledBy): void {
    this.#bases.set(entry.key, baseAfter(entry, this.#bases.get(entry.key), name, by));
  }
}

function writeKey({ write, key }: { readonly key: RecordKey; readonly write: JournalWrite }): string {
  return `${write} ${key}`;
}

/** Returns the record's `foldedKey` on the target. */
export function targetOf(key: RecordKey, targetId: string): string {
  return foldedKey(splitKey(key)[0], targetId);
}

function targetOfKey(key: RecordKey): string {
  return foldedKey(...splitKey(key));
}
