import type { JsonObject, RunOptions } from "../../support/import-stage.ts";
import { memoryStack, type MemoryStack } from "../../support/memory-stack.ts";
import { alert, archiveIds, dashboard, hexId, source, webhook } from "../../support/stack-records.ts";

/** The kinds of which an import creates records only on request. */
export const ON_REQUEST = ["connections", "sources", "webhooks", "saved-searches"] as const;

type Kind = (typeof ON_REQUEST)[number] | "dashboards" | "alerts";

/** Returns a record of each kind, each with this name. */
export function oneOfEach(name: string): Record<Kind, JsonObject[]> {
  const [sourceId, connection] = [archiveIds.source, hexId("c", 1)];
  const board = dashboard(hexId("a", 16), name, sourceId);
  return {
    connections: [{ id: connection, name, host: "http://ch:8123", username: "default" }],
    sources: [source(sourceId, name, connection)],
    webhooks: [webhook(archiveIds.webhook, name)],
    "saved-searches": [{ id: hexId("a", 5), name, sourceId, where: "x", tags: [] }],
    dashboards: [board],
    alerts: [alert(hexId("a", 32), name, board, archiveIds.webhook)],
  };
}

/** Makes a stack that lets records of each kind be created, and has none. */
export function emptyStack(): MemoryStack {
  return memoryStack(Object.fromEntries([...ON_REQUEST, "dashboards", "alerts"].map((kind) => [kind, []])));
}

/** Returns the options of an import that creates all these records, none of which has a secret. */
export function creatingAll({ connections, webhooks }: ReturnType<typeof oneOfEach>): RunOptions {
  const none = [{ value: null }];
  const answers = { "/password": none, "/headers": none, "/queryParams": none };
  const keysOf = (kind: Kind, bodies: readonly JsonObject[]) => bodies.map(({ id }) => `${kind}/${String(id)}`);
  const keys = [...keysOf("connections", connections), ...keysOf("webhooks", webhooks)];
  return { create: ON_REQUEST, secrets: Object.fromEntries(keys.map((key) => [key, answers])) };
}
