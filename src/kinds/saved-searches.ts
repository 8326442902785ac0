import { isJsonObject, type JsonValue } from "../core/json.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import {
  looseBody,
  nameKeyOf,
  optionalText,
  textOfMember,
  optionalTexts,
  withoutDefaults,
  collectionRoutes,
  createdOnRequest,
  plainKind,
} from "./descriptor-parts.ts";
import { savedSearchFile } from "./members/code-file-shapes.ts";
import { characters, items, only } from "./limits.ts";

const allRoutes = collectionRoutes("saved-searches");
const routes = { ...allRoutes, list: { ...allRoutes.list, optional: true } };

const SERVER_DEFAULTS = { select: "", where: "", orderBy: "", "filters[].type": "sql" } as const;

const COMPARED_AS_ABSENT = { select: "", where: "", orderBy: "", whereLanguage: "lucene", type: "sql" } as const;

/** docs/api.md#saved-searches */
export const savedSearches: ResourceKind = {
  ...plainKind,
  name: "saved-searches",
  singular: "saved search",
  listing: "paged",
  routes: { managed: routes, "self-hosted": routes },
  schema: looseBody({ name: optionalText, sourceId: optionalText, tags: optionalTexts }),
  naturalKeys: [(body) => `${nameKeyOf(body)}\n${textOfMember(body, "sourceId")}`, nameKeyOf],
  references: [{ path: "sourceId", to: "sources", serverValidated: true }],
  serverOwned: ["id", "teamId", "createdAt", "updatedAt"],
  leaveOutWhen: ["select", "where", "whereLanguage", "orderBy", "tags", "filters"].map((path) => ({ path, is: null })),
  limits: [
    { path: "name", fit: characters(1024) },
    { path: "select", fit: characters(4096), fixed: true },
    { path: "where", fit: characters(8192), fixed: true },
    { path: "orderBy", fit: characters(1024), fixed: true },
    { path: "tags[]", fit: characters(32) },
    { path: "tags", fit: items(50) },
    { path: "filters[]", fit: only(isSidebarFilter, "SQL filters of one IN, NOT IN or BETWEEN") },
    { path: "filters", fit: items(100) },
  ],
  code: {
    shape: savedSearchFile,
    toldBy: [["name", "sourceId", "where"]],
    order: ["name", "tags", "source", "select", "where", "whereLanguage", "orderBy", "filters"],
    defaults: SERVER_DEFAULTS,
  },
  comparable: (body) => withoutDefaults(body, COMPARED_AS_ABSENT),
  vitalMembers: ["sourceId", "where", "whereLanguage", "filters"],
  normalize: (body) => ({ ...body, whereLanguage: body["whereLanguage"] ?? "lucene" }),
  importPolicy: createdOnRequest("saved search", "saved-searches"),
};

const QUOTED = /'(?:[^'\\]|\\.|'')*'/g;
const LIST = /\S\s+(?:not\s+)?in\s*\([^()]+\)\s*$/i;
const BETWEEN = /\S\s+between\s+\S+\s+and\s+\S+\s*$/i;
const MAX_CONDITION_LENGTH = 8192;

/** The web interface stores other filters, which a create refuses (docs/api.md#saved-searches). */
function isSidebarFilter(filter: JsonValue): boolean {
  if (!isJsonObject(filter)) return false;
  const { type = "sql", condition } = filter;
  if (type !== "sql" || typeof condition !== "string" || condition.length > MAX_CONDITION_LENGTH) return false;
  const words = condition.replaceAll(QUOTED, "0");
  if (LIST.test(words)) return !/\s(?:and|or)\s/i.test(words);
  return BETWEEN.test(words) && !/\s(?:and\s.*\sand|or)\s/i.test(words);
}
