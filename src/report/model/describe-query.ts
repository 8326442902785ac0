import type { JsonObject } from "../../domain/json.ts";
import { numberAt, objectsAt, textAt } from "./members.ts";

/** Longer than this, a query is looked up in the archive. */
const LONGEST = 400;

/** What a tile's configuration asks for, in words: `count where level:error as errors; by ServiceName`. */
export function describeQuery(config: JsonObject): string {
  const own = textAt(config, "sqlTemplate") || textAt(config, "markdown");
  if (own !== "") return cut(own);
  const fields = textAt(config, "select");
  const selected = fields === "" ? objectsAt(config, "select").map(describeSeries).join(", ") : fields;
  const parts = [
    config["asRatio"] === true ? `ratio of ${selected}` : selected,
    labelled("where", textAt(config, "where")),
    labelled("by", textAt(config, "groupBy")),
    labelled("having", textAt(config, "having")),
    labelled("order by", textAt(config, "orderBy")),
  ];
  return cut(parts.filter((part) => part !== "").join("; "));
}

/** What an alert on such a tile looks at: its first series. */
export function measureOf(config: JsonObject): string {
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

function labelled(label: string, text: string): string {
  return text === "" ? "" : `${label} ${text}`;
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
