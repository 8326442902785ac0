import type { ResourceKind } from "../core/resource-kind.ts";
import { looseBody, nameKeyOf, text, textOf, withoutDefaults, stackRoutes } from "./descriptor-parts.ts";
import { connectionFile } from "./members/file-shapes.ts";

const allRoutes = stackRoutes("connections");
const routes = { ...allRoutes, list: { ...allRoutes.list, optional: true } };

/** Connections to a database (docs/api.md#connections). Managed stacks do not offer them. */
export const connections: ResourceKind = {
  name: "connections",
  singular: "connection",
  listing: "whole",
  routes: { managed: {}, "self-hosted": routes },
  schema: looseBody({ name: text, host: text, username: text }),
  nameOf: (body) => textOf(body, "name"),
  naturalKeys: [nameKeyOf, (body) => `${textOf(body, "host")}\n${textOf(body, "username")}`],
  dataPlaceOf: (body) => textOf(body, "host").trim().replace(/\/+$/, "").toLowerCase(),
  references: [],
  skipVerifyIfUnreferenced: true,
  children: [],
  idsLearnedFrom: [],
  writeOnly: [{ path: "password", rule: "connection-password" }],
  mappedMembers: ["host", "username"],
  secrets: [],
  serverOwned: ["id", "createdAt", "updatedAt", "team", "teamId"],
  refusedOnCreate: [],
  leaveOutWhen: [],
  limits: [],
  nameFields: {},
  texts: ["host"],
  clearOnUpdate: {},
  hintsAtHidden: ({ isPrometheusEndpoint }) => isPrometheusEndpoint === true,
  code: {
    shape: connectionFile,
    order: ["name", "host", "username"],
    defaults: {},
  },
  comparable: ({ password: _password, ...visibleMembers }) => withoutDefaults(visibleMembers, {}),
  importPolicy: {
    when: "on-request",
    servedWith: "connections",
    why: "a connection is only matched with the target's own",
  },
};
