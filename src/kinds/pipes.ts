import type { ResourceKind } from "../core/resource-kind.ts";
import { pipeShape } from "./members/pipe-schema.ts";
import { looseBody, nameKeyOf, textOf, withoutDefaults } from "./record-schema.ts";
import { pipeFile } from "./members/file-shapes.ts";

/** Authentication methods of a source: names, not secrets (docs/api.md#managed). */
const METHODS =
  "PLAIN SCRAM-SHA-256 SCRAM-SHA-512 IAM_ROLE IAM_USER MUTUAL_TLS SERVICE_ACCOUNT CONNECTION_STRING basic".split(" ");

/** Ingestion pipes (docs/api.md#managed). They are only archived; newer deployments list them, others return one at a time. */
export const pipes: ResourceKind = {
  name: "pipes",
  singular: "pipe",
  listing: "by-id",
  routes: {
    managed: {
      list: { method: "GET", path: "{service}/{pipes}", optional: true },
      get: { method: "GET", path: "{service}/{pipes}/{id}" },
    },
    "self-hosted": {},
  },
  schema: looseBody(pipeShape),
  nameOf: (body) => textOf(body, "name"),
  naturalKeys: [nameKeyOf],
  references: [],
  children: [],
  idsLearnedFrom: [],
  writeOnly: [],
  secrets: [
    { path: "source.objectStorage.connectionString", rule: "connection-string", keep: "nothing" },
    {
      path: "source.kafka.schemaRegistry.authentication",
      rule: "schema-registry-authentication",
      keep: "nothing",
      except: METHODS,
    },
  ],
  serverOwned: ["id", "serviceId", "state", "createdAt", "updatedAt"],
  refusedOnCreate: [],
  leaveOutWhen: [],
  limits: [],
  nameFields: {},
  clearOnUpdate: {},
  code: {
    shape: pipeFile,
    order: ["name", "source", "destination", "fieldMappings", "settings", "scaling"],
    defaults: {},
  },
  comparable: (body) => withoutDefaults(body, {}),
  importPolicy: {
    when: "never",
    why: "the API can read a pipe but not create one; set it up by hand from the archived record",
  },
};
