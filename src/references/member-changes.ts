import { getOrMake } from "../core/collections.ts";
import type { MemberChange } from "../core/diff.ts";
import {
  isJsonArray,
  isJsonObject,
  writeCompactJson,
  ownMember,
  type JsonObject,
  type JsonValue,
} from "../core/json.ts";
import { formatPointer } from "../core/records/member-path.ts";
import type { ChildIds, ResourceKind } from "../core/resource-kind.ts";
import { nounOf } from "../kinds/nouns.ts";
import { createHash } from "node:crypto";

/** Maximum number of characters of all pointers and names in one record's differences. 500 tiles need less than a tenth of this. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

/**
 * Lists the members in which two bodies of one kind differ. Items of an array are compared with their counterparts, not by
 * position, so that an inserted tile counts as one added tile. If the list would take many times the memory of the bodies, each
 * differing top-level member is reported as a whole. Long values are cut.
 */
export function diffMembers(kind: ResourceKind, left: JsonObject, right: JsonObject): MemberChange[] {
  const changes: MemberChange[] = [];
  let characters = 0;
  const add = (change: MemberChange): void => {
    characters += change.pointer.length + (change.child?.name.length ?? 0);
    if (characters <= MAX_CHARACTERS) changes.push(change);
  };
  const children = new Map(kind.children.map((childKind) => [formatPointer([childKind.member]), childKind]));
  const numberOf = numberValues();
  diffObjects(left, right, "", { children, numberOf, add });
  if (characters > MAX_CHARACTERS) return wholeMembers(left, right, numberOf).map(withoutLongValues);
  const reported = changes.length === 1 ? changes : changes.filter((change) => !isOrderOnly(kind, change));
  return reported.map(withoutLongValues);
}

function wholeMembers(left: JsonObject, right: JsonObject, numberOf: NumberOfValue): MemberChange[] {
  return membersOfBoth(left, right).flatMap(({ member, from, to }): MemberChange[] => {
    const pointer = formatPointer([member]);
    if (from === undefined || to === undefined) return loneChange(from, to, pointer);
    return numberOf(from) === numberOf(to) ? [] : [{ pointer, change: "changed", from, to }];
  });
}

/** Tells whether a change merely reorders children whose order the server ignores. It is reported only if nothing else changed. */
function isOrderOnly({ code: { sorted } }: ResourceKind, { pointer, change }: MemberChange): boolean {
  return change === "moved" && sorted !== undefined && pointer === formatPointer([sorted.member]);
}

interface Comparison {
  /** The kinds of children, by the pointer to the array that contains them. */
  readonly children: ReadonlyMap<string, ChildIds>;
  readonly numberOf: NumberOfValue;
  /** Receives the differences one by one, because there can be 100,000 of them. */
  readonly add: (change: MemberChange) => void;
}

type Side = JsonValue | undefined;

function diffValues(left: Side, right: Side, pointer: string, comparison: Comparison): void {
  const { add } = comparison;
  if (left === right) return;
  if (left === undefined || right === undefined) loneChange(left, right, pointer).forEach(add);
  else if (isJsonObject(left) && isJsonObject(right)) diffObjects(left, right, pointer, comparison);
  else if (isJsonArray(left) && isJsonArray(right)) diffArrays(left, right, pointer, comparison);
  else add({ pointer, change: "changed", from: left, to: right });
}

function loneChange(from: Side, to: Side, pointer: string): MemberChange[] {
  if (from !== undefined) return [{ pointer, change: "removed", from }];
  return to === undefined ? [] : [{ pointer, change: "added", to }];
}

function diffObjects(left: JsonObject, right: JsonObject, pointer: string, comparison: Comparison): void {
  for (const { member, from, to } of membersOfBoth(left, right)) {
    diffValues(from, to, `${pointer}${formatPointer([member])}`, comparison);
  }
}

function membersOfBoth(left: JsonObject, right: JsonObject) {
  const members = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
  return members.map((member) => ({ member, from: ownMember(left, member), to: ownMember(right, member) }));
}

function diffArrays(
  left: readonly JsonValue[],
  right: readonly JsonValue[],
  pointer: string,
  comparison: Comparison,
): void {
  const { add, numberOf } = comparison;
  const children = comparison.children.get(pointer);
  const similarity = (children?.identity ?? []).map(
    (identity): SimilarityKey =>
      (item) =>
        isJsonObject(item) ? identity(item) : "",
  );
  const counterparts = pairItems(left, right, similarity, numberOf);
  const paired = counterparts.filter((place) => place !== NONE);
  if (paired.some((to, index) => to < (paired[index - 1] ?? 0))) add({ pointer, change: "moved" });
  const diffItem = (from: Side, to: Side, index: number): void => {
    const child = childOf(children, to ?? from);
    const addWithin = (change: MemberChange): void => add({ ...change, child });
    const within = child === undefined ? comparison : { ...comparison, add: addWithin };
    diffValues(from, to, `${pointer}/${index}`, within);
  };
  counterparts.forEach((to, index) => to !== NONE && diffItem(left[index], right[to], to));
  counterparts.forEach((to, index) => to === NONE && diffItem(left[index], undefined, index));
  const places = new Set(paired);
  right.forEach((item, index) => !places.has(index) && diffItem(undefined, item, index));
}

/** Describes an array item that is a child; returns undefined for any other item. */
function childOf(children: ChildIds | undefined, item: Side): MemberChange["child"] {
  if (children === undefined || item === undefined || !isJsonObject(item)) return undefined;
  return { noun: nounOf(children.space), name: children.nameOf(item) };
}

/**
 * Maximum number of characters of a pointer or value that is shown whole: printing two values of 16 MB would take several times the
 * memory.
 */
const MAX_LENGTH = 256 * 1024;
/** Number of characters shown of a longer value or pointer. */
const BEGINNING = 1000;

/** Replaces long values in a change by their beginning, length and checksum, so that different values stay distinguishable. */
export function withoutLongValues(change: MemberChange): MemberChange {
  const { pointer, from, to } = change;
  return {
    ...change,
    ...(pointer.length > MAX_LENGTH && { pointer: summarizeValue(pointer) }),
    ...(from !== undefined && { from: shortenValue(from) }),
    ...(to !== undefined && { to: shortenValue(to) }),
  };
}

function shortenValue(value: JsonValue): JsonValue {
  let length = 0;
  writeCompactJson(value, (part) => (length += part.length));
  return length > MAX_LENGTH ? summarizeValue(value) : value;
}

function summarizeValue(value: JsonValue): string {
  const hash = createHash("sha256");
  let [beginning, length] = ["", 0];
  writeCompactJson(value, (part) => {
    hash.update(part);
    beginning += part.slice(0, BEGINNING - beginning.length);
    length += part.length;
  });
  return `${beginning}… (${length} characters of JSON, SHA-256 ${hash.digest("hex")})`;
}

/** A function that returns a key of an array item. Two versions of an item have the same key although their contents differ. */
type SimilarityKey = (item: JsonValue) => string;

/** Index of an item without a counterpart. */
const NONE = -1;

/**
 * Pairs items: returns for each item on the left the index of its counterpart on the right. Equal items are paired first, then
 * similar ones, the most similar first. There can be 100,000 items, so the result is one array of numbers instead of an object
 * per pair.
 */
function pairItems(
  left: readonly JsonValue[],
  right: readonly JsonValue[],
  similarity: readonly SimilarityKey[],
  numberOf: NumberOfValue,
): Int32Array {
  const counterparts = new Int32Array(left.length).fill(NONE);
  const taken = new Set<number>();
  const openOnRight = (): number[] => [...right.keys()].filter((to) => !taken.has(to));
  const pairOpen = (choose: (item: JsonValue) => number | undefined): void =>
    left.forEach((item, from) => {
      const to = counterparts[from] === NONE ? choose(item) : undefined;
      if (to === undefined) return;
      counterparts[from] = to;
      taken.add(to);
    });
  for (const keyOf of [numberOf, ...similarity]) {
    const takeFirst = queuesByKey(openOnRight(), (to) => keyOf(right[to] ?? null));
    pairOpen((item) => takeFirst(keyOf(item)));
  }
  // Items without an identity are paired by position.
  if (similarity.length === 0) {
    const unpaired = openOnRight().values();
    pairOpen(() => unpaired.next().value);
  }
  return counterparts;
}

/** Makes a function that returns, at each call with a key, the next index with this key, until none is left. */
function queuesByKey<Key>(places: readonly number[], keyOf: (place: number) => Key): (key: Key) => number | undefined {
  const first = new Map<Key, number>();
  const next = new Map<number, number>();
  for (const place of places.toReversed()) {
    const key = keyOf(place);
    const following = first.get(key);
    if (following !== undefined) next.set(place, following);
    first.set(key, place);
  }
  return (key) => {
    const place = first.get(key);
    const following = place === undefined ? undefined : next.get(place);
    if (following === undefined) first.delete(key);
    else first.set(key, following);
    return place;
  };
}

/** A function that gives a JSON value a number. Equal values get equal numbers, whatever the order of their members. */
export type NumberOfValue = (value: JsonValue) => number;

const EMPTY = "[]";

/**
 * Makes a function that derives the number of an object or array from the numbers of its parts. Each part is visited once, however
 * deeply it is nested, and no JSON text is built: a text of 16 MB may be inside a hundred levels of arrays.
 */
function numberValues(): NumberOfValue {
  const scalars = new Map<JsonValue, number>();
  const composites = new Map<string, number>();
  const numbersByObject = new Map<object, number>();
  let count = 0;
  const numberOfKey = <Key>(numbers: Map<Key, number>, key: Key): number => getOrMake(numbers, key, () => (count += 1));
  const numberOf = (value: JsonValue): number => {
    if (typeof value !== "object" || value === null) return numberOfKey(scalars, value);
    const cachedNumber = numbersByObject.get(value);
    if (cachedNumber !== undefined) return cachedNumber;
    const content = contentOf(value);
    const number = numberOfKey(composites, content);
    // Empty values are not cached, because computing their number is as fast as a look-up.
    if (content.length > EMPTY.length) numbersByObject.set(value, number);
    return number;
  };
  const contentOf = (value: JsonValue & object): string => {
    if (isJsonArray(value)) return `[${value.map(numberOf).join()}]`;
    const members = Object.entries(value).flatMap(([name, inner]) =>
      inner === undefined ? [] : [`${numberOf(name)}:${numberOf(inner)}`],
    );
    return `{${members.sort().join()}}`;
  };
  return numberOf;
}
