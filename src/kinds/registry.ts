import { StackferryError } from "../core/errors.ts";
import type { KindName } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { alerts } from "./alerts.ts";
import { connections } from "./connections.ts";
import { dashboards } from "./dashboards.ts";
import { inDependencyOrder } from "./dependency-order.ts";
import { pipes } from "./pipes.ts";
import { savedSearches } from "./saved-searches.ts";
import { sources } from "./sources.ts";
import { webhooks } from "./webhooks.ts";

/** Every resource kind, what others point to first: the order in which records are written, and that of every listing. */
export const kinds: readonly ResourceKind[] = inDependencyOrder([
  connections,
  sources,
  webhooks,
  savedSearches,
  dashboards,
  alerts,
  pipes,
]);

/** What an import matches before it writes. */
export const lookedUpKinds: readonly ResourceKind[] = kinds.filter(({ onRequest }) => onRequest !== undefined);

/** The kind of that name, if there is one. */
export function findKind(name: KindName): ResourceKind | undefined {
  return kinds.find((kind) => kind.name === name);
}

/** The kind of a record that was read or planned: of others there is none. */
export function knownKind(name: KindName): ResourceKind {
  const kind = findKind(name);
  if (kind === undefined) throw new StackferryError("archive-unknown", `records of the kind "${name}" are not known`);
  return kind;
}

/** Things of several kinds in the order of the registry, what is of no known kind last; otherwise they keep their order. */
export function inKindOrder<Item>(items: readonly Item[], kindOf: (item: Item) => KindName): Item[] {
  const place = (item: Item): number => places.get(kindOf(item)) ?? places.size;
  return items.toSorted((one, other) => place(one) - place(other));
}

/** What people look for first stands first on a page; what it rests on comes after. */
const READING_ORDER: readonly KindName[] = ["dashboards", "alerts", "saved-searches"];

/** Things of several kinds in the order in which people read them. */
export function inReadingOrder<Item>(items: readonly Item[], kindOf: (item: Item) => KindName): Item[] {
  const place = (item: Item): number => {
    const at = READING_ORDER.indexOf(kindOf(item));
    return at < 0 ? READING_ORDER.length : at;
  };
  return inKindOrder(items, kindOf).toSorted((one, other) => place(one) - place(other));
}

const places = new Map(kinds.map(({ name }, index) => [name, index]));
