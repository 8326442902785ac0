import type { KindName } from "../core/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { alerts } from "./alerts.ts";
import { connections } from "./connections.ts";
import { dashboards } from "./dashboards.ts";
import { inDependencyOrder } from "./dependency-order.ts";
import { pipes } from "./pipes.ts";
import { savedSearches } from "./saved-searches.ts";
import { sources } from "./sources.ts";
import { webhooks } from "./webhooks.ts";

/** Every resource kind, in the order in which archives and reports show them. */
export const kinds: readonly ResourceKind[] = [
  dashboards,
  alerts,
  sources,
  webhooks,
  pipes,
  connections,
  savedSearches,
];

/** What an import matches before it writes: kinds that others point to come first, as their ids are part of the others. */
export const lookedUpKinds: readonly ResourceKind[] = inDependencyOrder(kinds).filter(
  ({ onRequest }) => onRequest !== undefined,
);

/** The kind of that name, if there is one. */
export function findKind(name: KindName): ResourceKind | undefined {
  return kinds.find((kind) => kind.name === name);
}
