import { Refusal } from "../errors.ts";
import type { Reply } from "../http/envelope.ts";
import type { Identity } from "../identity.ts";
import type { IdGenerator } from "../store/ids.ts";
import type { ListOmits, SandboxRelease, SandboxVariant } from "../options.ts";
import { parse } from "../schema/parse.ts";
import { refuseUnknown } from "../schema/unknown-members.ts";
import type { JsonObject, SandboxRecord } from "../store/record.ts";
import type { Store } from "../store/store.ts";
import { z } from "zod";

/** What the handlers work on. */
export interface Stack {
  readonly variant: SandboxVariant;
  /** Whether a body with a member that is unknown is refused. */
  readonly strict: boolean;
  readonly release: SandboxRelease;
  /** Members that a list leaves out and the answer of a single record has. */
  readonly listOmits: ListOmits;
  readonly identity: Identity;
  readonly store: Store;
  readonly ids: IdGenerator;
  readonly now: () => number;
  /** Connections that are known through sources alone: there is no record of them. */
  readonly unlistedConnections: ReadonlySet<string>;
}

/** One request as a handler sees it. */
export interface Call {
  /** The id in the path; empty where the route has none. */
  readonly id: string;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
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

/** The body as the schema reads it. Throws `Refusal` 400. */
export function bodyOf<Out>({ strict }: Stack, schema: z.ZodType<Out>, { body }: Pick<Call, "body">): Out {
  const sent = parse(schema, body, "Body");
  if (strict) refuseUnknown(body, sent);
  return sent;
}

/** The route's name in the statistics, such as `PUT dashboards/{id}`. */
export function routeName({ method, path }: Pick<Route, "method" | "path">): string {
  return `${method} ${path === "" ? "root" : path.replace(":id", "{id}")}`;
}

/** Throws `Refusal` 400 where the id in the path is not one of the variant (recording 66). */
export function checkId({ ids }: Stack, id: string): void {
  if (!ids.isId(id)) throw new Refusal(400, `Params validation failed: id: Invalid ${ids.form}`);
}

const MISSING = {
  dashboards: new Refusal(404, "Not Found", "text"),
  connections: new Refusal(404, "Not Found", "text"),
  alerts: new Refusal(404, "Alert not found"),
  sources: new Refusal(404, "Source not found"),
  webhooks: new Refusal(404, "Webhook not found"),
  "saved-searches": new Refusal(404, "Saved search not found"),
};

/** The record of the id in the path. Throws `Refusal`: 400 where it is no id, 404 where there is no such record. */
export function existing(stack: Stack, collection: keyof typeof MISSING, id: string): SandboxRecord {
  checkId(stack, id);
  const record = stack.store[collection].get(id);
  if (record === undefined) throw MISSING[collection];
  return record;
}

/** This moment as records hold it. */
export function isoNow({ now }: Stack): string {
  return new Date(now()).toISOString();
}

/**
 * The page of `records` that the query asks for. A record that cannot be shown is left out of its page, and counted all
 * the same (docs/api.md#lists). Throws `Refusal` 400 on a limit or offset out of bounds.
 */
export function pageOf(
  records: ReadonlyMap<string, SandboxRecord>,
  query: Call["query"],
  show: (record: SandboxRecord) => object | undefined = (record) => record,
): Reply {
  const { limit, offset } = parse(pageSchema, query, "Query");
  const page = { total: records.size, limit, offset };
  return { is: "list", records: shownOf([...records.values()].slice(offset, offset + limit), show), page };
}

/** The records as they are shown, without those that cannot be. */
export function shownOf(
  records: readonly SandboxRecord[],
  show: (record: SandboxRecord) => object | undefined,
): readonly object[] {
  return records.map(show).filter((record) => record !== undefined);
}

/** The members in the order of a schema, which is that of answers; those that are not set are left out. */
export function inOrder(schema: z.ZodObject, members: JsonObject): JsonObject {
  const given = Object.keys(schema.shape).filter((name) => members[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, members[name]]));
}

/** The answer of one record. Throws `Refusal` 500 on one that cannot be shown (docs/api.md#lists). */
export function recordReply(record: object | undefined): Reply {
  if (record === undefined) throw new Refusal(500, "Something went wrong :(");
  return { is: "record", record };
}

/** The query of a paged list (docs/api.md#lists). */
const pageSchema = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(1000),
  offset: z.coerce.number().int().min(0).default(0),
});
