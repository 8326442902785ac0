import { alertRoutes } from "../resources/alerts.ts";
import { chartSeriesRoutes } from "./chart-series.ts";
import { connectionRoutes } from "./connections.ts";
import { dashboardRoutes } from "./dashboards.ts";
import { pipeRoutes } from "./pipes.ts";
import type { Route, Stack } from "./route.ts";
import { savedSearchRoutes } from "./saved-searches.ts";
import { sourceRoutes } from "./sources.ts";
import { teamRoutes } from "./team.ts";
import { webhookRoutes } from "./webhooks.ts";

/** Everything that a deployment of the variant can offer; which of it this one does is for `offers.ts` to say. */
export function routeTable(stack: Stack): readonly Route[] {
  const both = [dashboardRoutes, alertRoutes, sourceRoutes, webhookRoutes, savedSearchRoutes];
  const own = stack.variant === "managed" ? [pipeRoutes] : [chartSeriesRoutes, connectionRoutes, teamRoutes];
  return [...both, ...own].flatMap((routes) => routes(stack));
}
