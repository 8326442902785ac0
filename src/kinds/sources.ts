import { z } from "zod";
import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import type { ResourceKind, Route } from "../core/resource-kind.ts";
import { looseBody, text, textOf, withoutDefaults } from "./record-schema.ts";

const routes = { list: { method: "GET", path: "{stack}/sources" } } as const satisfies Record<string, Route>;

/** Data sources (contract 2.3; members as in the field notes and recordings). They can be listed, not written. */
export const sources: ResourceKind = {
  name: "sources",
  singular: "source",
  listing: "whole",
  routes: { managed: routes, "self-hosted": routes },
  schema: looseBody({
    name: text,
    kind: text,
    connection: text,
    from: z.object({ databaseName: text, tableName: text }).nullish(),
  }),
  nameOf: (body) => textOf(body, "name"),
  // Names may repeat, so either key can be ambiguous (field notes, "Identity across stacks").
  naturalKeys: [(body) => `${nameKey(body)}\n${tableKey(body) ?? ""}`, nameKey, tableKey],
  references: [
    { path: "connection", to: "connections", checked: true },
    { path: "logSourceId", to: "sources", checked: false },
    { path: "traceSourceId", to: "sources", checked: false },
    { path: "metricSourceId", to: "sources", checked: false },
    { path: "sessionSourceId", to: "sources", checked: false },
  ],
  children: [],
  inferred: [{ path: "connection", space: "connections" }],
  secrets: [],
  serverOwned: ["id", "createdAt", "updatedAt", "teamId"],
  refusedOnCreate: [],
  leaveOutWhen: [],
  labels: {},
  clearOnUpdate: {},
  comparable: (body) => withoutDefaults(body, { disabled: false }),
  queriedAs: "sourceId",
  notReplayed: "the API offers no way to create a source; it is matched with one of the target's instead",
};

function nameKey(body: JsonObject): string {
  return `${textOf(body, "name")}\n${textOf(body, "kind")}`;
}

function tableKey(body: JsonObject): string | undefined {
  const from = body["from"];
  if (!isJsonObject(from) || textOf(from, "tableName") === "") return undefined;
  return `${textOf(body, "kind")}\n${textOf(from, "databaseName")}\n${textOf(from, "tableName")}`;
}
