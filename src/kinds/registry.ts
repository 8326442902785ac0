import { StackferryError } from "../core/errors.ts";
import type { KindName } from "../core/records/record.ts";
import type { ResourceKind, IdSpace } from "../core/resource-kind.ts";
import { alerts } from "./alerts.ts";
import { connections } from "./connections.ts";
import { dashboards } from "./dashboards.ts";
import { pipes } from "./pipes.ts";
import { savedSearches } from "./saved-searches.ts";
import { sources } from "./sources.ts";
import { webhooks } from "./webhooks.ts";

/** Every kind, after the kinds that it references. Creates follow this order, deletes the reverse order. */
export const kinds: readonly ResourceKind[] = [
  connections,
  sources,
  webhooks,
  savedSearches,
  dashboards,
  alerts,
  pipes,
];

/** An import reads the target's lists of these kinds. */
export const importedKinds: readonly ResourceKind[] = kinds.filter(({ importPolicy }) => importPolicy.when !== "never");

/** An import creates records of these kinds only if `--create` names the kind. */
export const kindsOnRequest: readonly ResourceKind[] = kinds.filter(
  ({ importPolicy }) => importPolicy.when === "on-request",
);

export function findKind(name: KindName): ResourceKind | undefined {
  return kinds.find((kind) => kind.name === name);
}

/** @throws StackferryError `archive-unknown` if there is no such kind */
export function knownKind(name: KindName): ResourceKind {
  const kind = findKind(name);
  if (kind === undefined) throw new StackferryError("archive-unknown", `records of the kind "${name}" are not known`);
  return kind;
}

export function isAlwaysWritten(name: KindName): boolean {
  return findKind(name)?.importPolicy.when === "always";
}

const WRITING_ORDER: readonly KindName[] = kinds.map(({ name }) => name);
/** A kind that is named twice has its first place. */
const READING_ORDER: readonly KindName[] = ["dashboards", "alerts", "saved-searches", ...WRITING_ORDER];

export function sortByKind<Item>(
  items: readonly Item[],
  kindOf: (item: Item) => KindName,
  order = WRITING_ORDER,
): Item[] {
  const place = (item: Item): number => {
    const at = order.indexOf(kindOf(item));
    return at < 0 ? order.length : at;
  };
  return items.toSorted((left, right) => place(left) - place(right));
}

export function sortForReading<Item>(items: readonly Item[], kindOf: (item: Item) => KindName): Item[] {
  return sortByKind(items, kindOf, READING_ORDER);
}

export function mappableSpaces(): IdSpace[] {
  return importedKinds.map(({ name }) => name);
}
