import type { JsonValue } from "../core/json.ts";
import { isJsonArray } from "../core/json.ts";

/** What two items have in common that are the same thing, though they differ. */
export type Similarity = (item: JsonValue) => string;

/** In the place of an item's number: there is none. */
export const NONE = -1;

/**
 * For each item on the left the place of the one on the right that it is: equal items first, then by similarity, the strictest
 * first. There can be 100,000 items, so the result is one array of numbers and not an object for each pair.
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
  // Items that have no identity of their own are what stands in their place.
  if (similarity.length === 0) {
    const open = openOnRight().values();
    pairOpen(() => open.next().value);
  }
  return counterparts;
}

/** Takes the first of the places that have a key, each once. It holds the first of each key, and for each place the next of its key. */
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

/** A number for a value: equal values have equal numbers, whatever the order of their members. */
export type NumberOf = (value: JsonValue) => number;

const EMPTY = "[]";

/**
 * Numbers values by the numbers of what is in them. So each is looked at once, however deep it is, and its text is not held: arrays
 * may be nested in one another a hundred times, around a text of 16 MB.
 */
export function numberValues(): NumberOf {
  const scalars = new Map<JsonValue, number>();
  const composites = new Map<string, number>();
  const known = new Map<object, number>();
  let count = 0;
  const numbered = <Key>(numbers: Map<Key, number>, key: Key): number => {
    const number = numbers.get(key) ?? (count += 1);
    numbers.set(key, number);
    return number;
  };
  const numberOf = (value: JsonValue): number => {
    if (typeof value !== "object" || value === null) return numbered(scalars, value);
    const noted = known.get(value);
    if (noted !== undefined) return noted;
    const content = contentOf(value);
    const number = numbered(composites, content);
    // What is empty is numbered as fast as its number is found.
    if (content.length > EMPTY.length) known.set(value, number);
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
