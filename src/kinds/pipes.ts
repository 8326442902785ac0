import type { ResourceKind } from "../core/resource-kind.ts";
import { pipeShape } from "./pipe-schema.ts";
import { looseBody, textOf, withoutDefaults } from "./record-schema.ts";

/** Ingestion pipes (contract 2.6). The API reads one pipe at a time and writes none, so they are archived only. */
export const pipes: ResourceKind = {
  name: "pipes",
  singular: "pipe",
  listing: "by-id",
  routes: { managed: { get: { method: "GET", path: "{service}/{pipes}/{id}" } }, "self-hosted": {} },
  schema: looseBody(pipeShape),
  nameOf: (body) => textOf(body, "name"),
  naturalKeys: [(body) => textOf(body, "name")],
  references: [],
  children: [],
  inferred: [],
  needed: [],
  secrets: [
    { path: "source.objectStorage.connectionString", rule: "connection-string", keep: "nothing" },
    { path: "source.kafka.schemaRegistry.authentication", rule: "schema-registry-authentication", keep: "nothing" },
  ],
  serverOwned: ["id", "serviceId", "state", "createdAt", "updatedAt"],
  refusedOnCreate: [],
  leaveOutWhen: [],
  limits: [],
  labels: {},
  clearOnUpdate: {},
  code: { order: ["name", "source", "destination", "fieldMappings", "settings", "scaling"], defaults: {} },
  comparable: (body) => withoutDefaults(body, {}),
  notReplayed: "the API can read a pipe but not create one; set it up by hand from the archived record",
};
