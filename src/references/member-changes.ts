import { groupBy } from "../core/collections.ts";
import type { MemberChange } from "../core/diff.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { compactJson, isJsonArray, isJsonObject } from "../core/json.ts";
import { formatPointer } from "../core/records/member-path.ts";
import type { ChildIds, ResourceKind } from "../core/resource-kind.ts";
import { nounOf } from "../kinds/id-spaces.ts";

type Path = readonly string[];
type Similarity = (item: JsonValue) => string;
type Pair = readonly [left: number, right: number];

/**
 * The members in which two bodies of one kind differ. Items of an array are held against the item that they are, not against
 * the one that happens to stand there: one tile that is put in front is one tile added.
 */
export function diffMembers(kind: ResourceKind, left: JsonObject, right: JsonObject): MemberChange[] {
  const childrenOf = (path: Path): ChildIds | undefined =>
    path.length === 1 ? kind.children.find(({ member }) => member === path[0]) : undefined;
  const changes = diffValues(left, right, [], childrenOf);
  return changes.length === 1 ? changes : changes.filter((change) => !isOrderOnly(kind, change));
}

/** The order of such children means nothing to the server: it is named only where nothing else differs. */
function isOrderOnly({ code: { sorted } }: ResourceKind, { pointer, change }: MemberChange): boolean {
  return change === "moved" && sorted !== undefined && pointer === formatPointer([sorted.member]);
}

function diffValues(
  left: JsonValue,
  right: JsonValue,
  path: Path,
  childrenOf: (path: Path) => ChildIds | undefined,
): MemberChange[] {
  const inner = (from: JsonValue, to: JsonValue, step: string): MemberChange[] =>
    diffValues(from, to, [...path, step], childrenOf);
  if (isJsonObject(left) && isJsonObject(right)) return diffObjects(left, right, path, inner);
  if (isJsonArray(left) && isJsonArray(right)) return diffArrays(left, right, path, childrenOf(path), inner);
  if (left === right) return [];
  return [{ pointer: formatPointer(path), change: "changed", from: left, to: right }];
}

type DiffInner = (from: JsonValue, to: JsonValue, step: string) => MemberChange[];

function diffObjects(left: JsonObject, right: JsonObject, path: Path, inner: DiffInner): MemberChange[] {
  const members = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
  return members.flatMap((member) => {
    const from = Object.hasOwn(left, member) ? left[member] : undefined;
    const to = Object.hasOwn(right, member) ? right[member] : undefined;
    if (from !== undefined && to !== undefined) return inner(from, to, member);
    return lone(from, to, [...path, member]);
  });
}

function diffArrays(
  left: readonly JsonValue[],
  right: readonly JsonValue[],
  path: Path,
  children: ChildIds | undefined,
  inner: DiffInner,
): MemberChange[] {
  const similarity = (children?.identity ?? []).map(
    (identity): Similarity =>
      (item) =>
        isJsonObject(item) ? identity(item) : "",
  );
  const pairs = pairItems(left, right, similarity);
  const paired = { left: new Set(pairs.map(([index]) => index)), right: new Set(pairs.map(([, index]) => index)) };
  const at = (index: number): Path => [...path, String(index)];
  const within = (item: JsonValue | undefined, changes: readonly MemberChange[]): MemberChange[] =>
    changes.map((change) => ({ ...change, ...childOf(children, item) }));
  const removed = left.flatMap((item, index) =>
    paired.left.has(index) ? [] : within(item, lone(item, undefined, at(index))),
  );
  const added = right.flatMap((item, index) =>
    paired.right.has(index) ? [] : within(item, lone(undefined, item, at(index))),
  );
  const changed = pairs.flatMap(([from, to]) =>
    within(right[to], inner(left[from] ?? null, right[to] ?? null, String(to))),
  );
  const moved = pairs.some(([, to], index) => to < (pairs[index - 1]?.[1] ?? 0));
  return [
    ...(moved ? [{ pointer: formatPointer(path), change: "moved" } as const] : []),
    ...changed,
    ...removed,
    ...added,
  ];
}

/** The child that an item of an array is. */
function childOf(children: ChildIds | undefined, item: JsonValue | undefined): Pick<MemberChange, "child"> {
  if (children === undefined || item === undefined || !isJsonObject(item)) return {};
  return { child: { noun: nounOf(children.space), name: children.nameOf(item) } };
}

/** Pairs items, sorted by the left position: equal items first, then by similarity, the strictest first. */
function pairItems(left: readonly JsonValue[], right: readonly JsonValue[], similarity: readonly Similarity[]): Pair[] {
  let pairs: Pair[] = [];
  let open = { left: [...left.keys()], right: [...right.keys()] };
  for (const keyOf of [compactJson, ...similarity]) {
    // The first is at the end of its group: to take it from the beginning would move all the others.
    const candidates = groupBy(open.right.toReversed(), (index) => keyOf(right[index] ?? null));
    const found = open.left.flatMap((index): Pair[] => {
      const match = candidates.get(keyOf(left[index] ?? null))?.pop();
      return match === undefined ? [] : [[index, match]];
    });
    // An array may have more items than a function takes arguments.
    pairs = [...pairs, ...found];
    open = without(open, found);
  }
  // Items that have no identity of their own are what stands in their place.
  if (similarity.length === 0) {
    const most = Math.min(open.left.length, open.right.length);
    pairs = [...pairs, ...open.left.slice(0, most).map((index, place): Pair => [index, open.right[place] ?? 0])];
  }
  return pairs.sort(([one], [other]) => one - other);
}

function without<Open extends { left: number[]; right: number[] }>(open: Open, pairs: readonly Pair[]): Open {
  const taken = { left: new Set(pairs.map(([from]) => from)), right: new Set(pairs.map(([, to]) => to)) };
  return {
    ...open,
    left: open.left.filter((index) => !taken.left.has(index)),
    right: open.right.filter((index) => !taken.right.has(index)),
  };
}

function lone(from: JsonValue | undefined, to: JsonValue | undefined, path: Path): MemberChange[] {
  const pointer = formatPointer(path);
  if (from !== undefined) return [{ pointer, change: "removed", from }];
  return to === undefined ? [] : [{ pointer, change: "added", to }];
}
