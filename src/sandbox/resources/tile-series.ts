import { z } from "zod";
import { definedMembers, type JsonObject } from "../store.ts";
import { addMistake } from "../schema.ts";
import { METRIC_TYPES, aggregateSchema, idOf, languageOf, numberFormatOf } from "./tiles.ts";

const text = z.string().optional();

/** Responses show this older format as `config` (docs/api.md#series). */
export const seriesSchema = schemaOf(false).superRefine((series, context) => {
  if (new Set(series.map(({ type }) => type)).size < 2) return;
  addMistake(context, [], "All series must have the same type");
});

/** As in the description of the managed service. */
export const managedSeriesSchema = schemaOf(true);

function schemaOf(isManaged: boolean) {
  const language = languageOf(isManaged);
  const condition = { where: z.string(), whereLanguage: isManaged ? language : language.optional() };
  const value = {
    sourceId: idOf(isManaged),
    aggFn: aggregateSchema,
    level: isManaged ? z.number().optional() : z.number().min(0).max(1).optional(),
    field: text,
    alias: text,
    ...condition,
    numberFormat: numberFormatOf(isManaged),
    metricDataType: z.enum(METRIC_TYPES).optional(),
    metricName: text,
  };
  const groupBy = isManaged ? z.array(z.string()) : z.array(z.string()).max(10);
  const displayType = z.enum(["stacked_bar", "line"]).optional();
  const sortOrder = z.enum(["desc", "asc"]).optional();
  const content = isManaged ? z.string() : z.string().max(100_000);
  return z
    .array(
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("time"), ...value, groupBy, displayType }),
        z.object({ type: z.literal("table"), ...value, groupBy, sortOrder }),
        z.object({ type: z.literal("search"), sourceId: idOf(isManaged), fields: z.array(z.string()), ...condition }),
        z.object({ type: z.literal("number"), ...value }),
        z.object({ type: z.literal("markdown"), content }),
      ]),
    )
    .min(1);
}

export type Series = z.output<typeof seriesSchema>[number];

/** Takes the first `numberFormat` of any series, all series into a chart's `select`, and the first series for other members. */
export function seriesToConfig(series: readonly Series[], asRatio: boolean | undefined): JsonObject {
  const [first] = series;
  if (first === undefined) throw new TypeError("a tile with the older series has at least one series");
  if (first.type === "markdown") return { displayType: "markdown", markdown: first.content };
  if (first.type === "search") {
    const { sourceId, fields, where, whereLanguage } = first;
    return { displayType: "search", sourceId, select: fields.join(", "), where, whereLanguage };
  }
  const groups = "groupBy" in first ? first.groupBy.join(",") : "";
  const format = series.flatMap((item) => ("numberFormat" in item && item.numberFormat ? [item.numberFormat] : []))[0];
  return {
    displayType: first.type === "time" ? (first.displayType ?? "line") : first.type,
    sourceId: first.sourceId,
    ...(groups === "" ? {} : { groupBy: groups }),
    ...(asRatio !== undefined && series.length === 2 ? { asRatio } : {}),
    ...(format === undefined ? {} : { numberFormat: format }),
    select: series.map(itemOf),
  };
}

function itemOf(series: Series): JsonObject {
  if (series.type === "markdown" || series.type === "search") return {};
  const { aggFn, field, level, where, whereLanguage, alias, metricDataType, metricName } = series;
  return definedMembers({
    metricType: metricDataType,
    metricName,
    alias,
    valueExpression: field,
    aggFn,
    where,
    whereLanguage,
    level,
  });
}
