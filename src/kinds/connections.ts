import type { ResourceKind } from "../core/resource-kind.ts";
import {
  looseBody,
  nameKeyOf,
  optionalText,
  textOfMember,
  withoutDefaults,
  collectionRoutes,
  createdOnRequest,
  plainKind,
} from "./descriptor-parts.ts";
import { connectionFile } from "./members/code-file-shapes.ts";

const allRoutes = collectionRoutes("connections");
const routes = { ...allRoutes, list: { ...allRoutes.list, optional: true } };

/** docs/api.md#connections. Managed stacks have no route for connections. */
export const connections: ResourceKind = {
  ...plainKind,
  name: "connections",
  singular: "connection",
  listing: "whole",
  routes: { managed: {}, "self-hosted": routes },
  schema: looseBody({ name: optionalText, host: optionalText, username: optionalText }),
  naturalKeys: [nameKeyOf, (body) => `${textOfMember(body, "host")}\n${textOfMember(body, "username")}`],
  dataPlaceOf: (body) => textOfMember(body, "host").trim().replace(/\/+$/, "").toLowerCase(),
  writeOnly: [{ path: "password", rule: "connection-password" }],
  serverOwned: ["id", "createdAt", "updatedAt", "team", "teamId"],
  texts: ["host"],
  hintsAtHidden: ({ isPrometheusEndpoint }) => isPrometheusEndpoint === true,
  code: {
    shape: connectionFile,
    toldBy: [["name", "host", "username"]],
    order: ["name", "host", "username"],
    defaults: {},
  },
  comparable: ({ password: _password, ...visibleMembers }) => withoutDefaults(visibleMembers, {}),
  importPolicy: createdOnRequest("connection", "connections"),
};
