import { z } from "zod";
import { isObject, without } from "../store/record.ts";
import type { SandboxVariant } from "../variant.ts";
import * as words from "./managed-words.ts";
import type { Tile } from "./tile.ts";
import { tileSchema } from "./tile.ts";

const language = z.enum(["sql", "lucene"]);
const titled = { id: z.string(), title: z.string() };

const filterMembers = {
  type: z.literal("QUERY_EXPRESSION"),
  name: z.string(),
  expression: z.string(),
  where: z.string().optional(),
  whereLanguage: language.optional(),
  appliesToSourceIds: z.array(z.string()).optional(),
};
const ownFilterMembers = { ...filterMembers, isVariableEnabled: z.boolean().optional() };
const managedFilterMembers = { ...filterMembers, sourceMetricType: z.enum(words.METRIC_TYPES).optional() };

// Strict, alone among the members of a dashboard (recordings 15, 208); an update needs the id (recording 19).
const FILTERS = {
  "self-hosted": {
    created: z.strictObject({ ...ownFilterMembers, sourceId: z.string() }),
    kept: z.strictObject({ id: z.string(), ...ownFilterMembers, sourceId: z.string() }),
  },
  managed: {
    created: withoutVariables(z.strictObject({ ...managedFilterMembers, sourceId: z.string() })),
    kept: withoutVariables(z.strictObject({ id: z.string(), ...managedFilterMembers, sourceId: z.string() })),
  },
};

/** The server's member that the gateway does not describe: it is dropped before the server sees it. */
function withoutVariables<Out>(schema: z.ZodType<Out>): z.ZodType<Out> {
  return z.preprocess((filter) => (isObject(filter) ? without(filter, ["isVariableEnabled"]) : filter), schema);
}

// The order of the members is the order in which the servers report their faults (recordings 103, 209).
function head(variant: SandboxVariant) {
  const isManaged = variant === "managed";
  const filterType = z.literal("sql");
  const layout = isManaged ? { collapsible: z.boolean().optional(), bordered: z.boolean().optional() } : {};
  const tabs = z.array(z.object(titled)).optional();
  return {
    name: z.string().max(1024),
    tiles: z.array(tileSchema(variant)).max(500).superRefine(refuseDuplicateIds),
    tags: z.array(z.string().max(32)).max(50).optional(),
    savedQuery: z.string().nullable().optional(),
    savedQueryLanguage: language.nullable().optional(),
    savedFilterValues: z
      .array(z.object({ type: isManaged ? filterType.optional() : filterType, condition: z.string() }))
      .optional(),
    containers: z
      .array(z.object({ ...titled, collapsed: z.boolean(), ...layout, tabs }))
      .max(50)
      .optional(),
  };
}

function created(variant: SandboxVariant): z.ZodType<NewDashboard> {
  return z.object({ ...head(variant), filters: z.array(FILTERS[variant].created).optional() });
}

function kept(variant: SandboxVariant): z.ZodType<KeptDashboard> {
  return z.object({ ...head(variant), filters: z.array(FILTERS[variant].kept).optional() });
}

const CREATED = { "self-hosted": created("self-hosted"), managed: created("managed") };
const KEPT = { "self-hosted": kept("self-hosted"), managed: kept("managed") };

/** The body of a create; it is what `validate` checks too. */
export function newDashboardSchema(variant: SandboxVariant): z.ZodType<NewDashboard> {
  return CREATED[variant];
}

/** The body of an update. */
export function keptDashboardSchema(variant: SandboxVariant): z.ZodType<KeptDashboard> {
  return KEPT[variant];
}

interface Dashboard<Filter> {
  readonly name: string;
  readonly tiles: readonly Tile[];
  readonly tags?: readonly string[] | undefined;
  readonly savedQuery?: string | null | undefined;
  readonly savedQueryLanguage?: "sql" | "lucene" | null | undefined;
  readonly savedFilterValues?: readonly object[] | undefined;
  readonly containers?: readonly object[] | undefined;
  readonly filters?: readonly Filter[] | undefined;
}

export type NewDashboard = Dashboard<object>;
export type KeptDashboard = Dashboard<{ readonly id: string }>;

function refuseDuplicateIds(tiles: readonly Tile[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, { id }] of tiles.entries()) {
    if (id === undefined) continue;
    if (seen.has(id)) {
      const message = `Duplicate tile ID: ${id}. Omit the ID to generate a unique one.`;
      context.addIssue({ code: "custom", path: [index, "id"], message });
    }
    seen.add(id);
  }
}
