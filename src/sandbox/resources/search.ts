import { z } from "zod";
import { Refusal } from "../errors.ts";
import type { Call, Route, Stack } from "../routes/route.ts";
import { bodyOf } from "../routes/route.ts";

const ROW_EVERY_MS = 2000;
const HOUR_MS = 3_600_000;
const SELECT_RULE =
  "select must not contain semicolons or SELECT subqueries; use column references, map lookups, or scalar functions only";

/** Rows of a source: a query over POST, only on self-hosted. */
export function searchRoutes(stack: Stack): readonly Route[] {
  return [{ method: "POST", path: "search", writes: false, handle: (call) => search(stack, call) }];
}

function searchSchema({ ids }: Stack) {
  return z.object({
    sourceId: z.string().refine((id) => ids.isId(id), `sourceId must be a valid ${ids.form}`),
    startTime: z.iso.datetime("Invalid datetime").optional(),
    endTime: z.iso.datetime("Invalid datetime").optional(),
    where: z.string().default(""),
    whereLanguage: z.enum(["lucene", "sql"]).default("lucene"),
    select: z
      .string()
      .refine((text) => !/;|\bselect\b/i.test(text), SELECT_RULE)
      .default(""),
    orderBy: z.string().default(""),
    maxResults: z.number().int().min(1).max(2000).default(100),
    offset: z.number().int().min(0).default(0),
  });
}

/** The newest rows first, one for every two seconds of the window; other members of the query have no effect. */
function search(stack: Stack, call: Call) {
  const { sourceId, startTime, endTime, maxResults, offset } = bodyOf(stack, searchSchema(stack), call);
  const end = endTime === undefined ? stack.now() : Date.parse(endTime);
  const start = startTime === undefined ? end - HOUR_MS : Date.parse(startTime);
  if (end <= start) throw new Refusal(400, "endTime must be greater than startTime");
  const source = stack.store.sources.get(sourceId);
  if (source === undefined) throw new Refusal(404, `Source not found: ${sourceId}`);
  const left = Math.floor((end - start) / ROW_EVERY_MS) - offset;
  const { timestampValueExpression: column } = source;
  const rows = Array.from({ length: Math.max(0, Math.min(maxResults, left)) }, (_, index) => ({
    [typeof column === "string" ? column : "Timestamp"]: new Date(end - (offset + index) * ROW_EVERY_MS)
      .toISOString()
      .replace("T", " ")
      .replace("Z", "000000"),
    Body: `row ${offset + index}`,
  }));
  return { is: "bare", body: { data: rows, rows: rows.length } } as const;
}
