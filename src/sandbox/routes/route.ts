import { Refusal } from "../errors.ts";
import type { Reply } from "../http/envelope.ts";
import type { Identity } from "../identity.ts";
import type { IdGenerator } from "../ids.ts";
import type { SandboxVariant } from "../options.ts";
import { parse } from "../schema/parse.ts";
import { pageSchema } from "../schema/query.ts";
import type { Store } from "../store.ts";

/** What the handlers work on. */
export interface Stack {
  readonly variant: SandboxVariant;
  readonly identity: Identity;
  readonly store: Store;
  readonly ids: IdGenerator;
  readonly now: () => number;
}

/** One request as a handler sees it. */
export interface Call {
  /** The id in the path; empty where the route has none. */
  readonly id: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the variant's base address, such as `dashboards/:id`. */
  readonly path: string;
  /** Throws `Refusal` for a response that is not 200. Runs in one go, so that writes never interleave. */
  readonly handle: (call: Call) => Reply;
  /** Whether the data file has to follow before the response goes out. */
  readonly writes: boolean;
}

/** Throws `Refusal` 400 where the id in the path is not one of the variant (recording 66). */
export function checkId({ variant, ids }: Stack, id: string): void {
  const type = variant === "managed" ? "uuid" : "ObjectId";
  if (!ids.isId(id)) throw new Refusal(400, `Params validation failed: id: Invalid ${type}`);
}

/** The page of `records` that the query asks for. Throws `Refusal` 400 on a limit or offset out of bounds. */
export function pageOf(records: ReadonlyMap<string, unknown>, query: Call["query"]): Reply {
  const { limit, offset } = parse(pageSchema, query, "Query");
  const page = { total: records.size, limit, offset };
  return { is: "list", records: [...records.values()].slice(offset, offset + limit), page };
}
