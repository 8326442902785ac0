import { alertRoutes } from "./alerts.ts";
import { queryRoutes } from "./queries.ts";
import { connectionRoutes } from "./connections.ts";
import { dashboardRoutes } from "./dashboards.ts";
import { pipeRoutes } from "./pipes.ts";
import type { Reply } from "../http/envelope.ts";
import type { ListOmits } from "../options.ts";
import { isObject, without } from "../store/store.ts";
import type { Call, Route, Stack } from "./route.ts";
import { savedSearchRoutes } from "./saved-searches.ts";
import { sourceRoutes } from "./sources.ts";
import { teamRoutes } from "./team.ts";
import { webhookRoutes } from "./webhooks.ts";

/** All routes that a deployment of the variant can have; `options.ts` decides which of them this one has. */
export function routeTable(stack: Stack): readonly Route[] {
  const sharedRoutes = [dashboardRoutes, alertRoutes, sourceRoutes, webhookRoutes, savedSearchRoutes];
  const variantRoutes = stack.variant === "managed" ? [pipeRoutes] : [connectionRoutes, queryRoutes, teamRoutes];
  return [...sharedRoutes, ...variantRoutes]
    .flatMap((routes) => routes(stack))
    .map((route) => withoutOmitted(route, stack.listOmits));
}

/** A list may omit members that a single record has (docs/api.md#lists). */
function withoutOmitted(route: Route, listOmits: ListOmits): Route {
  const [, omittedMembers = []] = Object.entries(listOmits).find(([word]) => word === route.path) ?? [];
  if (route.method !== "GET" || omittedMembers.length === 0) return route;
  const handle = (call: Call): Reply => {
    const reply = route.handle(call);
    if (reply.is !== "list") return reply;
    return {
      ...reply,
      records: reply.records.map((record) => (isObject(record) ? without(record, omittedMembers) : record)),
    };
  };
  return { ...route, handle };
}
