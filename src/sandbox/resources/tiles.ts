import { z } from "zod";
import type { SandboxRelease, SandboxVariant } from "../options.ts";
import { isObject, type JsonObject } from "../store/store.ts";
import { addMistake } from "../schema.ts";
import { checkSeries } from "./tile-formulas.ts";

// The words below are those in the description of the managed service.

/** The types of tiles whose alerts survive an update of the dashboard. */
export const TILES_KEEPING_ALERTS: ReadonlySet<unknown> = new Set(["line", "stacked_bar", "number"]);

export const METRIC_TYPES = ["sum", "gauge", "histogram", "summary", "exponential histogram"] as const;

const oneOf = (words: string) => z.enum(words.split(/\s+/));

const color = oneOf(`chart-blue chart-orange chart-red chart-cyan chart-green chart-pink chart-purple
  chart-light-blue chart-brown chart-gray chart-success chart-warning chart-error`);
const numericUnit = oneOf(`bytes_iec bytes_si bits_iec bits_si kibibytes kilobytes mebibytes megabytes gibibytes
  gigabytes tebibytes terabytes pebibytes petabytes packets_sec bytes_sec_iec bytes_sec_si bits_sec_iec bits_sec_si
  kibibytes_sec kibibits_sec kilobytes_sec kilobits_sec mebibytes_sec mebibits_sec megabytes_sec megabits_sec
  gibibytes_sec gibibits_sec gigabytes_sec gigabits_sec tebibytes_sec tebibits_sec terabytes_sec terabits_sec
  pebibytes_sec pebibits_sec petabytes_sec petabits_sec cps ops rps reads_sec wps iops cpm opm rpm_reads wpm`);

/** The function that summarises the values of a series. */
export const aggregateSchema = oneOf("avg count count_distinct last_value max min quantile sum any none");

/** The language of the query of a dashboard, of a search tile or of a series. */
export const languageSchema = z.enum(["sql", "lucene", "promql"]);

/** The languages of conditions on managed stacks, and of those conditions that `languageSchema` does not cover. */
export const conditionLanguageSchema = z.enum(["sql", "lucene"]);

const flag = z.boolean().optional();
const text = z.string().optional();
const wholeNumber = z.number().int().min(0).optional();

// The members are in the order of responses (docs/api.md#dashboard-members).
export const numberFormatSchema = z
  .object({
    output: oneOf("currency percent byte time duration number data_rate throughput").optional(),
    numericUnit: numericUnit.optional(),
    mantissa: z.number().int().optional(),
    thousandSeparated: flag,
    average: flag,
    decimalBytes: flag,
    factor: z.number().optional(),
    currencySymbol: text,
    unit: text,
  })
  .optional();

// The level is a number in requests and responses, although the description of managed stacks lists words.
const managedLevel = z.union([z.number(), z.enum(["0.5", "0.9", "0.95", "0.99"]).transform(Number)]);
const selfHostedLevel = z.union([0.5, 0.9, 0.95, 0.99].map((each) => z.literal(each)));

const formula = z.object({ expression: z.string().max(1024), alias: text, numberFormat: numberFormatSchema });

type Member = keyof ReturnType<typeof membersOf> | "configType" | "displayType";

/** The schemas of members; undefined for a member that does not exist in the variant, the release or the display type. */
type Members = Readonly<Partial<Record<Member, z.ZodType>>>;

/** A text that lists members, separated by single blanks. The compiler refuses a text with any other word. */
type MemberList<Text extends string> = Text extends Member
  ? Text
  : Text extends `${infer First extends Member} ${infer Rest}`
    ? `${First} ${MemberList<Rest>}`
    : Member;

/** Returns the text unchanged. The compiler checks that it lists only members. */
export function checkMemberNames<Text extends string>(members: Text & MemberList<Text>): Text {
  return members;
}

/**
 * Returns the schema of a text. Only self-hosted stacks limit its length: managed stacks check only what their published
 * description states.
 */
function upTo(length: number, isManaged: boolean) {
  return isManaged ? z.string() : z.string().max(length);
}

/** Returns the schema of one series of a tile. */
function seriesItem(isManaged: boolean) {
  const expression = upTo(10_000, isManaged);
  return z
    .object({
      alias: expression.optional(),
      valueExpression: expression.optional(),
      aggFn: aggregateSchema,
      level: (isManaged ? managedLevel : selfHostedLevel).optional(),
      where: expression.default(""),
      whereLanguage: (isManaged ? conditionLanguageSchema : languageSchema).optional(),
      metricType: z.enum(METRIC_TYPES).optional(),
      metricName: text,
      periodAggFn: z.literal("delta").optional(),
      numberFormat: numberFormatSchema,
    })
    .superRefine(isManaged ? checkManagedItem : checkItem);
}

interface Item {
  readonly aggFn: string;
  readonly valueExpression?: string | undefined;
  readonly level?: number | undefined;
}

function checkItem({ aggFn, valueExpression, level }: Item, context: z.RefinementCtx): void {
  const report = (message: string): void => addMistake(context, [], message);
  const isCount = aggFn === "count";
  if (level !== undefined && aggFn !== "quantile") {
    report("Level can only be used with quantile aggregation function");
  }
  if (isCount && valueExpression) report("Value expression cannot be used with count aggregation function");
  if (!isCount && !valueExpression) report("Value expression is required for non-count aggregation functions");
}

/** A request for `count` must not have an expression, because rows are counted. Responses nevertheless have an empty one. */
function checkManagedItem({ aggFn, valueExpression }: Item, context: z.RefinementCtx): void {
  if (aggFn !== "count" || valueExpression === undefined) return;
  addMistake(context, ["valueExpression"], "valueExpression must be absent when aggFn is count");
}

function colorRuleOf(isManaged: boolean) {
  const shared = { color, label: upTo(40, isManaged).optional() };
  const pair = z.array(z.number());
  return z.discriminatedUnion("operator", [
    z.object({ operator: z.enum(["gt", "gte", "lt", "lte"]), value: z.number(), ...shared }),
    z.object({ operator: z.literal("between"), value: isManaged ? pair : pair.length(2), ...shared }),
    z.object({ operator: z.enum(["eq", "neq"]), value: z.union([z.number(), upTo(200, isManaged)]), ...shared }),
  ]);
}

/** Returns the schema of the link that a click in a table follows. */
function linkOf(isManaged: boolean) {
  const filled = (message: string) => z.string().refine((content) => isManaged || content !== "", message);
  const template = filled("Template is required");
  const target = z.discriminatedUnion("mode", [
    z.object({ mode: z.literal("id"), id: z.string() }),
    z.object({ mode: z.literal("template"), template }),
  ]);
  const expression = filled("Expression is required");
  const filter = z.object({ kind: z.literal("expressionTemplate"), expression, template });
  const shared = {
    target,
    whereTemplate: text,
    whereLanguage: conditionLanguageSchema.optional(),
    filters: z.array(filter).optional(),
  };
  return z.discriminatedUnion("type", [
    z.object({ type: z.literal("search"), ...shared }),
    z.object({ type: z.literal("dashboard"), ...shared }),
    z.object({ type: z.literal("external"), urlTemplate: isManaged ? z.string() : z.string().min(1) }),
  ]);
}

/** Returns the schema of each member that a tile's configuration can have. */
function membersOf(isManaged: boolean, release: SandboxRelease) {
  const most = (count: number) => (isManaged ? Infinity : count);
  const expression = upTo(10_000, isManaged);
  // The published release of managed stacks lacks formulas (docs/api.md#managed).
  const hasFormulas = !isManaged || release === "next";
  return {
    connectionId: z.string(),
    sqlTemplate: upTo(100_000, isManaged),
    sourceId: z.string(),
    select: z.array(seriesItem(isManaged)).min(1).max(most(20)),
    groupBy: expression.optional(),
    having: expression.optional(),
    orderBy: expression.optional(),
    where: expression.default(""),
    whereLanguage: conditionLanguageSchema.optional(),
    asRatio: flag,
    alignDateRangeToGranularity: flag,
    fillNulls: flag,
    fitYAxisToData: flag,
    compareToPreviousPeriod: flag,
    groupByColumnsOnLeft: flag,
    numberFormat: numberFormatSchema,
    onClick: linkOf(isManaged).optional(),
    color: color.optional(),
    colorRules: z.array(colorRuleOf(isManaged)).max(most(10)).optional(),
    backgroundChart: z.object({ type: z.enum(["line", "area"]), color: color.optional() }).optional(),
    limit: isManaged ? z.number().int().optional() : wholeNumber,
    markdown: z.string().max(50_000).optional(),
    seriesLimit: hasFormulas ? wholeNumber : undefined,
    formulas: hasFormulas ? z.array(formula).max(10).optional() : undefined,
    showOperandSeries: hasFormulas ? flag : undefined,
  };
}

/** Returns the schema of an object with the named members, in the order in which the server reports mistakes. */
function pick(members: Members, names: string) {
  const byName: Readonly<Record<string, z.ZodType | undefined>> = members;
  const shape = names.split(" ").flatMap((name) => (byName[name] === undefined ? [] : [[name, byName[name]]]));
  return z.object(Object.fromEntries(shape));
}

const OVER_TIME = "sourceId select groupBy asRatio alignDateRangeToGranularity fillNulls";
const FORMULAS = "formulas showOperandSeries";
const SLICES = "displayType sourceId select groupBy orderBy numberFormat limit";
const EVENTS = "displayType sourceId select where whereLanguage";

/** Returns the configurations of tiles without raw SQL, by display type, in the order in which the server lists the types. */
function builtTiles(isManaged: boolean, release: SandboxRelease) {
  const members = membersOf(isManaged, release);
  const built = <Names extends string>(displayType: string, names: Names & MemberList<Names>, own: Members = {}) => {
    // `builder` is accepted but not stored: only raw SQL tiles have a stored `configType`.
    const configType = z.literal("builder").optional();
    const head = { configType: configType.transform(() => undefined), displayType: z.literal(displayType) };
    return pick({ ...members, ...own, ...head }, `configType ${names}`);
  };
  const exactlyOne = (item: z.ZodType) => ({ select: isManaged ? z.array(item).min(1) : z.array(item).length(1) });
  const single = exactlyOne(seriesItem(isManaged));
  const heatmapItem = z.object({
    valueExpression: isManaged ? z.string() : z.string().min(1).max(10_000),
    countExpression: upTo(10_000, isManaged).optional(),
    heatmapScaleType: z.enum(["log", "linear"]).optional(),
  });
  const columns = upTo(10_000, isManaged);
  const table = "displayType sourceId select groupBy having orderBy asRatio numberFormat groupByColumnsOnLeft onClick";
  const number = "displayType sourceId select numberFormat color colorRules backgroundChart formulas";
  return {
    line: built(
      "line",
      `${OVER_TIME} fitYAxisToData numberFormat displayType compareToPreviousPeriod seriesLimit ${FORMULAS}`,
    ),
    stacked_bar: built("stacked_bar", `${OVER_TIME} numberFormat displayType seriesLimit ${FORMULAS}`),
    table: built("table", `${table} ${FORMULAS}`),
    // On self-hosted stacks, `checkSeries` refuses a second formula, so that no bound of the list is reported.
    number: built("number", number, isManaged ? {} : { formulas: z.array(formula).optional() }),
    pie: built("pie", SLICES, single),
    bar: built("bar", SLICES, single),
    heatmap: built("heatmap", `${EVENTS} numberFormat`, exactlyOne(heatmapItem)),
    markdown: built("markdown", "displayType markdown"),
    search: built("search", EVENTS, {
      select: columns,
      whereLanguage: isManaged ? conditionLanguageSchema : languageSchema.optional(),
    }),
    event_patterns: built("event_patterns", EVENTS, { select: columns.optional() }),
  };
}

/** Returns the configurations of raw SQL tiles, by the display types that support it. */
function rawSqlTiles(isManaged: boolean, release: SandboxRelease) {
  const sqlMembers = { configType: z.literal("sql"), sourceId: text, ...(isManaged && { seriesLimit: undefined }) };
  const members = { ...membersOf(isManaged, release), ...sqlMembers };
  const head = "configType connectionId sqlTemplate sourceId numberFormat displayType";
  const raw = <Names extends string>(displayType: string, names: Names & MemberList<Names>) =>
    pick({ ...members, displayType: z.literal(displayType) }, names);
  const overTime = "fillNulls alignDateRangeToGranularity seriesLimit";
  return {
    line: raw("line", `${head} ${overTime} compareToPreviousPeriod fitYAxisToData`),
    stacked_bar: raw("stacked_bar", `${head} ${overTime}`),
    table: raw("table", `${head} onClick`),
    number: raw("number", `${head} color`),
    pie: raw("pie", head),
    bar: raw("bar", head),
  };
}

/** The schemas of self-hosted stacks also tell which members responses show, on both variants. */
export const BUILT_TILES = builtTiles(false, "next");
export const RAW_SQL_TILES = rawSqlTiles(false, "next");
export const selectItemSchema = seriesItem(false);
export const colorRuleSchema = colorRuleOf(false);

/** Returns the schema of a tile's configuration as a client sends it: with raw SQL (`configType: "sql"`) or without. */
export function tileConfigSchema(variant: SandboxVariant, release: SandboxRelease): z.ZodType<JsonObject> {
  const isManaged = variant === "managed";
  const { line, ...others } = builtTiles(isManaged, release);
  const { line: rawLine, ...otherRaw } = rawSqlTiles(isManaged, release);
  const schema = z.discriminatedUnion("configType", [
    z.discriminatedUnion("displayType", [rawLine, ...Object.values(otherRaw)]),
    z.discriminatedUnion("displayType", [line, ...Object.values(others)]),
  ]);
  if (isManaged) return release === "published" ? schema : schema.superRefine(checkSeries);
  return schema.superRefine((config, context) => {
    checkLink(config, context);
    checkSeries(config, context);
  });
}

function checkLink({ onClick }: JsonObject, context: z.RefinementCtx): void {
  if (!isObject(onClick) || !isObject(onClick["target"])) return;
  const { mode, id } = onClick["target"];
  if (mode !== "id" || /^[0-9a-f]{24}$/i.test(String(id))) return;
  addMistake(context, ["onClick", "target", "id"], "Invalid ObjectId");
}
