import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { Refusal } from "../http/envelope.ts";
import { requireRecord, recordRoutes, stampRecord, type Stack } from "./route.ts";
import type { IdGenerator, SandboxRecord } from "../store.ts";

export const savedSearchRoutes = recordRoutes("saved-searches", {
  schema: ({ ids }) => savedSearchSchema(ids),
  record: savedSearchRecord,
  remove,
});

const filter = z
  .looseObject({
    type: z.enum(["sql", "lucene", "sql_ast"]).default("sql"),
    condition: z.string().max(8192).optional(),
  })
  // The type comes first, even if the body has no type.
  .transform(({ type, ...rest }) => ({ type, ...rest }));

/** In the order of responses. An update resets omitted members (docs/api.md#saved-searches). */
function savedSearchSchema(ids: IdGenerator) {
  return z.object({
    name: z.string().trim().min(1).max(1024),
    select: z.string().max(4096).default(""),
    where: z.string().max(8192).default(""),
    whereLanguage: z.enum(["lucene", "sql"]).default("lucene"),
    orderBy: z.string().max(1024).default(""),
    sourceId: z.string().refine((id) => ids.isId(id), `Invalid ${ids.form}`),
    tags: z.array(z.string().max(32)).max(50).default([]),
    filters: z.array(filter).max(100).default([]),
  });
}

type SavedSearch = z.output<ReturnType<typeof savedSearchSchema>>;

const COLUMN = String.raw`(?:\w+\()?[\w.]+(?:\['[^']*'\])*\)?`;
const VALUE = String.raw`(?:'(?:[^'\\]|\\.|'')*'|-?[\d.]+|true|false)`;
const NUMBER = String.raw`-?[\d.]+`;
const RENDERABLE = new RegExp(
  String.raw`^\s*${COLUMN}\s+(?:(?:NOT\s+)?IN\s*\(\s*${VALUE}(?:\s*,\s*${VALUE})*\s*\)|BETWEEN\s+${NUMBER}\s+AND\s+${NUMBER})\s*$`,
  "i",
);

/** The web interface displays only filters that are one `IN`, `NOT IN` or `BETWEEN` on one column. */
function isRenderable({ type, condition }: SavedSearch["filters"][number]): boolean {
  return type === "sql" && condition !== undefined && RENDERABLE.test(condition);
}

function savedSearchRecord(body: SavedSearch, stack: Stack, stored?: SandboxRecord): SandboxRecord {
  const { teamId } = stored ?? stack.identity;
  const storedFilters = stored?.["filters"];
  checkReferences(stack, body, Array.isArray(storedFilters) ? storedFilters : []);
  return stampRecord({ ...body, teamId }, stack, stored);
}

/** Also deletes the alerts on the saved search, without a word in the response. */
function remove(stack: Stack, id: string): void {
  const { store } = stack;
  requireRecord(stack, "saved-searches", id);
  store["saved-searches"].delete(id);
  for (const alert of store.alerts.values()) if (alert["savedSearchId"] === id) store.alerts.delete(alert.id);
}

/** Filters of the stored record are accepted even if the web interface cannot display them. */
function checkReferences({ store }: Stack, body: SavedSearch, storedFilters: readonly unknown[]): void {
  if (!store.sources.has(body.sourceId)) throw new Refusal(400, "sourceId must be an existing source id");
  for (const [index, filter] of body.filters.entries()) {
    if (isRenderable(filter) || storedFilters.some((storedFilter) => isDeepStrictEqual(storedFilter, filter))) continue;
    const shapes = `"<column> IN ('<value>', ...)", "NOT IN (...)", or "BETWEEN <n> AND <n>"`;
    const hint = "Other shapes are only accepted on update when preserved unchanged from the stored saved search.";
    throw new Refusal(400, `filters[${index}] must be a sidebar-renderable SQL predicate (e.g. ${shapes}). ${hint}`);
  }
}
