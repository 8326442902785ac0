import { z } from "zod";
import { isObject, omitMembers, type JsonObject } from "../store.ts";
import type { SandboxVariant } from "../options.ts";
import { addMistake, onlyWord } from "../schema.ts";
import { oncePerVariant } from "./route.ts";
import { managedSeriesSchema, seriesSchema, type Series } from "./tile-series.ts";
import { idOf, languageOf, tileConfigSchema } from "./tiles.ts";

const SOURCE_METRIC_TYPES = ["gauge", "histogram", "sum", "summary", "exponential histogram"] as const;

/** In the order of responses; in the response to an update, the id comes first. */
function filterMembers(isManaged: boolean) {
  return {
    type: onlyWord("QUERY_EXPRESSION"),
    name: z.string().min(1),
    expression: z.string().min(1),
    sourceMetricType: z.enum(SOURCE_METRIC_TYPES).optional(),
    where: z.string().optional(),
    whereLanguage: z.enum(["sql", "lucene"]).optional(),
    appliesToSourceIds: z.array(isManaged ? z.string() : z.string().min(1)).optional(),
  };
}

const variableMembers = {
  isBroadcastEnabled: z.boolean().optional(),
  isVariableEnabled: z.boolean().optional(),
  variableName: z
    .string()
    .max(64)
    .regex(/^[A-Za-z]\w*$/, "Invalid")
    .optional(),
};

type Filter = z.output<z.ZodObject<ReturnType<typeof filterMembers> & typeof variableMembers>>;

/** Filters refuse unknown members, unlike other parts of a dashboard. Filters of an update need an id. */
function filtersOf(variant: SandboxVariant, use: "created" | "kept") {
  const isManaged = variant === "managed";
  const id = use === "kept" ? { id: z.string() } : {};
  const members = { ...id, ...filterMembers(isManaged) };
  const sourceId = idOf(isManaged);
  if (!isManaged) {
    return z.array(z.strictObject({ ...members, ...variableMembers, sourceId })).superRefine(checkFilters);
  }
  const filter = z.strictObject({ ...members, sourceId });
  // The managed gateway removes `isVariableEnabled`, which its description lacks.
  const describedMembers = (sent: unknown) => (isObject(sent) ? omitMembers(sent, ["isVariableEnabled"]) : sent);
  return z.array(z.preprocess(describedMembers, filter));
}

/** See docs/api.md#dashboard-members. */
function checkFilters(filters: readonly Filter[], context: z.RefinementCtx): void {
  const names = new Set<string>();
  for (const [index, filter] of filters.entries()) {
    const report = (member: keyof Filter, message: string): void => addMistake(context, [index, member], message);
    const { name, isVariableEnabled = false, isBroadcastEnabled = true, variableName } = filter;
    if (variableName !== undefined && !isVariableEnabled) {
      const rule = "set isVariableEnabled to true or drop variableName";
      report("variableName", `Filter "${name}" sets variableName but is not available as a variable; ${rule}`);
    }
    if (!isBroadcastEnabled && !isVariableEnabled) {
      report("isBroadcastEnabled", `Filter "${name}" must broadcast its value, be available as a variable, or both`);
    }
    if (!isBroadcastEnabled && filter.appliesToSourceIds?.length) {
      const rule = "set isBroadcastEnabled to true or drop appliesToSourceIds";
      report(
        "appliesToSourceIds",
        `Filter "${name}" sets appliesToSourceIds but does not broadcast its value; ${rule}`,
      );
    }
    if (!isVariableEnabled) continue;
    const variable = variableName ?? derivedName(name);
    if (variable === "") report("variableName", `Variable name is required for filter "${name}"`);
    else if (names.has(variable)) report("variableName", `Variable names must be unique: "${variable}"`);
    names.add(variable);
  }
}

function derivedName(name: string): string {
  return name
    .replaceAll(/\W+/g, "_")
    .replace(/^[^A-Za-z]+/, "")
    .replace(/_+$/, "");
}

const idAndTitle = { id: z.string().min(1).max(256), title: z.string().min(1).max(256) };
const placeId = z.string().min(1).max(256).optional();

export type Tile = z.output<ReturnType<typeof tileSchema>>;
export type Container = z.output<typeof containers>[number];
export type Dashboard = z.output<ReturnType<typeof schemaOf>>;

function tileSchema(variant: SandboxVariant) {
  const isManaged = variant === "managed";
  const series: z.ZodType<readonly Series[]> = isManaged ? managedSeriesSchema : seriesSchema;
  const place = isManaged ? z.number().int() : z.number();
  return z
    .object({
      name: z.string(),
      x: place.min(0).max(23),
      y: place.min(0),
      w: place.min(1).max(24),
      h: place.min(1),
      config: tileConfigSchema(variant).optional(),
      series: series.optional(),
      asRatio: z.boolean().optional(),
      containerId: placeId,
      tabId: placeId,
      id: z.string().max(36).optional(),
    })
    .superRefine((tile, context) => {
      const report = (message: string): void => addMistake(context, [], message);
      const { config: built, series: older, asRatio } = tile;
      if (built === undefined && older === undefined) report("Tile must have either series or config");
      if (built === undefined) return;
      if (older !== undefined) report("Tile cannot have both series and config");
      else if (asRatio !== undefined) {
        report("asRatio property is not supported when using config property. Specify config.asRatio instead.");
      }
    });
}

const containers = z
  .array(
    z.object({
      ...idAndTitle,
      collapsed: z.boolean(),
      collapsible: z.boolean().optional(),
      bordered: z.boolean().optional(),
      tabs: z.array(z.object(idAndTitle)).max(20).optional(),
    }),
  )
  .max(50)
  .superRefine(refuseEqualIds);

const savedFilter = z.object({ type: z.literal("sql").optional(), condition: z.string().max(10_000) });

// In the order of reported mistakes, and of the answer of `validate`.
function schemaOf(variant: SandboxVariant, use: "created" | "kept", tile: ReturnType<typeof tileSchema>) {
  const filters: z.ZodType<readonly JsonObject[]> = filtersOf(variant, use);
  return z
    .object({
      name: z.string().max(1024),
      tiles: z.array(tile).max(500).superRefine(refuseDuplicateTiles),
      tags: z.array(z.string().max(32)).max(50).optional(),
      savedQuery: z.string().nullable().optional(),
      savedQueryLanguage: languageOf(variant === "managed")
        .nullable()
        .optional(),
      savedFilterValues: z.array(savedFilter).optional(),
      containers: containers.optional(),
      filters: filters.optional(),
    })
    .superRefine(({ savedQuery, savedQueryLanguage }, context) => {
      if (typeof savedQuery !== "string" || savedQueryLanguage !== null) return;
      addMistake(context, ["savedQueryLanguage"], "savedQueryLanguage cannot be null when savedQuery is provided");
    });
}

export const dashboardSchemas = oncePerVariant((variant) => {
  const tile = tileSchema(variant);
  return { created: schemaOf(variant, "created", tile), kept: schemaOf(variant, "kept", tile) };
});

/** Several tiles with an absent or empty id are accepted (docs/api.md#dashboards). */
function refuseDuplicateTiles(tiles: readonly Tile[], context: z.RefinementCtx): void {
  const tileIds = new Set<string>();
  for (const [index, { id }] of tiles.entries()) {
    if (!id) continue;
    const message = `Duplicate tile ID: ${id}. Omit the ID to generate a unique one.`;
    if (tileIds.has(id)) addMistake(context, [index, "id"], message);
    tileIds.add(id);
  }
}

function refuseEqualIds(containers: readonly Container[], context: z.RefinementCtx): void {
  const containerIds = new Set<string>();
  for (const [index, { id, tabs = [] }] of containers.entries()) {
    if (containerIds.has(id)) addMistake(context, [index, "id"], `Container IDs must be unique: "${id}"`);
    containerIds.add(id);
    const tabIds = new Set<string>();
    for (const [tabIndex, tab] of tabs.entries()) {
      const message = `Duplicate tab id "${tab.id}" in container "${id}"`;
      if (tabIds.has(tab.id)) addMistake(context, [index, "tabs", tabIndex, "id"], message);
      tabIds.add(tab.id);
    }
  }
}
