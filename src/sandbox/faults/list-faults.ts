import type { Reply } from "../http/envelope.ts";
import { idsIn } from "../store/record.ts";
import { routeTable } from "../routes/route-table.ts";
import type { Call, Route, Stack } from "../routes/route.ts";
import type { Collection, Store } from "../store/store.ts";
import type { Distortion } from "./distortion.ts";
import { collectionOf } from "./distortion.ts";
import type { Schedule } from "./schedule.ts";

const STALE_MS = 500;

/** `stale-list`: lists and their totals omit a new record for a while; a get by id finds it at once. */
export function staleLists(schedule: Schedule, stack: Stack): Distortion {
  const hidden = new Map<string, number>();
  const create = (name: string, route: Route, call: Call): Reply => {
    const reply = route.handle(call);
    const due = schedule.due(["stale-list"], name).find(({ trigger }) => trigger());
    if (due === undefined || reply.is !== "record") return reply;
    const until = stack.now() + (due.rule.ms ?? STALE_MS);
    for (const id of idsIn([reply.record])) hidden.set(id, until);
    return reply;
  };
  const list = (route: Route, call: Call): Reply => {
    for (const [id, until] of hidden) if (until <= stack.now()) hidden.delete(id);
    if (hidden.size === 0) return route.handle(call);
    // Runs the list's own handler on a store without the new records, so that pages and totals are those of a moment ago.
    const store = without(stack.store, collectionOf(route, stack.store), hidden);
    const table = routeTable({ ...stack, store });
    const behind = table.find(({ method, path }) => method === route.method && path === route.path) ?? route;
    return behind.handle(call);
  };
  return (name, route) => {
    if (schedule.has("stale-list", name)) return { ...route, handle: (call) => create(name, route, call) };
    const isList = route.method === "GET" && schedule.has("stale-list", `POST ${route.path}`);
    return isList ? { ...route, handle: (call) => list(route, call) } : route;
  };
}

function without(store: Store, collection: Collection, hidden: ReadonlyMap<string, unknown>): Store {
  return { ...store, [collection]: new Map([...store[collection]].filter(([id]) => !hidden.has(id))) };
}

/**
 * `page-skip` and `page-repeat`: a page after the first starts one row late or early, as if a record before it were deleted or
 * created between two pages. The page still reports the requested offset.
 */
export function shiftedPages(schedule: Schedule): Distortion {
  const shifted = (name: string, route: Route, call: Call): Reply => {
    const reply = route.handle(call);
    if (reply.is !== "list" || reply.page === undefined) return reply;
    const { page, records } = reply;
    if (page.offset === 0 || records.length === 0) return reply;
    const due = schedule.due(["page-skip", "page-repeat"], name).find(({ trigger }) => trigger());
    if (due === undefined) return reply;
    const offset = page.offset + (due.rule.fault === "page-skip" ? 1 : -1);
    const other = route.handle({ ...call, query: { ...call.query, offset: String(offset) } });
    return other.is === "list" ? { ...other, page } : other;
  };
  return (name, route) =>
    schedule.has("page-skip", name) || schedule.has("page-repeat", name)
      ? { ...route, handle: (call) => shifted(name, route, call) }
      : route;
}
