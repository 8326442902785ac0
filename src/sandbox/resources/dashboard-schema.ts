import { z } from "zod";
import type { JsonObject } from "../store/record.ts";
import type { SandboxRelease, SandboxVariant } from "../variant.ts";
import { filtersOf } from "./dashboard-filters.ts";
import { MANAGED_TILE_CONFIG, managedNumberFormat } from "./managed-tile.ts";
import type { Series } from "./series.ts";
import { seriesSchema } from "./series.ts";
import { tileConfigSchema } from "./tile-config.ts";
import { conditionLanguage, language } from "./tile-parts.ts";
import * as words from "./words.ts";

const value = {
  sourceId: z.string(),
  aggFn: z.enum(words.AGGREGATES),
  level: z.number().optional(),
  field: z.string().optional(),
  alias: z.string().optional(),
  where: z.string(),
  whereLanguage: z.enum(["sql", "lucene"]),
  numberFormat: managedNumberFormat,
  metricDataType: z.enum(words.METRIC_TYPES).optional(),
  metricName: z.string().optional(),
};
const groupBy = z.array(z.string());

/** The older format of a tile's query, as described for the managed service. */
const managedSeriesSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("time"),
    ...value,
    groupBy,
    displayType: z.enum(["stacked_bar", "line"]).optional(),
  }),
  z.object({ type: z.literal("table"), ...value, groupBy, sortOrder: z.enum(["desc", "asc"]).optional() }),
  z.object({ type: z.literal("number"), ...value }),
  z.object({
    type: z.literal("search"),
    sourceId: z.string(),
    fields: z.array(z.string()),
    where: z.string(),
    whereLanguage: z.enum(["sql", "lucene"]),
  }),
  z.object({ type: z.literal("markdown"), content: z.string() }),
]);

const titled = { id: z.string().min(1).max(256), title: z.string().min(1).max(256) };
const placeId = z.string().min(1).max(256).optional();

/** A tile as sent. */
export interface Tile {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly config?: JsonObject | undefined;
  readonly series?: readonly Series[] | undefined;
  readonly asRatio?: boolean | undefined;
  readonly containerId?: string | undefined;
  readonly tabId?: string | undefined;
  readonly id?: string | undefined;
}

export interface Container {
  readonly id: string;
  readonly tabs?: readonly { readonly id: string }[] | undefined;
}

/** A dashboard as sent; a filter of an update has an id. */
export interface Dashboard {
  readonly name: string;
  readonly tiles: readonly Tile[];
  readonly tags?: readonly string[] | undefined;
  readonly savedQuery?: string | null | undefined;
  readonly savedQueryLanguage?: z.output<typeof language> | null | undefined;
  readonly savedFilterValues?: readonly object[] | undefined;
  readonly containers?: readonly Container[] | undefined;
  readonly filters?: readonly JsonObject[] | undefined;
}

function tileSchema(variant: SandboxVariant, release: SandboxRelease): z.ZodType<Tile> {
  const isManaged = variant === "managed";
  const config: z.ZodType<JsonObject> = isManaged ? MANAGED_TILE_CONFIG[release] : tileConfigSchema;
  const series: z.ZodType<readonly Series[]> = isManaged ? z.array(managedSeriesSchema).min(1) : seriesSchema;
  // Fractions were only seen in these two members (recording 203).
  const acrossType = isManaged ? z.number().int() : z.number();
  return z
    .object({
      name: z.string(),
      x: acrossType.min(0).max(23),
      y: z.number().int().min(0),
      w: acrossType.min(1).max(24),
      h: z.number().int().min(1),
      config: config.optional(),
      series: series.optional(),
      asRatio: z.boolean().optional(),
      containerId: placeId,
      tabId: placeId,
      id: z.string().max(36).optional(),
    })
    .superRefine((tile, context) => {
      const fault = (message: string): void => context.addIssue({ code: "custom", path: [], message });
      const { config: built, series: older, asRatio } = tile;
      if (built === undefined && older === undefined) fault("Tile must have either series or config");
      if (built === undefined) return;
      if (older !== undefined) fault("Tile cannot have both series and config");
      else if (asRatio !== undefined) {
        fault("asRatio property is not supported when using config property. Specify config.asRatio instead.");
      }
    });
}

const containers = z
  .array(
    z.object({
      ...titled,
      collapsed: z.boolean(),
      collapsible: z.boolean().optional(),
      bordered: z.boolean().optional(),
      tabs: z.array(z.object(titled)).max(20).optional(),
    }),
  )
  .max(50)
  .superRefine(refuseEqualIds);

const savedFilter = z.object({ type: z.literal("sql").optional(), condition: z.string().max(10_000) });

// The order of the members is the order in which the servers report faults, and in which `validate` repeats the body.
function schemaOf(variant: SandboxVariant, release: SandboxRelease, use: "created" | "kept"): z.ZodType<Dashboard> {
  const filters: z.ZodType<readonly JsonObject[]> = filtersOf(variant, release)[use];
  return z
    .object({
      name: z.string().max(1024),
      tiles: z.array(tileSchema(variant, release)).max(500).superRefine(refuseDuplicateTiles),
      tags: z.array(z.string().max(32)).max(50).optional(),
      savedQuery: z.string().nullable().optional(),
      savedQueryLanguage: (variant === "managed" ? conditionLanguage : language).nullable().optional(),
      savedFilterValues: z.array(savedFilter).optional(),
      containers: containers.optional(),
      filters: filters.optional(),
    })
    .superRefine(({ savedQuery, savedQueryLanguage }, context) => {
      if (typeof savedQuery !== "string" || savedQueryLanguage !== null) return;
      const message = "savedQueryLanguage cannot be null when savedQuery is provided";
      context.addIssue({ code: "custom", path: ["savedQueryLanguage"], message });
    });
}

const SCHEMAS = {
  "self-hosted": { published: bothOf("self-hosted", "published"), next: bothOf("self-hosted", "next") },
  managed: { published: bothOf("managed", "published"), next: bothOf("managed", "next") },
};

function bothOf(variant: SandboxVariant, release: SandboxRelease) {
  return { created: schemaOf(variant, release, "created"), kept: schemaOf(variant, release, "kept") };
}

/** The bodies of a create, which `validate` checks as well, and of an update. */
export function dashboardSchemas(variant: SandboxVariant, release: SandboxRelease): ReturnType<typeof bothOf> {
  return SCHEMAS[variant][release];
}

/** Refuses duplicate tile ids. Several tiles with an absent or empty id are accepted (docs/api.md#limits). */
function refuseDuplicateTiles(tiles: readonly Tile[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, { id }] of tiles.entries()) {
    if (!id) continue;
    if (seen.has(id)) {
      const message = `Duplicate tile ID: ${id}. Omit the ID to generate a unique one.`;
      context.addIssue({ code: "custom", path: [index, "id"], message });
    }
    seen.add(id);
  }
}

function refuseEqualIds(all: readonly Container[], context: z.RefinementCtx): void {
  const fault = (path: (string | number)[], message: string): void =>
    context.addIssue({ code: "custom", path, message });
  const seen = new Set<string>();
  for (const [index, { id, tabs = [] }] of all.entries()) {
    if (seen.has(id)) fault([index, "id"], `Container IDs must be unique: "${id}"`);
    seen.add(id);
    const own = new Set<string>();
    for (const [at, tab] of tabs.entries()) {
      if (own.has(tab.id)) fault([index, "tabs", at, "id"], `Duplicate tab id "${tab.id}" in container "${id}"`);
      own.add(tab.id);
    }
  }
}
