import type { FaultName } from "./fault-plan.ts";

const CREATES = ["POST dashboards", "POST alerts"];
const UPDATES = ["PUT dashboards/{id}", "PUT alerts/{id}"];
const PAGED = ["GET alerts", "GET webhooks"];
const READS = ["GET dashboards", "GET sources", "GET dashboards/{id}", "GET alerts/{id}", "GET pipes/{id}"];
const OTHERS = ["DELETE dashboards/{id}", "DELETE alerts/{id}", "POST dashboards/validate", "POST charts/series"];
const UNKNOWN = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].map((method) => `${method} unknown`);

/** Every route that a rule can name, of both variants, as the statistics name them. */
export const FAULT_ROUTES: readonly string[] = [...CREATES, ...UPDATES, ...PAGED, ...READS, ...OTHERS, ...UNKNOWN];

// The faults of the data are a property of what certain routes store or show; all others befall any request.
const ONLY_ON: Readonly<Partial<Record<FaultName, readonly string[]>>> = {
  "stale-list": CREATES,
  "drop-field": [...CREATES, ...UPDATES],
  "case-ids": [...CREATES, ...UPDATES, ...PAGED, ...READS],
  "page-skip": PAGED,
  "page-repeat": PAGED,
};

/** Whether a rule is on a request. A pattern is a route, or its beginning with `*`; none is every route. */
export function isOnRoute(fault: FaultName, pattern: string | undefined, route: string): boolean {
  return (ONLY_ON[fault]?.includes(route) ?? true) && matches(pattern ?? "*", route);
}

function matches(pattern: string, route: string): boolean {
  return pattern.endsWith("*") ? route.startsWith(pattern.slice(0, -1)) : route === pattern;
}
