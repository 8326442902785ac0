import { isJsonArray, isJsonObject, ownMember, objectsIn, type JsonObject } from "../../core/json.ts";

/** Maximum length of a query on the page, in characters; the archive has the whole query. */
const MAX_LENGTH = 400;

/** Describes a tile's query in words: `count where level:error as errors; by ServiceName`. */
export function describeQuery(config: JsonObject): string {
  const queryText = textAt(config, "sqlTemplate") || textAt(config, "markdown");
  if (queryText !== "") return cut(queryText);
  const fields = textAt(config, "select");
  const selected = fields === "" ? objectsAt(config, "select").map(describeSeries).join(", ") : fields;
  const parts = [
    config["asRatio"] === true ? `ratio of ${selected}` : selected,
    withLabel("where", textAt(config, "where")),
    withLabel("by", textAt(config, "groupBy")),
    withLabel("having", textAt(config, "having")),
    withLabel("order by", textAt(config, "orderBy")),
  ];
  return cut(joinNonEmpty(parts, "; "));
}

/** Describes the value that an alert on the tile checks: the tile's first series. */
export function describeMeasure(config: JsonObject): string {
  const [first] = objectsAt(config, "select");
  return first === undefined ? "" : cut(describeSeries({ ...first, alias: "" }));
}

function describeSeries(series: JsonObject): string {
  const level = numberAt(series, "level");
  const aggregate = textAt(series, "aggFn") || textAt(series, "countExpression");
  const value = textAt(series, "metricName") || textAt(series, "valueExpression");
  const head = `${aggregate}${level === undefined ? "" : ` ${level}`}`;
  const what = value === "" ? head : head === "" ? value : `${head} of ${value}`;
  const where = textAt(series, "where");
  const alias = textAt(series, "alias");
  return `${what}${where === "" ? "" : ` where ${where}`}${alias === "" ? "" : ` as ${alias}`}`;
}

function withLabel(label: string, text: string): string {
  return text === "" ? "" : `${label} ${text}`;
}

function cut(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/** Joins the texts that are not empty: `trace · otel.traces · not used`. */
export function joinNonEmpty(texts: readonly string[], separator = " · "): string {
  return texts.filter((text) => text !== "").join(separator);
}

/** Returns an empty text for a member of another type: an archive is untrusted. */
export function textAt(body: JsonObject, member: string): string {
  const value = ownMember(body, member);
  return typeof value === "string" ? value : "";
}

/** Returns a member that is a finite number, and undefined for anything else. */
export function numberAt(body: JsonObject, member: string): number | undefined {
  const value = ownMember(body, member);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Returns a member that is an object, and an empty object for anything else. */
export function objectAt(body: JsonObject, member: string): JsonObject {
  const value = ownMember(body, member);
  return isJsonObject(value) ? value : {};
}

/** Returns the objects in a member that is a list; none if the member is not a list. */
export function objectsAt(body: JsonObject, member: string): readonly JsonObject[] {
  return objectsIn(ownMember(body, member));
}

/** Returns the texts in a member that is a list; none if the member is not a list. */
export function textsAt(body: JsonObject, member: string): readonly string[] {
  const value = ownMember(body, member);
  return isJsonArray(value) ? value.filter((item) => typeof item === "string") : [];
}

const grouped = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 15 });

/** Formats a number: `1,234.5`. All calls share one formatter, because creating a formatter is slow. */
export function numberText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1000 ? String(value) : grouped.format(value);
}
