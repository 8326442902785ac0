import type { JsonObject } from "../../core/json.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { objectAt, textAt } from "./query.ts";

/** A data source and its references to other sources. */
export interface SourceModel {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  /** `database.table`; several tables for metrics. */
  readonly tables: readonly string[];
  readonly connection: string;
  readonly refersTo: readonly { readonly as: string; readonly id: string }[];
}

const LINKS = [
  ["logs", "logSourceId"],
  ["traces", "traceSourceId"],
  ["metrics", "metricSourceId"],
  ["sessions", "sessionSourceId"],
] as const;

export function readSource({ id, name, body }: StackRecord): SourceModel {
  return {
    id,
    name,
    kind: textAt(body, "kind"),
    tables: tablesOf(body),
    connection: textAt(body, "connection"),
    refersTo: LINKS.flatMap(([as, member]) => {
      const other = textAt(body, member);
      return other === "" ? [] : [{ as, id: other }];
    }),
  };
}

function tablesOf(body: JsonObject): string[] {
  const from = objectAt(body, "from");
  const database = textAt(from, "databaseName");
  const table = textAt(from, "tableName");
  const metrics = Object.values(objectAt(body, "metricTables")).filter((name) => typeof name === "string");
  const tables = (table === "" ? metrics : [table]).filter((name) => name !== "");
  return tables.map((name) => (database === "" ? name : `${database}.${name}`));
}
