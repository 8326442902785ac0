import { z } from "zod";
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
  isVariableEnabled: z.boolean().optional(),
};

// Strict, alone among the members of a dashboard (recordings 15, 208); an update needs the id (recording 19).
const newFilter = z.strictObject({ ...filterMembers, sourceId: z.string() });
const keptFilter = z.strictObject({ id: z.string(), ...filterMembers, sourceId: z.string() });

// The order of the members is the order in which the servers report their faults (recordings 103, 209).
const head = {
  name: z.string().max(1024),
  tiles: z.array(tileSchema).max(500).superRefine(refuseDuplicateIds),
  tags: z.array(z.string().max(32)).max(50).optional(),
  savedQuery: z.string().nullable().optional(),
  savedQueryLanguage: language.nullable().optional(),
  savedFilterValues: z.array(z.object({ type: z.literal("sql"), condition: z.string() })).optional(),
  containers: z
    .array(z.object({ ...titled, collapsed: z.boolean(), tabs: z.array(z.object(titled)).optional() }))
    .max(50)
    .optional(),
};

/** The body of a create; it is what `validate` checks too. */
export const newDashboardSchema = z.object({ ...head, filters: z.array(newFilter).optional() });

/** The body of an update. */
export const keptDashboardSchema = z.object({ ...head, filters: z.array(keptFilter).optional() });

export type NewDashboard = z.output<typeof newDashboardSchema>;
export type KeptDashboard = z.output<typeof keptDashboardSchema>;

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
