import { Refusal, type Reply } from "../http/envelope.ts";
import type { Identity } from "../identity.ts";
import type { IdGenerator, SandboxRecord, Store } from "../store.ts";
import type { SandboxVariant } from "../options.ts";
import { parseOrRefuse, refuseUnknown } from "../schema.ts";
import { z } from "zod";

export interface Stack {
  readonly variant: SandboxVariant;
  readonly strict: boolean;
  readonly identity: Identity;
  readonly store: Store;
  readonly ids: IdGenerator;
  readonly now: () => number;
  /** Ids that sources name as their connection although no such connection is stored. */
  readonly unlistedConnections: ReadonlySet<string>;
}

export interface RouteCall {
  /** Empty if the path has no id. */
  readonly id: string;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** Throws `Refusal` for a response other than 200. Synchronous, so writes never interleave. */
  readonly handle: (stack: Stack, call: RouteCall) => Reply;
  readonly writes: boolean;
}

/** Changes what a route stores or returns; `name` is the route's name in the statistics. */
export type RouteWrapper = (name: string, route: Route) => Route;

export function parseBody<Out>({ strict }: Stack, schema: z.ZodType<Out>, body: unknown): Out {
  const parsedBody = parseOrRefuse(schema, body, "Body");
  if (strict) refuseUnknown(body, parsedBody);
  return parsedBody;
}

export function routeName({ method, path }: Pick<Route, "method" | "path">): string {
  return `${method} ${path === "" ? "root" : path.replace(":id", "{id}")}`;
}

/** Throws `Refusal` 400 for an id of another form (recording 66). */
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

export function requireRecord(stack: Stack, collection: keyof typeof MISSING, id: string): SandboxRecord {
  checkId(stack, id);
  const record = stack.store[collection].get(id);
  if (record === undefined) throw MISSING[collection];
  return record;
}

/** The refusals of these resources are plain text (recordings 108, 109). */
const PLAIN_TEXT: readonly string[] = ["dashboards", "connections"];

/** The server answers 403 if the key has no right to the route. */
export function forbiddenRoute(route: Route): Route {
  const format = PLAIN_TEXT.includes(route.path.split("/")[0] ?? "") ? "text" : "json";
  return {
    ...route,
    handle: () => {
      throw new Refusal(403, "Forbidden", format);
    },
  };
}

interface Resource<Body> {
  readonly schema: (stack: Stack) => z.ZodType<Body>;
  readonly updateSchema?: (stack: Stack) => z.ZodType<Body>;
  /** Throws `Refusal` for an unsuitable body. */
  readonly record: (body: Body, stack: Stack, stored: SandboxRecord | undefined) => SandboxRecord;
  /** The default deletes the record alone, and throws `Refusal` for an unknown id. */
  readonly remove?: (stack: Stack, id: string) => void;
  /** By default the stored record; undefined for a record that cannot be returned. */
  readonly visible?: (record: SandboxRecord, stack: Stack) => object | undefined;
  /** Without this function, lists have pages. */
  readonly list?: (stack: Stack) => Reply;
}

export function recordRoutes<Body>(collection: keyof typeof MISSING, resource: Resource<Body>): readonly Route[] {
  const { schema, updateSchema = schema, visible = (record) => record } = resource;
  const { remove = (stack, id) => stack.store[collection].delete(requireRecord(stack, collection, id).id) } = resource;
  const one = `${collection}/:id`;
  const keep = (stack: Stack, body: Body, stored?: SandboxRecord): Reply => {
    const record = resource.record(body, stack, stored);
    stack.store[collection].set(record.id, record);
    return recordReply(visible(record, stack));
  };
  const list: Route["handle"] = (stack, { query }) =>
    resource.list?.(stack) ?? pageOf(stack.store[collection], query, (record) => visible(record, stack));
  const create: Route["handle"] = (stack, { body }) => keep(stack, parseBody(stack, schema(stack), body));
  const get: Route["handle"] = (stack, { id }) => recordReply(visible(requireRecord(stack, collection, id), stack));
  const update: Route["handle"] = (stack, { id, body }) => {
    checkId(stack, id);
    const parsedBody = parseBody(stack, updateSchema(stack), body);
    return keep(stack, parsedBody, requireRecord(stack, collection, id));
  };
  return [
    { method: "GET", path: collection, writes: false, handle: list },
    { method: "POST", path: collection, writes: true, handle: create },
    { method: "GET", path: one, writes: false, handle: get },
    { method: "PUT", path: one, writes: true, handle: update },
    { method: "DELETE", path: one, writes: true, handle: (stack, { id }) => (remove(stack, id), { is: "deleted" }) },
  ];
}

export function oncePerVariant<Made>(make: (variant: SandboxVariant) => Made): (variant: SandboxVariant) => Made {
  const made: Partial<Record<SandboxVariant, Made>> = {};
  return (variant) => (made[variant] ??= make(variant));
}

export function isoNow({ now }: Stack): string {
  return new Date(now()).toISOString();
}

export function stampRecord(body: object, stack: Stack, stored: SandboxRecord | undefined): SandboxRecord {
  const updatedAt = isoNow(stack);
  const { id, createdAt } = stored ?? { id: stack.ids.id(), createdAt: updatedAt };
  return { id, ...body, createdAt, updatedAt };
}

/** A record that cannot be returned is missing from its page, but counts in the total (docs/api.md#lists). */
function pageOf(
  records: ReadonlyMap<string, SandboxRecord>,
  query: RouteCall["query"],
  visibleRecord: (record: SandboxRecord) => object | undefined,
): Reply {
  const { limit, offset } = parseOrRefuse(pageSchema, query, "Query");
  const page = { total: records.size, limit, offset };
  return { is: "list", records: showRecords([...records.values()].slice(offset, offset + limit), visibleRecord), page };
}

export function showRecords(
  records: readonly SandboxRecord[],
  visibleRecord: (record: SandboxRecord) => object | undefined,
): readonly object[] {
  return records.map(visibleRecord).filter((record) => record !== undefined);
}

export function orderMembers(names: string, record: SandboxRecord): SandboxRecord {
  const members = names.split(" ").filter((name) => record[name] !== undefined);
  return { id: record.id, ...Object.fromEntries(members.map((name) => [name, record[name]])) };
}

/** Throws `Refusal` 500 for a record that cannot be returned (docs/api.md#lists). */
function recordReply(record: object | undefined): Reply {
  if (record === undefined) throw new Refusal(500, "Something went wrong :(");
  return { is: "record", record };
}

const pageSchema = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(1000),
  offset: z.coerce.number().int().min(0).default(0),
});
