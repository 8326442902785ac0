import type { Reply } from "../envelope/reply.ts";
import { pageSchema } from "../schema/page.ts";
import { parse } from "../schema/parse.ts";
import type { Call } from "./route.ts";

/** The page of `records` that the query asks for. Throws `Refusal` 400 on a limit or offset out of bounds. */
export function pageOf(records: ReadonlyMap<string, unknown>, query: Call["query"]): Reply {
  const { limit, offset } = parse(pageSchema, query, "Query");
  const page = { total: records.size, limit, offset };
  return { is: "list", records: [...records.values()].slice(offset, offset + limit), page };
}
