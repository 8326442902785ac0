import type { Reply } from "../envelope/reply.ts";
import { idsIn } from "../record.ts";
import type { Call, Route, Stack } from "../routes/route.ts";
import { routeTable } from "../routes/route-table.ts";
import type { Collection, Store } from "../store.ts";
import type { Distortion } from "./distortion.ts";
import { collectionOf } from "./distortion.ts";
import type { Schedule } from "./schedule.ts";

const STALE_MS = 500;

/** `stale-list`: lists and their totals do not know a new record for a while; by its id it is there at once. */
export function staleLists(schedule: Schedule, stack: Stack): Distortion {
  const hidden = new Map<string, number>();
  const create = (name: string, route: Route, call: Call): Reply => {
    const reply = route.handle(call);
    const due = schedule.due(["stale-list"], name).find(({ fire }) => fire());
    if (due === undefined || reply.is !== "record") return reply;
    const until = stack.now() + (due.rule.ms ?? STALE_MS);
    for (const id of idsIn([reply.record])) hidden.set(id, until);
    return reply;
  };
  const list = (route: Route, call: Call): Reply => {
    for (const [id, until] of hidden) if (until <= stack.now()) hidden.delete(id);
    if (hidden.size === 0) return route.handle(call);
    // The list's own handler on a store without them, so that pages and totals come out as of a moment ago.
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
