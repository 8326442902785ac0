import { z } from "zod";
import type { SandboxVariant } from "../options.ts";
import { isObject, isObjectId, type JsonObject } from "../store.ts";
import { addMistake, onlyWord, parseOrListMistakes } from "../schema.ts";

// The words of the enumerations are those in the description of the managed service.

/** Alerts on these tiles survive an update of the dashboard. */
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

export const aggregateSchema = oneOf("avg count count_distinct last_value max min quantile sum any none");

const LANGUAGES = ["sql", "lucene"] as const;

export function languageOf(isManaged: boolean) {
  return z.enum(isManaged ? LANGUAGES : [...LANGUAGES, "promql"]);
}

const flag = z.boolean().optional();
const text = z.string().optional();
const wholeNumber = z.number().int().min(0).optional();

/** In the order of responses (docs/api.md#dashboard-members). */
export function numberFormatOf(isManaged: boolean) {
  const output = oneOf("currency percent byte time duration number data_rate throughput");
  return z
    .object({
      output: isManaged ? output.optional() : output,
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
}

/** Managed stacks do not check the form of an id, only whether the record exists. */
export function idOf(isManaged: boolean) {
  return isManaged ? z.string() : z.string().refine(isObjectId, "Invalid ObjectId");
}

// The description of managed stacks lists levels as words; a word is stored as a number.
const managedLevel = z.union([z.number(), z.enum(["0.5", "0.9", "0.95", "0.99"]).transform(Number)]);
const selfHostedLevel = z.union([0.5, 0.9, 0.95, 0.99].map((each) => z.literal(each)));

/** Undefined for a member that the variant or the display type lacks. */
type Members = Readonly<Record<string, z.ZodType | undefined>>;

/** The description of the managed service states no maximum. */
function upTo(length: number, isManaged: boolean) {
  return isManaged ? z.string() : z.string().max(length);
}

function seriesItem(isManaged: boolean) {
  const expression = upTo(10_000, isManaged);
  return z
    .object({
      alias: expression.optional(),
      valueExpression: expression.optional(),
      aggFn: aggregateSchema,
      level: (isManaged ? managedLevel : selfHostedLevel).optional(),
      where: expression.default(""),
      whereLanguage: languageOf(isManaged).optional(),
      metricType: z.enum(METRIC_TYPES).optional(),
      metricName: text,
      periodAggFn: onlyWord("delta").optional(),
      numberFormat: numberFormatOf(isManaged),
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

/** Refuses even an empty expression, although responses have an empty expression. */
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

function linkOf(isManaged: boolean) {
  const filled = (message: string) => z.string().refine((content) => isManaged || content !== "", message);
  const template = filled("Template is required");
  const target = z.discriminatedUnion("mode", [
    z.object({ mode: z.literal("id"), id: idOf(isManaged) }),
    z.object({ mode: z.literal("template"), template }),
  ]);
  const expression = filled("Expression is required");
  const filter = z.object({ kind: z.literal("expressionTemplate"), expression, template });
  const shared = {
    target,
    whereTemplate: text,
    whereLanguage: languageOf(isManaged).optional(),
    filters: z.array(filter).optional(),
  };
  return z.discriminatedUnion("type", [
    z.object({ type: z.literal("search"), ...shared }),
    z.object({ type: z.literal("dashboard"), ...shared }),
    z.object({ type: z.literal("external"), urlTemplate: isManaged ? z.string() : z.string().min(1) }),
  ]);
}

function membersOf(isManaged: boolean) {
  const most = (count: number) => (isManaged ? Infinity : count);
  const expression = upTo(10_000, isManaged);
  const numberFormat = numberFormatOf(isManaged);
  const formula = z.object({ expression: z.string().max(1024), alias: text, numberFormat });
  return {
    connectionId: idOf(isManaged),
    sqlTemplate: upTo(100_000, isManaged),
    sourceId: idOf(isManaged),
    select: z.array(seriesItem(isManaged)).min(1).max(most(20)),
    groupBy: expression.optional(),
    having: expression.optional(),
    orderBy: expression.optional(),
    where: expression.default(""),
    whereLanguage: languageOf(isManaged).optional(),
    asRatio: flag,
    alignDateRangeToGranularity: flag,
    fillNulls: flag,
    fitYAxisToData: flag,
    compareToPreviousPeriod: flag,
    groupByColumnsOnLeft: flag,
    numberFormat,
    onClick: linkOf(isManaged).optional(),
    color: color.optional(),
    colorRules: z.array(colorRuleOf(isManaged)).max(most(10)).optional(),
    backgroundChart: z.object({ type: z.enum(["line", "area"]), color: color.optional() }).optional(),
    limit: isManaged ? z.number().int().optional() : wholeNumber,
    markdown: z.string().max(50_000).optional(),
    seriesLimit: isManaged ? undefined : wholeNumber,
    formulas: isManaged ? undefined : z.array(formula).max(10).optional(),
    showOperandSeries: isManaged ? undefined : flag,
  };
}

/** `names` are in the order of reported mistakes. */
function pick(members: Members, names: string) {
  const shape = names.split(" ").flatMap((name) => (members[name] === undefined ? [] : [[name, members[name]]]));
  return z.object(Object.fromEntries(shape));
}

const OVER_TIME = "sourceId select groupBy asRatio alignDateRangeToGranularity fillNulls";
const FORMULAS = "formulas showOperandSeries";
const SLICES = "displayType sourceId select groupBy orderBy numberFormat limit";
const EVENTS = "displayType sourceId select where whereLanguage";

function builtTiles(isManaged: boolean) {
  const members = membersOf(isManaged);
  const built = (displayType: string, names: string, own: Members = {}) =>
    pick({ ...members, ...own, displayType: z.literal(displayType) }, names);
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
    number: built("number", number),
    pie: built("pie", SLICES, single),
    bar: built("bar", SLICES, single),
    heatmap: built("heatmap", `${EVENTS} numberFormat`, exactlyOne(heatmapItem)),
    markdown: built("markdown", "displayType markdown"),
    search: built("search", EVENTS, {
      select: columns,
      whereLanguage: isManaged ? languageOf(isManaged) : members.whereLanguage,
    }),
    event_patterns: built("event_patterns", EVENTS, { select: columns.optional() }),
  };
}

function rawSqlTiles(isManaged: boolean) {
  const sqlMembers = { configType: z.literal("sql"), sourceId: idOf(isManaged).optional() };
  const members = { ...membersOf(isManaged), ...sqlMembers };
  const head = "configType connectionId sqlTemplate sourceId numberFormat displayType";
  const raw = (displayType: string, names: string) => pick({ ...members, displayType: z.literal(displayType) }, names);
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

/** Responses of both variants show the members of these self-hosted schemas. */
export const BUILT_TILES = builtTiles(false);
export const RAW_SQL_TILES = rawSqlTiles(false);
export const selectItemSchema = seriesItem(false);
export const colorRuleSchema = colorRuleOf(false);

/** Any `configType` but "sql", even `null`, is dropped (recording 2085). */
export function tileConfigSchema(variant: SandboxVariant): z.ZodType<JsonObject> {
  const isManaged = variant === "managed";
  const { line, ...others } = builtTiles(isManaged);
  const { line: rawLine, ...otherRaw } = rawSqlTiles(isManaged);
  const built = z.discriminatedUnion("displayType", [line, ...Object.values(others)]);
  const rawSql = z.discriminatedUnion("displayType", [rawLine, ...Object.values(otherRaw)]);
  return z.unknown().transform((config, context): JsonObject => {
    const isRawSql = isObject(config) && config["configType"] === "sql";
    const parsed = parseOrListMistakes<JsonObject>(isRawSql ? rawSql : built, config);
    if (!parsed.ok) {
      for (const { path, message } of parsed.mistakes) addMistake(context, path === "" ? [] : path.split("."), message);
      return {};
    }
    if (!isManaged) checkSeries(parsed.value, context);
    return parsed.value;
  });
}

const TOO_MANY =
  "Number tiles support a single select item unless formulas are used (extra items are formula operands)";
const NO_RATIO = 'formulas cannot be combined with asRatio; express the ratio as a formula instead (e.g. "A / B")';

/** See docs/api.md#dashboard-members. */
function checkSeries(config: JsonObject, context: z.RefinementCtx): void {
  const { configType, displayType, select, formulas, asRatio } = config;
  if (configType === "sql" || !Array.isArray(select)) return;
  const report = (path: (string | number)[], message: string): void => addMistake(context, path, message);
  const formulaObjects = Array.isArray(formulas) ? formulas.filter(isObject) : [];
  if (asRatio === true && formulaObjects.length > 0) report(["formulas"], NO_RATIO);
  else if (asRatio === true && select.length !== 2) {
    report([], "asRatio can only be used with exactly two select items");
  }
  if (displayType === "number") {
    if (formulaObjects.length > 1) report(["formulas"], "Number charts support a single formula");
    if (formulaObjects.length === 0 && select.length > 1) report(["select"], TOO_MANY);
  }
  for (const [index, { expression }] of formulaObjects.entries()) {
    const formulaMistake = findFormulaMistake(String(expression), select.length);
    if (formulaMistake !== undefined) report(["formulas", index, "expression"], formulaMistake);
  }
}

function findFormulaMistake(expression: string, seriesCount: number): string | undefined {
  const tokens = expression.match(/\d+(?:\.\d+)?|[A-Za-z]+|\S/g) ?? [];
  let position = 0;
  const peek = (): string | undefined => tokens[position];
  const operand = (): string | undefined => {
    const token = tokens[position++];
    if (token === undefined) return "Unexpected end of expression";
    if (token === "-" || token === "+") return operand();
    if (token === "(") return sum() ?? (tokens[position++] === ")" ? undefined : "Expected closing parenthesis");
    if (/^\d/.test(token)) return undefined;
    if (!/^[A-Za-z]+$/.test(token)) return `Unexpected token "${token}"`;
    return seriesFault(token, seriesCount);
  };
  const sum = (): string | undefined => {
    let mistake = operand();
    while (mistake === undefined && /^[-+*/%]$/.test(peek() ?? "")) {
      position += 1;
      mistake = operand();
    }
    return mistake;
  };
  return sum() ?? (position < tokens.length ? `Unexpected token "${String(peek())}"` : undefined);
}

function seriesFault(name: string, seriesCount: number): string | undefined {
  const index = name.length === 1 ? name.charCodeAt(0) - "A".charCodeAt(0) : -1;
  if (index >= 0 && index < seriesCount) return undefined;
  const lastLetter = String.fromCharCode("A".charCodeAt(0) + seriesCount - 1);
  return `Unknown series "${name}" — this chart only has series A through ${lastLetter}`;
}
