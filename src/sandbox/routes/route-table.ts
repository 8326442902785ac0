import { alertRoutes } from "../resources/alerts.ts";
import { chartSeriesRoutes } from "../resources/chart-series.ts";
import { connectionRoutes } from "../resources/connections.ts";
import { dashboardRoutes } from "../resources/dashboards.ts";
import { pipeRoutes } from "../resources/pipes.ts";
import type { Route, Stack } from "./route.ts";
import { savedSearchRoutes } from "../resources/saved-searches.ts";
import { searchRoutes } from "../resources/search.ts";
import { sourceRoutes } from "../resources/sources.ts";
import { teamRoutes } from "../resources/team.ts";
import { webhookRoutes } from "../resources/webhooks.ts";

/** Everything that a deployment of the variant can offer; which of it this one does is for `offers.ts` to say. */
export function routeTable(stack: Stack): readonly Route[] {
  const both = [dashboardRoutes, alertRoutes, sourceRoutes, webhookRoutes, savedSearchRoutes];
  const own =
    stack.variant === "managed" ? [pipeRoutes] : [chartSeriesRoutes, connectionRoutes, searchRoutes, teamRoutes];
  return [...both, ...own].flatMap((routes) => routes(stack));
}
