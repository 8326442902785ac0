// The model: the only memory of imports from one source to one target.
import type { Id, ModelRecord, Parts } from "./stack.ts";

/** What a part was when it was last settled: taken from the source, or found equal on both sides. */
export interface Base {
  /** What the source wanted, in the target's words; undefined if it had no such part. */
  readonly desired: string | undefined;
  /** What the target stored. */
  readonly stored: string | undefined;
  /** Whether that was a write of ours. */
  readonly isWritten: boolean;
  /** The time of the archive with which the part was settled. */
  readonly at: number;
}

/** What the journal knows of a record of the source. */
export interface Memory {
  readonly targetId: Id;
  /** Ids of the source's parts → ids of the target's parts. */
  readonly children: ReadonlyMap<string, string>;
  /** The bases, by the ids of the target's parts. */
  readonly bases: ReadonlyMap<string, Base>;
  /** Whether all parts were settled once. From then on, a part without a base is new. */
  readonly isWhole: boolean;
  /** The time of the newest archive with which a part was settled. */
  readonly at: number;
  /** Whether an import created or updated the record. */
  readonly isOurs: boolean;
  /** Set if only the journal of the other direction knows the record. What it knows of children enters no other journal. */
  readonly isReverse?: true;
}

/** What is written before each write. */
export interface Intent {
  readonly is: "intent";
  readonly run: number;
  readonly key: Id;
  readonly kind: ModelRecord["kind"];
  readonly does: "create" | "update" | "delete";
  /** The record that the write replaces or deletes. */
  readonly image: ModelRecord | undefined;
  /** What is sent; empty for a delete. */
  readonly sent: Parts;
  /** The ids that the target had. */
  readonly listed: ReadonlySet<Id>;
  /** Returns what is known of the record once the target has stored the write. */
  readonly remember: (stored: ModelRecord | undefined) => Memory | undefined;
}

/** `done` and `seen` hold all that is known of a record from then on; `not-applied` says that its write never arrived. */
export type Line =
  | { readonly is: "begin"; readonly run: number; readonly undoes: number | undefined }
  | Intent
  | { readonly is: "seen"; readonly run: number; readonly key: Id; readonly memory: Memory }
  | {
      readonly is: "done";
      readonly run: number;
      readonly key: Id;
      readonly memory: Memory | undefined;
      readonly stored: ModelRecord | undefined;
    }
  | { readonly is: "not-applied" | "end"; readonly run: number; readonly key?: Id };

export type Journal = Line[];

/** Returns what is known of each record: its last line says it. */
export function fold(journal: readonly Line[]): Map<Id, Memory> {
  const memories = new Map<Id, Memory>();
  for (const line of journal) {
    if (line.is !== "done" && line.is !== "seen") continue;
    if (line.memory === undefined) memories.delete(line.key);
    else memories.set(line.key, line.memory);
  }
  return memories;
}

/** Adds what the journal of the other direction knows of records that nothing else is known of: only the pairs. */
export function withOtherDirection(memories: ReadonlyMap<Id, Memory>, other: ReadonlyMap<Id, Memory>): Map<Id, Memory> {
  const taken = new Set([...memories.values()].map(({ targetId }) => targetId));
  const added = [...other].flatMap(([key, { targetId, children }]): [Id, Memory][] => {
    if (memories.has(targetId) || taken.has(key)) return [];
    const exchanged = new Map([...children].map(([from, to]) => [to, from]));
    return [
      [
        targetId,
        { targetId: key, children: exchanged, bases: new Map(), isWhole: false, at: 0, isOurs: false, isReverse: true },
      ],
    ];
  });
  return new Map([...memories, ...added]);
}

/** Returns what was known of a record before a run. */
export function memoryBefore(journal: readonly Line[], run: number, key: Id): Memory | undefined {
  const first = journal.findIndex((line) => line.is === "begin" && line.run === run);
  return fold(journal.slice(0, first)).get(key);
}

/** Returns the intents of which nobody knows whether the target carried them out. */
export function openIntents(journal: readonly Line[]): Intent[] {
  const isClosed = ({ key }: Intent, at: number): boolean =>
    journal.slice(at + 1).some((line) => line.is !== "begin" && line.is !== "seen" && line.key === key);
  return journal.filter((line, at): line is Intent => line.is === "intent" && !isClosed(line, at));
}

/** Tells whether a run's write of a record is undone, and whether a later run has written the record. What was undone does not count. */
export function fateOf(
  journal: readonly Line[],
  chosen: number,
  key: Id,
): { readonly isUndone: boolean; readonly isLater: boolean } {
  const [before, after] = [new Map<number, readonly number[]>(), new Map<number, readonly number[]>()];
  const undone = new Set<number>();
  let runs: readonly number[] = [];
  for (const { run } of journal.filter((line) => line.is === "done" && line.key === key)) {
    if (before.has(run)) continue;
    before.set(run, runs);
    const first = undoneBy(journal, run);
    runs = first === undefined ? [...runs, run] : (before.get(first) ?? runs);
    after.set(run, runs);
    // An undo that is undone itself counts as never been.
    for (let [each, isNow] = [first, true]; each !== undefined; [each, isNow] = [undoneBy(journal, each), !isNow]) {
      if (isNow) undone.add(each);
      else undone.delete(each);
    }
  }
  // Who undoes an import undoes what later imports did to the record, too.
  const isUndone = undoneBy(journal, chosen) === undefined ? !runs.includes(chosen) : undone.has(chosen);
  return { isUndone, isLater: runs.some((run) => after.get(chosen)?.includes(run) === false) };
}

/** Returns the run that a rollback undid; undefined for an import. */
export function undoneBy(journal: readonly Line[], run: number): number | undefined {
  for (const line of journal) if (line.is === "begin" && line.run === run) return line.undoes;
  return undefined;
}

/** Returns the run that did not reach its end. */
export function openRun(journal: readonly Line[]): number | undefined {
  const last = journal.at(-1);
  return last === undefined || last.is === "end" ? undefined : last.run;
}

/** Returns the run that a rollback undoes: the one whose rollback was interrupted, else the last import that wrote something. */
export function runToUndo(journal: readonly Line[]): number | undefined {
  const open = openRun(journal);
  const interrupted = open === undefined ? undefined : undoneBy(journal, open);
  return interrupted ?? journal.findLast(({ is, run }) => is === "done" && undoneBy(journal, run) === undefined)?.run;
}
