import { isJsonArray, isJsonObject, ownMember, objectsIn, type JsonObject } from "../../core/json.ts";

const MAX_LENGTH = 400;

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

/** An alert on a tile checks the tile's first series. */
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

/** `above` and `below_or_equal` include the threshold, `above_exclusive` and `below` exclude it. */
const WORDS: Readonly<Record<string, (threshold: string, most: string) => string>> = {
  above: (threshold) => `is above ${threshold}`,
  above_exclusive: (threshold) => `is strictly above ${threshold}`,
  below: (threshold) => `is below ${threshold}`,
  below_or_equal: (threshold) => `is ${threshold} or below`,
  equal: (threshold) => `is exactly ${threshold}`,
  not_equal: (threshold) => `is anything but ${threshold}`,
  between: (threshold, most) => `is between ${threshold} and ${most}`,
  not_between: (threshold, most) => `is outside ${threshold} to ${most}`,
};

export function describeCondition(body: JsonObject): string {
  const type = textAt(body, "thresholdType");
  const threshold = String(numberAt(body, "threshold") ?? "?");
  const most = String(numberAt(body, "thresholdMax") ?? "?");
  const compared =
    ownMember(WORDS, type)?.(threshold, most) ?? `is ${type === "" ? "compared with" : type} ${threshold}`;
  const interval = textAt(body, "interval");
  const windows = numberAt(body, "numConsecutiveWindows") ?? 1;
  const offset = numberAt(body, "scheduleOffsetMinutes") ?? 0;
  const group = textAt(body, "groupBy");
  return [
    `${compared}${interval === "" ? "" : ` over ${interval}`}`,
    ...(windows > 1 ? [`${windows} windows in a row`] : []),
    ...(group === "" ? [] : [`for any ${group}`]),
    ...(offset > 0 ? [`windows begin ${offset} min late`] : []),
  ].join(", ");
}

export function joinNonEmpty(texts: readonly string[], separator = " · "): string {
  return texts.filter((text) => text !== "").join(separator);
}

/** An archive is untrusted, so a member of another type counts as empty. */
export function textAt(body: JsonObject, member: string): string {
  const value = ownMember(body, member);
  return typeof value === "string" ? value : "";
}

export function numberAt(body: JsonObject, member: string): number | undefined {
  const value = ownMember(body, member);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function objectAt(body: JsonObject, member: string): JsonObject {
  const value = ownMember(body, member);
  return isJsonObject(value) ? value : {};
}

export function objectsAt(body: JsonObject, member: string): readonly JsonObject[] {
  return objectsIn(ownMember(body, member));
}

export function textsAt(body: JsonObject, member: string): readonly string[] {
  const value = ownMember(body, member);
  return isJsonArray(value) ? value.filter((item) => typeof item === "string") : [];
}
