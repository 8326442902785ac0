import type { JsonObject } from "../../src/core/json.ts";
import type { StackRecord } from "../../src/core/records/record.ts";
import type { SeededRandom } from "../support/seeded-random.ts";
import { ALNUM, HEX, LOWER, uuid } from "./tokens.ts";
import { seededRandom } from "../support/seeded-random.ts";

/**
 * Returns dashboards that all differ. About one tile in 500 contains a secret, and one text in 20 has a word about
 * credentials.
 */
export function madeDashboards(seed: number, count: number, tiles: number): StackRecord[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => {
    const id = random.text(HEX, 24);
    const name = `${words(random, 3)} ${random.below(10_000)}`;
    const made = Array.from({ length: tiles }, (_, index) => tile(random, index));
    const filters = Array.from({ length: 4 }, () => filter(random));
    return {
      kind: "dashboards",
      id,
      name,
      body: { id, name, tags: [word(random), word(random)], tiles: made, filters },
    };
  });
}

const NOUNS =
  "request latency error checkout payment order session queue worker cache index shard node pod cluster region deploy token auth key".split(
    " ",
  );
const word = (random: SeededRandom): string => `${random.pick(NOUNS)}-${random.text(LOWER, 4)}`;
const words = (random: SeededRandom, count: number): string =>
  Array.from({ length: count }, () => word(random)).join(" ");
const attribute = (random: SeededRandom): string => `LogAttributes['${random.pick(NOUNS)}.${random.text(LOWER, 6)}']`;

function where(random: SeededRandom): string {
  return random.pick([
    `ServiceName = '${word(random)}' AND ${attribute(random)} != '${word(random)}' AND Duration > ${random.below(1e6)}`,
    `ServiceName:${word(random)} AND http.status_code:[500 TO 599] AND NOT k8s.pod.name:${word(random)}*`,
    `TraceId = '${random.text(HEX, 32)}' OR SpanName ILIKE '%${word(random)}%'`,
    `level:error service:"${word(random)}" user.id:${random.below(1e6)}`,
  ]);
}

function sql(random: SeededRandom): string {
  const [field, group] = [attribute(random), attribute(random)];
  return [
    `SELECT toStartOfInterval(Timestamp, INTERVAL ${1 + random.below(60)} minute) AS ts, ${group} AS g,`,
    `count() AS n, quantile(0.95)(Duration) AS p95, sum(toFloat64OrZero(${field})) AS total_${random.text(LOWER, 4)}`,
    `FROM default.otel_logs\nWHERE Timestamp >= fromUnixTimestamp64Milli({startDateMilliseconds:Int64})`,
    `AND ${where(random)}\nGROUP BY ts, g HAVING n > ${random.below(100)} ORDER BY ts LIMIT ${random.below(1000)}`,
  ].join(" ");
}

function markdown(random: SeededRandom): string {
  const link = `https://wiki.example.com/runbooks/${word(random)}?from=now-6h&page=${random.below(99)}#step-${uuid(random)}`;
  const secret = random.below(25) === 0 ? `\n\npassword: ${random.text(ALNUM, 14)}` : "";
  return [
    `# ${words(random, 4)}\n\nWhen **${word(random)}** fires, see [the runbook](${link}) and ask ${word(random)}@example.com.`,
    `- the API key is in the vault, version 1.${random.below(99)}.${random.below(99)}`,
    `- image registry.example.com/${word(random)}@sha256:${random.text(HEX, 64)}${secret}`,
  ].join("\n");
}

function tile(random: SeededRandom, index: number): JsonObject {
  const place = { x: (index % 2) * 12, y: index * 4, w: 12, h: 4 };
  const series = {
    aggFn: random.pick(["count", "avg", "sum"]),
    valueExpression: attribute(random),
    alias: words(random, 2),
    where: where(random),
    whereLanguage: "sql",
  };
  const built = {
    displayType: random.pick(["line", "table", "number"]),
    sourceId: random.text(HEX, 24),
    select: [series],
  };
  const config = random.pick<JsonObject>([
    { ...built, groupBy: `${attribute(random)}, ServiceName`, numberFormat: { output: "number", mantissa: 2 } },
    { ...built, groupBy: "SpanName", asRatio: false, having: `count() > ${random.below(100)}` },
    { configType: "sql", displayType: "line", connectionId: random.text(HEX, 24), sqlTemplate: sql(random) },
    { displayType: "search", sourceId: random.text(HEX, 24), select: "Timestamp, Body", where: where(random) },
    random.below(2) === 0 ? { displayType: "markdown", markdown: markdown(random) } : built,
  ]);
  return { id: random.text(HEX, 24), name: words(random, 3), ...place, config };
}

function filter(random: SeededRandom): JsonObject {
  const [id, sourceId] = [random.text(HEX, 24), random.text(HEX, 24)];
  return { id, type: "QUERY_EXPRESSION", name: word(random), expression: attribute(random), sourceId };
}
