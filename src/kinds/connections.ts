import type { ResourceKind, Route } from "../core/resource-kind.ts";
import { looseBody, text, textOf, withoutDefaults } from "./record-schema.ts";

const routes = {
  list: { method: "GET", path: "{stack}/connections", optional: true },
  get: { method: "GET", path: "{stack}/connections/{id}" },
  create: { method: "POST", path: "{stack}/connections" },
  update: { method: "PUT", path: "{stack}/connections/{id}" },
  delete: { method: "DELETE", path: "{stack}/connections/{id}" },
} as const satisfies Record<string, Route>;

/** Connections to a database (extended API, "connections"). Managed stacks do not offer them. */
export const connections: ResourceKind = {
  name: "connections",
  singular: "connection",
  listing: "whole",
  routes: { managed: {}, "self-hosted": routes },
  schema: looseBody({ name: text, host: text, username: text }),
  nameOf: (body) => textOf(body, "name"),
  naturalKeys: [(body) => textOf(body, "name"), (body) => `${textOf(body, "host")}\n${textOf(body, "username")}`],
  references: [],
  children: [],
  inferred: [],
  needed: [{ path: "password", rule: "connection-password" }],
  mappedMembers: ["host", "username"],
  secrets: [],
  serverOwned: ["id", "createdAt", "updatedAt", "team", "teamId"],
  refusedOnCreate: [],
  leaveOutWhen: [],
  limits: [],
  labels: {},
  clearOnUpdate: {},
  code: { order: ["name", "host", "username"], defaults: {} },
  comparable: ({ password: _password, ...shown }) => withoutDefaults(shown, {}),
  notReplayed: "a connection is matched with one of the target's",
  onRequest: { servedWith: "connections" },
};
