import { z } from "zod";
import type { IdGenerator } from "../store/ids.ts";

const filter = z
  .looseObject({
    type: z.enum(["sql", "lucene", "sql_ast"]).default("sql"),
    condition: z.string().max(8192).optional(),
  })
  // The type stands first, whether it was sent or not (recording 435).
  .transform(({ type, ...rest }) => ({ type, ...rest }));

/** The body of a create and of an update: an update resets what it leaves out (recordings 432 to 449, 459). */
export function savedSearchSchema(ids: IdGenerator) {
  return z.object({
    name: z.string().trim().min(1).max(1024),
    sourceId: z.string().refine((id) => ids.isId(id), `Invalid ${ids.form}`),
    select: z.string().max(4096).default(""),
    where: z.string().max(8192).default(""),
    whereLanguage: z.enum(["lucene", "sql"]).default("lucene"),
    orderBy: z.string().max(1024).default(""),
    tags: z.array(z.string().max(32)).max(50).default([]),
    filters: z.array(filter).max(100).default([]),
  });
}

export type SavedSearch = z.output<ReturnType<typeof savedSearchSchema>>;

const COLUMN = String.raw`(?:\w+\()?[\w.]+(?:\['[^']*'\])*\)?`;
const VALUE = String.raw`(?:'(?:[^'\\]|\\.|'')*'|-?[\d.]+|true|false)`;
const NUMBER = String.raw`-?[\d.]+`;
const RENDERABLE = new RegExp(
  String.raw`^\s*${COLUMN}\s+(?:(?:NOT\s+)?IN\s*\(\s*${VALUE}(?:\s*,\s*${VALUE})*\s*\)|BETWEEN\s+${NUMBER}\s+AND\s+${NUMBER})\s*$`,
  "i",
);

/** Whether the web interface can draw a filter: one `IN`, `NOT IN` or `BETWEEN` on one column (recordings 446 to 448). */
export function isRenderable({ type, condition }: SavedSearch["filters"][number]): boolean {
  return type === "sql" && condition !== undefined && RENDERABLE.test(condition);
}
