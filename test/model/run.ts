// The model: how a run writes, and how the next run goes on with one that was killed.
import { fold, openIntents, openRun, undoneBy, type Intent, type Journal, type Line, type Memory } from "./journal.ts";
import { contentOf } from "./match.ts";
import { create, nameOf, remove, update, type Id, type ModelRecord, type Stack } from "./stack.ts";

/** Called before and after each write. If it throws, the run is killed. */
export type Disturb = (moment: "before" | "after", intent: Intent) => void;

type WithoutRun<Of> = Of extends Line ? Omit<Of, "run"> : never;
type NoteLine = WithoutRun<Extract<Line, { is: "seen" | "done" }>>;

export interface Run {
  readonly number: number;
  /** Writes a record: intent, write, done. */
  write(what: Pick<Intent, "key" | "kind" | "does" | "sent" | "remember">, targetId: Id | undefined): void;
  /** Notes what is known of a record without a write: parts are equal on both sides, or a rollback found it undone already. */
  note(line: NoteLine): void;
  end(): void;
}

/** Begins a run, or goes on with the one that was killed. A run that writes nothing and sees nothing new leaves no line. */
export function beginRun(journal: Journal, target: Stack, undoes: number | undefined, disturb: Disturb): Run {
  journal.splice(0, journal.length, ...withoutOpenIntents(journal, target));
  const open = openRun(journal);
  const goesOn = open !== undefined && undoneBy(journal, open) === undoes;
  if (open !== undefined && !goesOn) journal.push({ is: "end", run: open });
  const number = goesOn ? open : (journal.at(-1)?.run ?? 0) + 1;
  const append = (line: Line): void => {
    if (journal.at(-1)?.run !== number) journal.push({ is: "begin", run: number, undoes });
    journal.push(line);
  };
  return {
    number,
    write({ remember, ...what }, targetId) {
      const { records } = target;
      const image = targetId === undefined ? undefined : records.get(targetId);
      const intent = { is: "intent", run: number, ...what, image, listed: new Set(records.keys()), remember } as const;
      append(intent);
      disturb("before", intent);
      const id = targetId ?? create(target, what.kind, what.sent);
      if (what.does === "update") update(target, id, what.sent);
      if (what.does === "delete") remove(target, id);
      disturb("after", intent);
      const stored = records.get(id);
      append({ is: "done", run: number, key: what.key, memory: remember(stored), stored });
    },
    note: (line) => append({ ...line, run: number }),
    end: () => void (journal.at(-1)?.run === number && journal.push({ is: "end", run: number })),
  };
}

/** Finds out what became of each write of a killed run whose answer nobody has seen. */
export function withoutOpenIntents(journal: readonly Line[], target: Stack): Line[] {
  const lines = [...journal];
  for (const intent of openIntents(journal)) {
    const { run, key, image, remember, does } = intent;
    const notApplied = { is: "not-applied", run, key } as const;
    const present = target.records.get(image?.id ?? "");
    if (does === "create") {
      const created = createdBy(intent, target, fold(lines));
      if (created !== "unknown")
        lines.push(
          created === undefined ? notApplied : { is: "done", run, key, memory: remember(created), stored: created },
        );
    } else if (
      does === "delete"
        ? present === undefined
        : present !== undefined && contentOf(present) === contentOf({ ...present, parts: intent.sent })
    ) {
      lines.push({ is: "done", run, key, memory: remember(present), stored: present });
    } else if (present !== undefined && image !== undefined && contentOf(present) === contentOf(image)) {
      lines.push(notApplied);
    } else {
      // Nobody can say any more who changed what.
      const memory = fold(lines).get(key);
      lines.push({
        is: "done",
        run,
        key,
        memory: memory && { ...memory, bases: new Map(), isWhole: false },
        stored: undefined,
      });
    }
  }
  return lines;
}

/** Finds the record that a create made, among those that were not listed before it. */
function createdBy(
  { kind, sent, listed }: Intent,
  target: Stack,
  memories: ReadonlyMap<Id, Memory>,
): ModelRecord | undefined | "unknown" {
  const known = new Set([...memories.values()].map(({ targetId }) => targetId));
  const candidates = [...target.records.values()].filter(
    (record) => record.kind === kind && !listed.has(record.id) && !known.has(record.id),
  );
  const wanted = { id: "", kind, parts: sent };
  const equal = candidates.find((record) => contentOf(record) === contentOf(wanted));
  const namesakes = candidates.filter((record) => nameOf(record) === nameOf(wanted));
  return equal ?? (namesakes.length > 1 ? "unknown" : namesakes[0]);
}
