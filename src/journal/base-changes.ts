import type { Base, ChildPairs, PartBase } from "../core/plan/base.ts";
import type { EntryOf, Image, Settled, SettledPart } from "../core/plan/journal.ts";
import { splitKey } from "../core/records/record.ts";
import { findKind } from "../kinds/registry.ts";
import { isSameId } from "../references/known-ids.ts";
import { childKey, partDigest, partsOfTarget } from "../references/parts.ts";

export interface SettledBy {
  /** False for a comparison. */
  readonly isWrite: boolean;
  /** Export time of the run's archive: ISO 8601, UTC. Undefined for files. */
  readonly archived: string | undefined;
}

export function baseAfter(
  entry: EntryOf<"done" | "seen">,
  known: Base | undefined,
  name: string,
  { isWrite, archived }: SettledBy,
): Base {
  const before = known && isSameId(known.targetId, entry.targetId) ? known : undefined;
  const { whole = before?.whole ?? false, children, sourceName, lacksLinks } = entry;
  return {
    targetId: entry.targetId,
    name: name || (before?.name ?? ""),
    sourceName,
    ours: isWrite || before?.ours === true,
    parts: settledParts(entry, before, { isWrite, archived }),
    whole,
    children: mergeChildren(before?.children, children),
    archived: latest(before?.archived, archived),
    lacksLinks,
  };
}

/** Without `forgets`, a part that the entry does not name keeps its base. */
function settledParts(
  { parts = {}, equal = {}, forgets }: Partial<Settled>,
  before: Base | undefined,
  { isWrite, archived }: SettledBy,
): Base["parts"] {
  const remembered = forgets === true ? {} : (before?.parts ?? {});
  const unsettled = Object.entries(remembered).filter(([key]) => !Object.hasOwn(parts, key));
  const written = Object.entries(parts).flatMap(([key, part]) =>
    part === null ? [] : [[key, partBase(part, isWrite, archived)] as const],
  );
  const found = Object.entries(equal).map(([key, part]) => {
    const [, stored] = sidesOf(part);
    const earlier = before?.parts[key];
    return [key, partBase(part, earlier?.written === true && earlier.stored === stored, archived)] as const;
  });
  return Object.fromEntries([...unsettled, ...found, ...written]);
}

/**
 * Returns the base before the undone write, with the present ids and digests.
 * @param image the record before the undone write
 */
export function undoneBase(
  before: Base | undefined,
  { key, write, targetId, parts = {}, children = {} }: EntryOf<"done">,
  image: Image | undefined,
): Base | undefined {
  if (before === undefined || write === "delete") return undefined;
  const newKeys = new Map(
    Object.entries(children).flatMap(([space, ids]) =>
      Object.entries(ids).map(([from, to]) => [childKey(space, from), childKey(space, to)]),
    ),
  );
  const kind = findKind(splitKey(key)[0]);
  const digests =
    kind && image && new Map(partsOfTarget(kind, image.body).map((part) => [part.key, partDigest(part.value)]));
  const undoneParts = Object.entries(before.parts).map(([keyBefore, part]) => {
    const partKey = newKeys.get(keyBefore) ?? keyBefore;
    const [, stored] = sidesOf(parts[partKey] ?? part.stored);
    // A part that was edited before the undone write still counts as edited.
    const isEdited = digests !== undefined && (digests.get(keyBefore) ?? "") !== part.stored;
    return [partKey, isEdited ? part : { ...part, stored }] as const;
  });
  return {
    ...before,
    targetId,
    ours: before.ours && write !== "create",
    parts: Object.fromEntries(undoneParts),
    children:
      before.children &&
      mapValues(before.children, (ids, space) => mapValues(ids, (id) => children[space]?.[id] ?? id)),
  };
}

function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value, key: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value, key)]));
}

function sidesOf(part: SettledPart): readonly [desired: string, stored: string] {
  return typeof part === "string" ? [part, part] : part;
}

function partBase(part: SettledPart, written: boolean, archived: string | undefined): PartBase {
  const [desired, stored] = sidesOf(part);
  return { desired, stored, written, archived };
}

function latest(left: string | undefined, right: string | undefined): string | undefined {
  return left === undefined || (right !== undefined && right > left) ? right : left;
}

function mergeChildren(before: ChildPairs = {}, after: ChildPairs = {}): ChildPairs | undefined {
  const spaces = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return spaces.length === 0
    ? undefined
    : Object.fromEntries(spaces.map((space) => [space, { ...before[space], ...after[space] }]));
}
