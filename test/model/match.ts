// The model: which record of the target is the counterpart of which record of the source.
import type { Memory } from "./journal.ts";
import {
  isTile,
  nameOf,
  tileContent,
  tileName,
  translate,
  usersOf,
  type Archive,
  type ChosenTile,
  type Id,
  type ModelRecord,
  type Parts,
  type Stack,
} from "./stack.ts";

export interface Matches {
  /** Records of the source → their counterparts. */
  readonly pairs: ReadonlyMap<Id, ModelRecord>;
  /** Records that nothing tells apart → what could be their counterparts. */
  readonly ambiguous: ReadonlyMap<Id, readonly ModelRecord[]>;
  /** Ids of the source → ids of the target: all that the journal knows, and those of the pairs. */
  readonly ids: ReadonlyMap<Id, Id>;
}

/** Tells whether a record of the target may be a deleted record that was made again. */
export type IsMadeAgain = (deleted: Id, record: ModelRecord) => boolean;

/** What only some runs ask for. */
interface Asked {
  /** Set for the images of a rollback, which have no counterpart by name. */
  readonly isMadeAgain?: IsMadeAgain;
  readonly tile?: ChosenTile | undefined;
  readonly only?: Id | undefined;
}

/** Matches by the journal, then by the same id on the same stack, by equal content, by a name that is left once on each side. */
export function matchRecords(
  archive: Archive,
  target: Stack,
  memories: ReadonlyMap<Id, Memory>,
  asked: Asked = {},
): Matches {
  const fixed = new Map<Id, ModelRecord>();
  for (const { id } of archive.records) {
    const record = target.records.get(memories.get(id)?.targetId ?? (archive.letter === target.letter ? id : ""));
    if (record !== undefined && ![...fixed.values()].includes(record)) fixed.set(id, record);
  }
  let pairs = fixed;
  let ambiguous: Matches["ambiguous"] = new Map();
  // Contents are equal only once the ids in them are translated, which are those of pairs.
  for (let round = 0; round < 4; round += 1) {
    const ids = idsOf(pairs, archive, target, memories, asked);
    pairs = new Map(fixed);
    ambiguous = pairRest(pairs, ids, archive, target, asked.isMadeAgain);
  }
  return { pairs, ambiguous, ids: idsOf(pairs, archive, target, memories, asked, ambiguous) };
}

/** Adds the pairs of records that are not paired yet. Returns those that nothing tells apart. */
function pairRest(
  pairs: Map<Id, ModelRecord>,
  ids: Matches["ids"],
  archive: Archive,
  target: Stack,
  isMadeAgain?: IsMadeAgain,
): Matches["ambiguous"] {
  const ambiguous = new Map<Id, readonly ModelRecord[]>();
  const translated = (record: ModelRecord): ModelRecord => ({ ...record, parts: translateParts(record.parts, ids) });
  const left = (): ModelRecord[] => archive.records.filter(({ id }) => !pairs.has(id)).map(translated);
  const free = (): ModelRecord[] =>
    [...target.records.values()].filter((record) => ![...pairs.values()].includes(record));
  const [before, freeBefore] = [left(), free()];
  for (const record of before) {
    const isEqual = (other: ModelRecord): boolean =>
      other.kind === record.kind && contentOf(other) === contentOf(record);
    const equals = freeBefore.filter(isEqual);
    // Where an alert is on one of several, a wrong pair would double the alert.
    const isOneOfSeveral = equals.length > 1 || before.filter(isEqual).length > 1;
    const isWatched = ({ id }: ModelRecord): boolean => usersOf(target, id).some(({ kind }) => kind === "alert");
    if (isMadeAgain === undefined && isOneOfSeveral && equals.some(isWatched)) continue;
    const equal = free().find(
      (candidate) => isEqual(candidate) && (isMadeAgain === undefined || isMadeAgain(record.id, candidate)),
    );
    if (equal !== undefined) pairs.set(record.id, equal);
  }
  if (isMadeAgain !== undefined) return ambiguous;
  const [unpaired, candidates] = [left(), free()];
  for (const record of unpaired) {
    const isNamesake = ({ kind, ...other }: ModelRecord): boolean =>
      kind === record.kind && nameOf({ kind, ...other }) === nameOf(record);
    const namesakes = candidates.filter(isNamesake);
    const [counterpart, ...others] = namesakes;
    if (counterpart === undefined) continue;
    if (others.length > 0 || unpaired.filter(isNamesake).length > 1) ambiguous.set(record.id, namesakes);
    else pairs.set(record.id, counterpart);
  }
  return ambiguous;
}

function idsOf(
  pairs: ReadonlyMap<Id, ModelRecord>,
  archive: Archive,
  target: Stack,
  memories: ReadonlyMap<Id, Memory>,
  { tile, only }: Asked,
  ambiguous: Matches["ambiguous"] = new Map(),
): Map<Id, Id> {
  const ids = new Map<Id, Id>();
  const present = new Map(archive.records.map((record) => [record.id, record]));
  for (const [key, { targetId, children }] of memories) {
    // A record that is to be created again has no id yet. Of one that stays gone, the last id is known.
    const isAsked = [key, undefined].includes(tile?.of ?? only);
    if (present.has(key) && !pairs.has(key) && !ambiguous.has(key) && isAsked) continue;
    ids.set(key, targetId);
    for (const [from, to] of children) if (isTile(from)) ids.set(from, to);
  }
  for (const [key, counterpart] of pairs) {
    const record = present.get(key);
    if (record === undefined) continue;
    ids.set(key, counterpart.id);
    const parts = translateParts(record.parts, ids);
    const isOwn = archive.letter === target.letter;
    const children = matchTiles(parts, counterpart, memories.get(key), { isOwn, chosen: tile?.part });
    for (const [from, to] of children) if (isTile(from)) ids.set(from, to);
  }
  return ids;
}

/**
 * Matches the parts of a record: by the journal, by the same id on the same stack, by equal text, and a record that is new to the
 * journal also by the tile's name, then by what it shows.
 */
export function matchTiles(
  parts: Parts,
  { id: targetId, parts: target }: ModelRecord,
  memory: Memory | undefined,
  { isOwn, chosen }: { readonly isOwn: boolean; readonly chosen: string | undefined },
): Map<string, string> {
  const known = memory?.targetId === targetId ? memory : undefined;
  const children = new Map(known?.children);
  const free = (): [string, string][] => [...target].filter(([part]) => ![...children.values()].includes(part));
  for (const part of parts.keys())
    if (!children.has(part) && (!isTile(part) || (isOwn && target.has(part)))) children.set(part, part);
  const pairAlike = (rule: (text: string) => string, isLeft: (part: string) => boolean): void => {
    for (const [part, text] of parts) {
      const alike = isLeft(part) ? free().find(([id, other]) => isTile(id) && rule(other) === rule(text)) : undefined;
      if (alike !== undefined) children.set(part, alike[0]);
    }
  };
  // A tile whose counterpart is gone may have been made again.
  pairAlike(
    (text) => text,
    (part) => !target.has(children.get(part) ?? ""),
  );
  const isStrict = known?.isWhole === true || parts.has(chosen ?? "");
  for (const rule of isStrict ? [] : [tileName, tileContent]) pairAlike(rule, (part) => !children.has(part));
  // The tile that is asked for takes the place of the only one of its name.
  const nameOfTile = (text = ""): string => text.split(":")[0] ?? "";
  const isOnly = (all: readonly string[]): boolean =>
    all.filter((text) => nameOfTile(text) === nameOfTile(parts.get(chosen ?? ""))).length === 1;
  if (
    isOnly([...parts].flatMap(([part, text]) => (isTile(part) ? text : []))) &&
    isOnly(free().map(([, text]) => text))
  )
    pairAlike(nameOfTile, (part) => part === chosen && !target.has(children.get(part) ?? ""));
  return children;
}

export function translateParts(parts: Parts, ids: ReadonlyMap<Id, Id>): Parts {
  return new Map([...parts].map(([part, text]) => [part, translate(text, ids)]));
}

/** The content of a record, without the ids and the order of its tiles. */
export function contentOf({ parts }: ModelRecord): string {
  return [...parts]
    .map(([part, text]) => (isTile(part) ? text : `${part}=${text.trim()}`))
    .toSorted()
    .join("\n");
}
