import type { ResourceKind, Route } from "../core/resource-kind.ts";
import { looseBody, text, textOf, texts, withoutDefaults } from "./record-schema.ts";

const routes = {
  list: { method: "GET", path: "{stack}/saved-searches", optional: true },
  get: { method: "GET", path: "{stack}/saved-searches/{id}" },
  create: { method: "POST", path: "{stack}/saved-searches" },
  update: { method: "PUT", path: "{stack}/saved-searches/{id}" },
  delete: { method: "DELETE", path: "{stack}/saved-searches/{id}" },
} as const satisfies Record<string, Route>;

/** What the server adds to a saved search where it was not sent (extended API, "saved searches"). */
const DEFAULTS = { select: "", where: "", orderBy: "", whereLanguage: "lucene", type: "sql" } as const;

/** Saved searches (extended API, "saved searches"). */
export const savedSearches: ResourceKind = {
  name: "saved-searches",
  singular: "saved search",
  listing: "paged",
  routes: { managed: routes, "self-hosted": routes },
  schema: looseBody({ name: text, sourceId: text, tags: texts }),
  nameOf: (body) => textOf(body, "name"),
  // Names may repeat, so the name alone counts only where it is the only one.
  naturalKeys: [(body) => `${textOf(body, "name")}\n${textOf(body, "sourceId")}`, (body) => textOf(body, "name")],
  references: [{ path: "sourceId", to: "sources", checked: true }],
  children: [],
  inferred: [],
  needed: [],
  secrets: [],
  serverOwned: ["id", "teamId", "createdAt", "updatedAt"],
  refusedOnCreate: [],
  leaveOutWhen: ["select", "where", "whereLanguage", "orderBy", "tags", "filters"].map((path) => ({ path, is: null })),
  labels: {},
  clearOnUpdate: {},
  code: {
    order: ["name", "tags", "source", "select", "where", "whereLanguage", "orderBy", "filters"],
    defaults: DEFAULTS,
  },
  comparable: (body) => withoutDefaults(body, DEFAULTS),
  notReplayed: "a saved search is matched with one of the target's",
  onRequest: { servedWith: "saved-searches" },
};
