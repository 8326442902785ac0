import { Refusal } from "../errors.ts";
import type { Reply } from "../http/envelope.ts";
import type { Identity } from "../identity.ts";
import type { IdGenerator, JsonObject, SandboxRecord, Store } from "../store/store.ts";
import type { ListOmits, SandboxRelease, SandboxVariant } from "../options.ts";
import { parse, refuseUnknown } from "../schema.ts";
import { z } from "zod";

/** The state and settings that handlers use. */
export interface Stack {
  readonly variant: SandboxVariant;
  /** Whether a body with an unknown member is refused. */
  readonly strict: boolean;
  readonly release: SandboxRelease;
  /** Members that a list omits although the answer for a single record has them. */
  readonly listOmits: ListOmits;
  readonly identity: Identity;
  readonly store: Store;
  readonly ids: IdGenerator;
  readonly now: () => number;
  /** Ids of connections that sources reference and that have no record. */
  readonly unlistedConnections: ReadonlySet<string>;
}

/** One request as a handler sees it. */
export interface Call {
  /** The id in the path; empty if the route has none. */
  readonly id: string;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The path below the variant's base path, such as `dashboards/:id`. */
  readonly path: string;
  /** Handles a request. Throws `Refusal` for a response other than 200. Synchronous, so that writes never interleave. */
  readonly handle: (call: Call) => Reply;
  /** Whether the data file is written before the response is sent. */
  readonly writes: boolean;
}

/** Returns the body as the schema parses it. Throws `Refusal` 400 for an invalid body. */
export function bodyOf<Out>({ strict }: Stack, schema: z.ZodType<Out>, { body }: Pick<Call, "body">): Out {
  const parsedBody = parse(schema, body, "Body");
  if (strict) refuseUnknown(body, parsedBody);
  return parsedBody;
}

/** Returns the route's name in the statistics, such as `PUT dashboards/{id}`. */
export function routeName({ method, path }: Pick<Route, "method" | "path">): string {
  return `${method} ${path === "" ? "root" : path.replace(":id", "{id}")}`;
}

/** Throws `Refusal` 400 if the id in the path does not have the form of the stack's ids (test/fixtures/recordings, number 66). */
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

/** Returns the record with the id in the path. Throws `Refusal`: 400 if the text is not an id, 404 if there is no such record. */
export function existing(stack: Stack, collection: keyof typeof MISSING, id: string): SandboxRecord {
  checkId(stack, id);
  const record = stack.store[collection].get(id);
  if (record === undefined) throw MISSING[collection];
  return record;
}

/** The handlers of a collection. `create` and `update` return the stored record. `shown` turns it into the reply. */
interface Handlers {
  readonly list: (call: Call) => Reply;
  readonly create: (call: Call) => SandboxRecord;
  readonly update: (call: Call) => SandboxRecord;
  readonly remove: (call: Call) => void;
  readonly shown: (record: SandboxRecord) => Reply;
}

/** Returns the routes of a collection: list, create, get, update and delete. */
export function recordRoutes(
  stack: Stack,
  collection: keyof typeof MISSING,
  { list, create, update, remove, shown }: Handlers,
): readonly Route[] {
  const one = `${collection}/:id`;
  return [
    { method: "GET", path: collection, writes: false, handle: list },
    { method: "POST", path: collection, writes: true, handle: (call) => shown(create(call)) },
    { method: "GET", path: one, writes: false, handle: ({ id }) => shown(existing(stack, collection, id)) },
    { method: "PUT", path: one, writes: true, handle: (call) => shown(update(call)) },
    { method: "DELETE", path: one, writes: true, handle: (call) => (remove(call), { is: "deleted" }) },
  ];
}

/** Returns the current time in the form in which records store it. */
export function isoNow({ now }: Stack): string {
  return new Date(now()).toISOString();
}

/**
 * Returns the page of `records` that the query requests. A record that cannot be returned is missing from its page but is counted
 * in the total (docs/api.md#lists). Throws `Refusal` 400 if limit or offset is out of bounds.
 */
export function pageOf(
  records: ReadonlyMap<string, SandboxRecord>,
  query: Call["query"],
  visibleRecord: (record: SandboxRecord) => object | undefined = (record) => record,
): Reply {
  const { limit, offset } = parse(pageSchema, query, "Query");
  const page = { total: records.size, limit, offset };
  return { is: "list", records: shownOf([...records.values()].slice(offset, offset + limit), visibleRecord), page };
}

/** Returns the records as responses show them, without the records that cannot be returned. */
export function shownOf(
  records: readonly SandboxRecord[],
  visibleRecord: (record: SandboxRecord) => object | undefined,
): readonly object[] {
  return records.map(visibleRecord).filter((record) => record !== undefined);
}

/** Returns the members in the order of the schema, which is the order of responses. Undefined members are left out. */
export function inOrder(schema: z.ZodObject, members: JsonObject): JsonObject {
  const names = Object.keys(schema.shape).filter((name) => members[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, members[name]]));
}

/** Returns the reply for one record. Throws `Refusal` 500 for a record that cannot be returned (docs/api.md#lists). */
export function recordReply(record: object | undefined): Reply {
  if (record === undefined) throw new Refusal(500, "Something went wrong :(");
  return { is: "record", record };
}

/** The query of a paged list (docs/api.md#lists). */
const pageSchema = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(1000),
  offset: z.coerce.number().int().min(0).default(0),
});
