import { alertRoutes } from "./alerts.ts";
import { chartSeriesRoutes } from "./chart-series.ts";
import { dashboardRoutes } from "./dashboards.ts";
import { pipeRoutes, sourceRoutes, webhookRoutes } from "./read-only.ts";
import type { Route, Stack } from "./route.ts";

/** Everything the variant offers (contract 1). */
export function routeTable(stack: Stack): readonly Route[] {
  const both = [...dashboardRoutes(stack), ...alertRoutes(stack), ...sourceRoutes(stack)];
  return stack.variant === "managed"
    ? [...both, ...pipeRoutes(stack)]
    : [...both, ...webhookRoutes(stack), ...chartSeriesRoutes(stack)];
}
