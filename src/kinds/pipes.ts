import { z } from "zod";
import { optionalText, looseBody, nameKeyOf, withoutDefaults, plainKind } from "./descriptor-parts.ts";
import { splitWords } from "../core/collections.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { pipeFile } from "./members/code-file-shapes.ts";

/** These names are not secret (docs/api.md#managed). */
const METHODS = splitWords(`
  PLAIN SCRAM-SHA-256 SCRAM-SHA-512 IAM_ROLE IAM_USER MUTUAL_TLS SERVICE_ACCOUNT CONNECTION_STRING
  basic
`);

/** Archived, but never imported (docs/api.md#managed). */
export const pipes: ResourceKind = {
  ...plainKind,
  name: "pipes",
  singular: "pipe",
  listing: "whole",
  routes: {
    managed: {
      list: { method: "GET", path: "{service}/{pipes}", optional: true },
    },
    "self-hosted": {},
  },
  // Checks only the name and members that may contain secrets, because pipes are never written.
  schema: looseBody({
    name: optionalText,
    source: z
      .object({
        kafka: z.object({ schemaRegistry: z.object({ authentication: optionalText }).nullish() }).nullish(),
        objectStorage: z.object({ connectionString: optionalText }).nullish(),
      })
      .nullish(),
  }),
  naturalKeys: [nameKeyOf],
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
  code: {
    shape: pipeFile,
    toldBy: [["name", "source", "destination"]],
    order: ["name", "source", "destination", "fieldMappings", "settings", "scaling"],
    defaults: {},
  },
  comparable: (body) => withoutDefaults(body, {}),
  importPolicy: {
    when: "never",
    why: "the API can read a pipe but not create one; set it up by hand from the archived record",
  },
};
