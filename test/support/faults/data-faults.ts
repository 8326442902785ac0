import type { Route, RouteCall, RouteWrapper, Stack } from "../../../src/sandbox/resources/route.ts";
import { COLLECTIONS, type Collection } from "../../../src/sandbox/options.ts";
import type { Reply } from "../../../src/sandbox/http/envelope.ts";
import { isObject, idsIn } from "../../../src/sandbox/store.ts";
import type { Schedule } from "./fault-plan.ts";

/** Makes routes store or return wrong data, by the faults of the data. */
export function createDataFaults(schedule: Schedule): RouteWrapper {
  // The order is from the store outwards: the case of ids changes last.
  const distortions = [staleLists(schedule), droppedFields(schedule), caseOfIds(schedule)];
  return (name, route) => distortions.reduce((distortedRoute, distortion) => distortion(name, distortedRoute), route);
}

/** Returns the collection that a route serves. Throws `TypeError` for a route without a collection, such as charts. */
function collectionOf({ path }: Route): Collection {
  const [word] = path.split("/");
  const collection = COLLECTIONS.find((name) => name === word);
  if (collection === undefined) throw new TypeError(`the route ${path} has no collection`);
  return collection;
}

/**
 * `drop-field`: the server does not know a member of the body and drops it silently, like all unknown members
 * (docs/api.md#dashboards).
 */
function droppedFields(schedule: Schedule): RouteWrapper {
  return (name, route) => {
    if (!schedule.hasRule("drop-field", name)) return route;
    const handle = (stack: Stack, call: RouteCall): Reply => {
      const dueRules = schedule
        .takeDueRules(["drop-field"], name)
        .filter(({ rule }) => holdsMember(call.body, rule.field));
      const fields = dueRules.filter(({ trigger }) => trigger()).map(({ rule }) => rule.field);
      if (fields.length === 0) return route.handle(stack, call);
      return route.handle(stack, { ...call, body: fields.reduce(withoutMember, call.body) });
    };
    return { ...route, handle };
  };
}

/** Tells whether a value has the member at a dotted path, which passes through the items of arrays: `tiles.config`. */
function holdsMember(value: unknown, path: string): boolean {
  const [member = "", ...rest] = path.split(".");
  if (Array.isArray(value)) return value.some((item) => holdsMember(item, path));
  if (!isObject(value) || !Object.hasOwn(value, member)) return false;
  return rest.length === 0 || holdsMember(value[member], rest.join("."));
}

/** Returns the value without the member at a dotted path, in every array item that the path reaches. */
function withoutMember(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutMember(item, path));
  if (!isObject(value)) return value;
  const [member = "", ...rest] = path.split(".");
  const entries = Object.entries(value).flatMap(([name, content]) => {
    if (name !== member) return [[name, content]];
    return rest.length === 0 ? [] : [[name, withoutMember(content, rest.join("."))]];
  });
  return Object.fromEntries(entries);
}

const STALE_MS = 500;

/** `stale-list`: lists and their totals omit a new record for a while; a get by id finds it at once. */
function staleLists(schedule: Schedule): RouteWrapper {
  const hiddenUntil = new Map<string, number>();
  const create = (name: string, route: Route, stack: Stack, call: RouteCall): Reply => {
    const reply = route.handle(stack, call);
    const dueRule = schedule.takeDueRules(["stale-list"], name).find(({ trigger }) => trigger());
    if (dueRule === undefined || reply.is !== "record") return reply;
    const hiddenEnd = stack.now() + (dueRule.rule.ms ?? STALE_MS);
    for (const id of idsIn([reply.record])) hiddenUntil.set(id, hiddenEnd);
    return reply;
  };
  const list = (route: Route, stack: Stack, call: RouteCall): Reply => {
    for (const [id, hiddenEnd] of hiddenUntil) if (hiddenEnd <= stack.now()) hiddenUntil.delete(id);
    // The list's own handler runs on a store without the new records, so that pages and totals are those before the creates.
    const collection = collectionOf(route);
    const records = new Map([...stack.store[collection]].filter(([id]) => !hiddenUntil.has(id)));
    return route.handle({ ...stack, store: { ...stack.store, [collection]: records } }, call);
  };
  return (name, route) => {
    if (schedule.hasRule("stale-list", name)) {
      return { ...route, handle: (stack, call) => create(name, route, stack, call) };
    }
    const isList = route.method === "GET" && schedule.hasRule("stale-list", `POST ${route.path}`);
    return isList ? { ...route, handle: (stack, call) => list(route, stack, call) } : route;
  };
}

const ID_MEMBER = /^id$|^connection$|Ids?$/;

/**
 * `case-ids`: the ids in a response are in upper case. A server that parses ids as numbers ignores their case, so every route
 * accepts both cases, whether or not the rule triggers.
 */
function caseOfIds(schedule: Schedule): RouteWrapper {
  return (name, route) => {
    if (!schedule.hasRule("case-ids")) return route;
    const handle = (stack: Stack, call: RouteCall): Reply => {
      const foldedCall = { ...call, id: fold(call.id, stack), body: foldBody(call.body, "", stack) };
      const reply = route.handle(stack, foldedCall);
      const upper = upperCased(reply, stack);
      if (upper === undefined || !schedule.hasRule("case-ids", name)) return reply;
      return schedule.takeDueRules(["case-ids"], name).some(({ trigger }) => trigger()) ? upper : reply;
    };
    return { ...route, handle };
  };
}

/** Returns the reply with its ids in upper case; undefined if the reply has no id. */
function upperCased(reply: Reply, { ids }: Stack): Reply | undefined {
  if (reply.is !== "record" && reply.is !== "list") return undefined;
  let changes = 0;
  const upper = (record: unknown): unknown => {
    if (!isObject(record) || typeof record["id"] !== "string" || !ids.isId(record["id"])) return record;
    changes += 1;
    return { ...record, id: record["id"].toUpperCase() };
  };
  const upperReply: Reply =
    reply.is === "record"
      ? { is: "record", record: upper(reply.record) }
      : { ...reply, records: reply.records.map((record) => upper(record)) };
  return changes === 0 ? undefined : upperReply;
}

/** Lower-cases the ids in a body, but only in members that are named as ids: other texts that look like an id stay as they are. */
function foldBody(value: unknown, member: string, stack: Stack): unknown {
  if (typeof value === "string") return ID_MEMBER.test(member) ? fold(value, stack) : value;
  if (Array.isArray(value)) return value.map((item: unknown) => foldBody(item, member, stack));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, content]) => [name, foldBody(content, name, stack)]));
}

/** Returns the id as the stack generated it, in lower case. An id that a stored record has in upper case (from a seed) stays. */
function fold(id: string, { ids, store }: Stack): string {
  const isKnown = Object.values(store).some((records) => records.has(id));
  return ids.isId(id) && !isKnown ? id.toLowerCase() : id;
}
