import type { JournalEntry } from "../core/plan/journal.ts";
import type { RecordKey } from "../core/records/record.ts";

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
export type JournalPart = { readonly run: number } | { readonly undoes: readonly number[] | "all" };

interface Draft {
  readonly begunAt: string;
  result: JournalRun["result"];
  readonly created: Set<RecordKey>;
  readonly updated: Set<RecordKey>;
  readonly deleted: Set<RecordKey>;
}

/**
 * Splits a journal into runs. A run ends with its `end` line or with a rollback. A stopped run may still write lines after its
 * `end` line.
 */
export class JournalRuns {
  readonly #runs: Draft[] = [];
  #part: JournalPart = { run: 0 };

  /** Returns the part of the journal that the next entry belongs to. */
  addEntry(entry: JournalEntry): JournalPart {
    if (entry.type === "rollback") this.#part = { undoes: entry.undoes };
    if (entry.type === "begin") this.#begin(entry.at);
    if (entry.type === "end") this.#currentRun().result = entry.result;
    if (entry.type !== "intent") return this.#part;
    const isUndo = entry.write === "delete" || entry.write === "restore";
    if (isUndo && !("undoes" in this.#part)) this.#part = { undoes: "all" };
    if (!isUndo) this.#goOn(entry.at);
    return this.#part;
  }

  addWrite(run: number, key: RecordKey, created: boolean): void {
    const draft = this.#runs[run - 1];
    if (!draft?.created.has(key)) draft?.[created ? "created" : "updated"].add(key);
  }

  addDelete(run: number, key: RecordKey): void {
    this.#runs[run - 1]?.deleted.add(key);
  }

  /** Returns, for each of these records that a run deleted, the number of that run. */
  runsThatDeleted(records: Iterable<{ readonly key: RecordKey; readonly run?: number }>): number[] {
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
