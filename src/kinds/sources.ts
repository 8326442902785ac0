import { z } from "zod";
import { splitWords } from "../core/collections.ts";
import { compactJson, isJsonObject, type JsonObject } from "../core/json.ts";
import type { MemberPath } from "../core/records/member-path.ts";
import type { ReferencePath, ResourceKind } from "../core/resource-kind.ts";
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
import { sourceFile } from "./members/code-file-shapes.ts";
import { characters, items } from "./limits.ts";

const routes = collectionRoutes("sources");

const SERVER_DEFAULTS = { disabled: false, durationPrecision: 3 } as const;

/** Managed stacks show null, which self-hosted stacks refuse. */
const NULLABLE = splitWords(`
  disabled filterSettings serviceNameExpression severityTextExpression bodyExpression
  eventAttributesExpression resourceAttributesExpression displayedTimestampValueExpression traceIdExpression
  spanIdExpression implicitColumnExpression knownColumnsListExpression useTextIndexForImplicitColumn
  statusCodeExpression statusMessageExpression spanEventsValueExpression timestampValueExpression logSourceId
  traceSourceId metricSourceId sessionSourceId
`);

/** docs/api.md#sources. Self-hosted releases before 2.30 can at most list sources (docs/api.md#routes). */
export const sources: ResourceKind = {
  ...plainKind,
  name: "sources",
  singular: "source",
  listing: "whole",
  routes: { managed: routes, "self-hosted": routes },
  schema: looseBody({
    name: optionalText,
    kind: optionalText,
    connection: optionalText,
    from: z.object({ databaseName: optionalText, tableName: optionalText }).nullish(),
  }),
  // Names may repeat, so a key can match several records.
  naturalKeys: [(body) => `${nameKey(body)}\n${tableKey(body) ?? ""}`, nameKey, tableKey],
  dataPlaceOf,
  typeOf: (body) => textOfMember(body, "kind"),
  references: [
    { path: "connection", to: "connections", serverValidated: true },
    sourceLink("logSourceId"),
    // A session source is useless without its trace source, and a create requires it.
    { path: "traceSourceId", to: "sources", serverValidated: true, when: { path: "kind", is: "session" } },
    { ...sourceLink("traceSourceId"), when: { path: "kind", not: "session" } },
    sourceLink("metricSourceId"),
    sourceLink("sessionSourceId"),
  ],
  idsLearnedFrom: [{ path: "connection", space: "connections" }],
  serverOwned: ["id", "createdAt", "updatedAt", "teamId"],
  leaveOutWhen: NULLABLE.map((path) => ({ path, is: null })),
  limits: [
    { path: "section", fit: characters(256) },
    { path: "querySettings", fit: items(10), fixed: true },
  ],
  hintsAtHidden: ({ kind }) => kind === "promql",
  code: {
    shape: sourceFile,
    toldBy: [["name", "kind", "connection"]],
    order: splitWords(`
      name section kind connection from databaseName tableName timestampValueExpression
      defaultTableSelectExpression
    `),
    defaults: SERVER_DEFAULTS,
  },
  comparable: (body) => withoutDefaults(body, SERVER_DEFAULTS),
  queriedAs: { member: "sourceId", needsMetric: ({ kind }) => kind === "metric" },
  importPolicy: createdOnRequest("source", "saved-searches"),
};

/** The server accepts any id: a wrong id shows only when somebody follows the link (docs/api.md#sources). */
function sourceLink(path: MemberPath): ReferencePath {
  return { path, to: "sources", serverValidated: false, deferPath: path, optional: true };
}

function nameKey(body: JsonObject): string {
  return `${nameKeyOf(body)}\n${textOfMember(body, "kind")}`;
}

/** A metric source has one table for each metric type. */
function dataPlaceOf(body: JsonObject): string | undefined {
  const { from, metricTables } = body;
  if (!isJsonObject(from)) return undefined;
  const tables = isJsonObject(metricTables) ? metricTables : {};
  const namedTables = Object.entries(tables).filter(([, table]) => typeof table === "string" && table !== "");
  return compactJson([
    textOfMember(from, "databaseName"),
    textOfMember(from, "tableName"),
    Object.fromEntries(namedTables),
  ]);
}

function tableKey(body: JsonObject): string | undefined {
  const from = body["from"];
  if (!isJsonObject(from) || textOfMember(from, "tableName") === "") return undefined;
  return `${textOfMember(body, "kind")}\n${textOfMember(from, "databaseName")}\n${textOfMember(from, "tableName")}`;
}
