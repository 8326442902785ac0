// The model: a rollback is an import of images.
import { decideAll, writeAll } from "./import.ts";
import { type Decision, type Scene } from "./plan.ts";
import {
  fateOf,
  memoryBefore,
  openRun,
  undoneBy,
  type Base,
  type Intent,
  type Journal,
  type Line,
  type Memory,
} from "./journal.ts";
import { contentOf, matchRecords, translateParts, type IsMadeAgain } from "./match.ts";
import { beginRun, withoutOpenIntents, type Disturb } from "./run.ts";
import { translate, type Archive, type Id, type ModelRecord, type Stack } from "./stack.ts";

/** A record before and after the run that is undone, with the ids of today. */
interface Undoing {
  readonly key: Id;
  readonly image: ModelRecord | undefined;
  readonly left: ModelRecord | undefined;
}

/** Undoes a run. Returns a decision for each record that the run wrote. */
export function runRollback(
  target: Stack,
  journal: Journal,
  chosen: number,
  isForced: boolean,
  disturb: Disturb = () => {},
): Decision[] {
  const lines = withoutOpenIntents(journal, target);
  const ids = idsOfToday(lines);
  const { undoings, later } = undoingsOf(lines, target, chosen, isForced, ids);
  const scene = sceneOf(target, undoings, isForced, madeAgainIn(lines, chosen, undoings));
  const plan = decideAll(scene).filter(({ key }) => undoings.has(key));
  const run = beginRun(journal, target, chosen, disturb);
  const keyOf = (id: Id): Id => undoings.get(id)?.key ?? id;
  const keep = (id: Id, now: Memory | undefined, stored: ModelRecord | undefined): Memory | undefined => {
    if (stored !== undefined)
      for (const [from, to] of [[id, stored.id] as const, ...(now?.children ?? [])]) ids.set(from, to);
    const before = memoryBefore(lines, chosen, keyOf(id));
    return before && stored ? putBack(before, undoings.get(id)?.image, stored, ids) : before;
  };
  writeAll(plan, scene, run, { keyOf, keep });
  run.end();
  return [...plan.map((each) => ({ ...each, key: keyOf(each.key) })), ...later];
}

function undoingsOf(
  lines: readonly Line[],
  target: Stack,
  chosen: number,
  isForced: boolean,
  ids: ReadonlyMap<Id, Id>,
): { readonly undoings: ReadonlyMap<Id, Undoing>; readonly later: readonly Decision[] } {
  const undoings = new Map<Id, Undoing>();
  const later: Decision[] = [];
  const today = (record: ModelRecord | undefined): ModelRecord | undefined =>
    record && {
      ...record,
      id: ids.get(record.id) ?? record.id,
      parts: new Map([...translateParts(record.parts, ids)].map(([part, text]) => [ids.get(part) ?? part, text])),
    };
  for (const key of new Set(lines.flatMap((line) => (line.is === "done" && line.run === chosen ? [line.key] : [])))) {
    // An interrupted undo of the run is gone on with.
    const { isUndone, isLater } = fateOf(
      lines.filter(({ run }) => run !== openRun(lines)),
      chosen,
      key,
    );
    const intent = lines.find((line) => line.is === "intent" && line.run === chosen && line.key === key);
    if (isUndone || intent?.is !== "intent") continue;
    if (isLater && !isForced) {
      later.push({
        key,
        kind: intent.kind,
        verdict: "later-run",
        targetId: undefined,
        changes: [],
        taken: new Set(),
        children: new Map(),
      });
      continue;
    }
    const last = lines.findLast((line) => line.is === "done" && line.key === key);
    const undoing = { key, image: today(intent.image), left: last?.is === "done" ? last.stored : undefined };
    const id = undoing.image?.id ?? undoing.left?.id;
    // What the run left, and somebody has deleted since, stays deleted.
    const isGone = undoing.left !== undefined && !target.records.has(undoing.left.id);
    if (id !== undefined && !isGone) undoings.set(id, undoing);
  }
  return { undoings, later };
}

/** What neither side has. */
const CHANGED = "(changed since)";

/** A deleted record may have been made again: what was not there before the delete, and the run has not created. */
function madeAgainIn(lines: readonly Line[], chosen: number, undoings: ReadonlyMap<Id, Undoing>): IsMadeAgain {
  return (deleted, { id }) => {
    const key = undoings.get(deleted)?.key;
    const intent = lines.findLast((line) => line.is === "intent" && line.run === chosen && line.key === key);
    const wasThere = intent?.is !== "intent" || intent.does !== "delete" || intent.listed.has(id);
    return !wasThere && !undoings.has(id);
  };
}

/** The archive is what the run replaced or deleted; the base is what the run left. */
function sceneOf(
  target: Stack,
  undoings: ReadonlyMap<Id, Undoing>,
  isForced: boolean,
  isMadeAgain: IsMadeAgain,
): Scene {
  const images = [...undoings.values()].flatMap(({ image }) => image ?? []);
  const archive: Archive = { letter: target.letter, at: 1, records: images };
  const memories = new Map(
    [...undoings].flatMap(([id, { image, left }]): [Id, Memory][] => {
      if (left === undefined) return [];
      const now = target.records.get(id) ?? left;
      const isAsLeft = contentOf(now) === contentOf(left);
      // Where somebody has changed the record since, each part counts as changed.
      const known = isAsLeft
        ? [...now.parts]
        : [...(image?.parts ?? []), ...now.parts].map(([part]) => [part, CHANGED] as const);
      const bases = new Map(
        known.map(([part, text]): [string, Base] => [part, { desired: text, stored: text, isWritten: true, at: 1 }]),
      );
      return [
        [
          id,
          {
            targetId: id,
            children: new Map([...(image?.parts.keys() ?? [])].map((part) => [part, part])),
            bases,
            isWhole: true,
            at: 1,
            isOurs: true,
          },
        ],
      ];
    }),
  );
  const options = { policy: isForced ? "overwrite" : "keep", mirror: true } as const;
  return {
    archive,
    target,
    options,
    memories,
    unknown: new Set(),
    matches: matchRecords(archive, target, memories, { isMadeAgain }),
  };
}

/** Returns what was known of a record before the run, with the ids and the stored texts of the undo. */
function putBack(
  before: Memory,
  image: ModelRecord | undefined,
  stored: ModelRecord,
  ids: ReadonlyMap<Id, Id>,
): Memory {
  const today = (id: string): string => ids.get(id) ?? id;
  // Before the run, the source's record had another counterpart.
  if (![image?.id, stored.id].includes(today(before.targetId))) return before;
  const bases = [...before.bases].map(([part, base]): [string, Base] => {
    const [desired, former] = [base.desired, base.stored].map((text) => text && translate(text, ids));
    const isPutBack =
      image === undefined || image.parts.get(part) === former || image.parts.get(today(part)) === former;
    return [today(part), { ...base, desired, stored: isPutBack ? stored.parts.get(today(part)) : former }];
  });
  const isNew = today(before.targetId) !== before.targetId && stored.id !== before.targetId;
  return {
    ...before,
    targetId: stored.id,
    children: new Map([...before.children].map(([from, to]) => [from, today(to)])),
    bases: new Map(bases),
    isOurs: before.isOurs && !isNew,
  };
}

/** Former ids of records and tiles that a rollback has created again → their ids of today. */
function idsOfToday(lines: readonly Line[]): Map<Id, Id> {
  const next = new Map<Id, Id>();
  for (const [at, line] of lines.entries()) {
    const undone = line.is === "done" && line.stored !== undefined ? undoneBy(lines, line.run) : undefined;
    if (undone === undefined || line.is !== "done" || line.stored === undefined) continue;
    const isOfKey = (each: Line): each is Intent => each.is === "intent" && each.key === line.key;
    const image = lines.find((each) => isOfKey(each) && each.run === undone);
    const sent = lines.slice(0, at).findLast((each) => isOfKey(each) && each.run === line.run);
    const former = [
      image?.is === "intent" ? image.image?.id : undefined,
      ...(sent?.is === "intent" ? sent.sent.keys() : []),
    ];
    for (const [index, id] of [line.stored.id, ...line.stored.parts.keys()].entries()) {
      const before = former[index];
      if (before !== undefined && before !== id) next.set(before, id);
    }
  }
  const today = (id: Id): Id => (next.has(id) ? today(next.get(id) ?? "") : id);
  return new Map([...next.keys()].map((id) => [id, today(id)]));
}
