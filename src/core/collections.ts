/** `Map.groupBy` is absent on Node 20. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) getOrMake(groups, keyOf(item), (): Item[] => []).push(item);
  return groups;
}

interface Store<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

export function getOrMake<Key, Value>(map: Store<Key, Value>, key: Key, make: () => Value): Value {
  const stored = map.get(key);
  if (stored !== undefined) return stored;
  const value = make();
  map.set(key, value);
  return value;
}

/** The order is the same in every locale. */
export function byCodeUnit(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

export function partition<Item>(items: readonly Item[], isOne: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isOne), items.filter((item) => !isOne(item))];
}

export function definedMembers<Members extends object>(members: Members): Members {
  const defined = { ...members };
  for (const name in defined) if (defined[name] === undefined) Reflect.deleteProperty(defined, name);
  return defined;
}

export function splitWords(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

export function wordSet(text: string): ReadonlySet<string> {
  return new Set(splitWords(text));
}
