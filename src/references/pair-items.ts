import type { JsonValue } from "../core/json.ts";
import { isJsonArray } from "../core/json.ts";

/** Returns a key that two versions of one item have in common although they differ. */
export type Similarity = (item: JsonValue) => string;

/** Index of an item without a counterpart. */
export const NONE = -1;

/**
 * Pairs items: returns for each item on the left the index of its counterpart on the right. Equal items are paired first, then
 * similar ones, the most similar first. There can be 100,000 items, so the result is one array of numbers instead of an object
 * per pair.
 */
export function pairItems(
  left: readonly JsonValue[],
  right: readonly JsonValue[],
  similarity: readonly Similarity[],
  numberOf: NumberOf,
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

/**
 * Makes a function that returns each index with a given key once, in order. It stores the first index per key, and for each index
 * the next one of the same key.
 */
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

/** Gives a value a number: equal values have equal numbers, whatever the order of their members. */
export type NumberOf = (value: JsonValue) => number;

const EMPTY = "[]";

/**
 * Numbers values by the numbers of their parts. Each part is visited once, however deeply it is nested, and no text is built:
 * arrays may be nested a hundred levels deep around a text of 16 MB.
 */
export function numberValues(): NumberOf {
  const scalars = new Map<JsonValue, number>();
  const composites = new Map<string, number>();
  const numbersByObject = new Map<object, number>();
  let count = 0;
  const numberOfKey = <Key>(numbers: Map<Key, number>, key: Key): number => {
    const number = numbers.get(key) ?? (count += 1);
    numbers.set(key, number);
    return number;
  };
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
