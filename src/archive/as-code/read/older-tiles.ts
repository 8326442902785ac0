import { z } from "zod";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { dashboards } from "../../../kinds/dashboards.ts";
import { isBlank, textOfMember } from "../../../kinds/descriptor-parts.ts";
import { quotedName, type Remarks } from "./code-file.ts";

// A server converts `series` to `config` and loses members (docs/api.md#series). This program converts first, so that the plan shows
// the losses.

export function fromOlderForm(kind: ResourceKind, code: JsonObject): { readonly code: JsonObject } & Remarks {
  const remarks: Remarks = { leftOut: [], mistakes: [] };
  if (kind.name !== dashboards.name) return { code, ...remarks };
  const { tiles, charts } = code;
  if (tiles === undefined && charts !== undefined) remarks.mistakes.push({ tokens: ["charts"], message: NO_CHARTS });
  if (!isJsonArray(tiles)) return { code, ...remarks };
  const converted = tiles.map((tile, index) =>
    isJsonObject(tile) && tile["series"] !== undefined ? withConfig(tile, ["tiles", String(index)], remarks) : tile,
  );
  return { code: { ...code, tiles: converted }, ...remarks };
}

const NO_CHARTS =
  "no stack takes a dashboard with charts in place of tiles any more: open it in the web interface of a stack that has it, save it there, and put the answer of GET dashboards/ID in place of this file";

const text = z.string();
const source = { sourceId: text };
const condition = { where: text.default(""), whereLanguage: text.optional() };
const summary = {
  ...source,
  ...condition,
  aggFn: z.string({ error: () => "write an aggFn, such as count" }),
  level: z.literal([0.5, 0.9, 0.95, 0.99], { error: () => "the API has only 0.5, 0.9, 0.95 and 0.99" }).optional(),
  field: text.optional(),
  alias: text.optional(),
  numberFormat: z.looseObject({}).optional(),
  metricDataType: text.optional(),
  metricName: text.optional(),
};
const groupBy = z.array(text).default([]);

const seriesSchema = z
  .array(
    z.discriminatedUnion(
      "type",
      [
        z.object({ type: z.literal("time"), ...summary, groupBy, displayType: text.default("line") }),
        z.object({ type: z.literal("table"), ...summary, groupBy }),
        z.object({ type: z.literal("number"), ...summary }),
        z.object({ type: z.literal("search"), ...source, ...condition, fields: z.array(text).default([]) }),
        z.object({ type: z.literal("markdown"), content: text.default("") }),
      ],
      { error: () => "the API has only the types time, table, number, search and markdown: leave out the tile" },
    ),
  )
  .min(1, { error: () => "add a series, or leave out the tile" });

type Series = z.output<typeof seriesSchema>;
type Summary = Extract<Series[number], { aggFn: string }>;

function withConfig(tile: JsonObject, place: readonly string[], { mistakes, leftOut }: Remarks): JsonObject {
  const { series = null, asRatio, config, ...rest } = tile;
  const report = (message: string, path: readonly PropertyKey[] = []): void => {
    const at = path.map(String);
    const where = at.length === 0 ? "" : `${at.join(".")}: `;
    const named = `tile ${quotedName(textOfMember(tile, "name"))}: ${where}${message}`;
    mistakes.push({ tokens: [...place, "series", ...at], message: named });
  };
  if (config !== undefined) report("it has both series and config: leave out one of them");
  const written = isJsonArray(series) ? series.map(withoutNulls) : series;
  const parsed = seriesSchema.safeParse(written);
  for (const { path, message } of parsed.error?.issues ?? []) report(message, path);
  if (!parsed.success) return rest;
  const flaw = flawBetween(parsed.data);
  if (flaw !== undefined) report(flaw);
  for (const [index, member] of lostMembers(written))
    leftOut.push({ tokens: [...place, "series", String(index), member], message: member });
  return { ...rest, config: configOf(parsed.data, asRatio === true) };
}

function withoutNulls(item: JsonValue): JsonValue {
  if (!isJsonObject(item)) return item;
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null));
}

function flawBetween([first, ...others]: Series): string | undefined {
  if (others.some(({ type }) => type !== first?.type)) return "its series have several types: make a tile for each";
  const sourceOf = (item: Series[number] | undefined) => item && "sourceId" in item && item.sourceId;
  if (others.some((item) => sourceOf(item) !== sourceOf(first)))
    return "its series have several sources: make a tile for each";
  const isSingle = first?.type !== "time" && first?.type !== "table";
  return isSingle && others.length > 0 ? `a ${first?.type} tile has one series: make a tile for each` : undefined;
}

/** Lists what a server drops: the order of a table, and groups that differ from those of the first series. */
function lostMembers(series: JsonValue): (readonly [index: number, member: string])[] {
  const items = isJsonArray(series) ? series.filter(isJsonObject) : [];
  const groups = JSON.stringify(items[0]?.["groupBy"]);
  return items.flatMap((item, index) => [
    ...(isBlank(item["sortOrder"]) ? [] : [[index, "sortOrder"] as const]),
    ...(isBlank(item["groupBy"]) || JSON.stringify(item["groupBy"]) === groups ? [] : [[index, "groupBy"] as const]),
  ]);
}

/** Mirrors the server, which takes most members from the first series. */
function configOf(series: Series, asRatio: boolean): JsonObject {
  const [first] = series;
  if (first === undefined) return {};
  if (first.type === "markdown") return { displayType: "markdown", markdown: first.content };
  const { sourceId } = first;
  if (first.type === "search") {
    const { fields, where, whereLanguage } = first;
    return { displayType: "search", sourceId, select: fields.join(", "), where, ...defined({ whereLanguage }) };
  }
  const items = series.filter((item): item is Summary => "aggFn" in item);
  const groups = "groupBy" in first ? first.groupBy.join(",") : "";
  const format = items.map(({ numberFormat }) => numberFormat).find((value) => value !== undefined);
  return {
    displayType: first.type === "time" ? first.displayType : first.type,
    sourceId,
    ...(groups !== "" && { groupBy: groups }),
    ...(asRatio && items.length === 2 && { asRatio }),
    ...(format !== undefined && { numberFormat: JSON.parse(JSON.stringify(format)) }),
    select: items.map(selectItem),
  };
}

function selectItem({
  alias,
  aggFn,
  level,
  field,
  where,
  whereLanguage,
  metricDataType,
  metricName,
}: Summary): JsonObject {
  return defined({
    metricType: metricDataType,
    metricName,
    alias,
    aggFn,
    level: aggFn === "quantile" ? level : undefined,
    valueExpression: aggFn === "count" ? undefined : field,
    where,
    whereLanguage,
  });
}

function defined(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
