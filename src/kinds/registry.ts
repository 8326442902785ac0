import type { KindName } from "../core/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { alerts } from "./alerts.ts";
import { dashboards } from "./dashboards.ts";
import { pipes } from "./pipes.ts";
import { sources } from "./sources.ts";
import { webhooks } from "./webhooks.ts";

/** Every resource kind, in the order in which archives and reports show them. */
export const kinds: readonly ResourceKind[] = [dashboards, alerts, sources, webhooks, pipes];

/** The kind of that name, if there is one. */
export function findKind(name: KindName): ResourceKind | undefined {
  return kinds.find((kind) => kind.name === name);
}
