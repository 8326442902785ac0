import type { JsonObject, JsonValue } from "../../core/json.ts";
import { isJsonArray, isJsonObject } from "../../core/json.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { objectAt, objectsAt, textAt, textsAt } from "./query.ts";

/** A pipe, as far as it can be drawn. */
export interface PipeModel {
  readonly state: string;
  readonly source: { readonly type: string; readonly what: string };
  /** The name `database.table`, or `database` if the pipe writes to several tables. */
  readonly destination: string;
  /** The mapping of fields, or of tables if the destination is a database. */
  readonly mapping: readonly { readonly from: string; readonly to: string }[];
  /** Every other member, as `path` and value. */
  readonly facts: readonly (readonly [path: string, value: string])[];
}

/** By type of source: reads the name of the source, such as a topic or a path. */
const NAMED_BY: Readonly<Record<string, (body: JsonObject) => string>> = {
  kafka: (body) => textAt(body, "topics"),
  objectStorage: (body) => textAt(body, "path") || textAt(body, "url"),
  cloudstream: (body) => textAt(body, "streamName"),
  postgres: (body) => textAt(body, "database"),
};
const SHOWN_ABOVE = ["id", "name", "state", "fieldMappings"];

export function readPipe({ body }: StackRecord): PipeModel {
  const sources = objectAt(body, "source");
  const [type = "unknown", inner] = Object.entries(sources).find(([, value]) => isJsonObject(value)) ?? [];
  const source = isJsonObject(inner) ? inner : {};
  const destination = objectAt(body, "destination");
  const names = [textAt(destination, "database"), textAt(destination, "table")];
  const namedBy = Object.hasOwn(NAMED_BY, type) ? NAMED_BY[type] : undefined;
  const rest = Object.fromEntries(Object.entries(body).filter(([member]) => !SHOWN_ABOVE.includes(member)));
  return {
    state: textAt(body, "state"),
    source: { type, what: namedBy?.(source) ?? textAt(source, "name") },
    destination: names.filter((part) => part !== "").join("."),
    mapping: mappingOf(body, source),
    facts: flatten(rest, ""),
  };
}

function mappingOf(body: JsonObject, source: JsonObject): { from: string; to: string }[] {
  const types = new Map(
    objectsAt(objectAt(body, "destination"), "columns").map((column) => [
      textAt(column, "name"),
      textAt(column, "type"),
    ]),
  );
  const fields = objectsAt(body, "fieldMappings").map((field) => {
    const to = textAt(field, "destinationField");
    const type = types.get(to);
    return { from: textAt(field, "sourceField"), to: type === undefined ? to : `${to}: ${type}` };
  });
  const tables = objectsAt(source, "tableMappings").map((table) => {
    const without = textsAt(table, "excludedColumns");
    const from = [textAt(table, "sourceSchemaName"), textAt(table, "sourceTable")]
      .filter((part) => part !== "")
      .join(".");
    return {
      from: `${from}${without.length === 0 ? "" : ` without ${without.join(", ")}`}`,
      to: textAt(table, "targetTable"),
    };
  });
  return [...tables, ...fields];
}

function flatten(value: JsonValue | undefined, path: string): [string, string][] {
  if (value === undefined) return [];
  if (isJsonArray(value) && value.every((item) => typeof item !== "object")) return [[path, value.join(", ")]];
  if (isJsonArray(value)) return value.flatMap((item, index) => flatten(item, `${path}[${index}]`));
  if (!isJsonObject(value)) return [[path, String(value)]];
  return Object.entries(value).flatMap(([member, inner]) => flatten(inner, path === "" ? member : `${path}.${member}`));
}
