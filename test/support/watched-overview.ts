import type { MemoryStack } from "./memory-stack.ts";
import { memoryStack } from "./memory-stack.ts";
import { alert, dashboard, hexId, records, source, webhook } from "./stack-records.ts";

const overview = dashboard(hexId("a", 16), "Overview", hexId("a", 1));

/** A dashboard with one alert of that name on it, and what they need. */
export function watchedOverview(name: string): ReturnType<typeof records> {
  return records({
    dashboards: [overview],
    alerts: [alert(hexId("a", 32), name, overview, hexId("a", 2))],
    sources: [source(hexId("a", 1), "Logs", hexId("c", 1))],
    webhooks: [webhook(hexId("a", 2), "oncall")],
  });
}

/** A stack of its own ids that has what they need, and neither of them. */
export function stackWithout(): MemoryStack {
  return memoryStack({
    dashboards: [],
    alerts: [],
    sources: [source(hexId("b", 1), "Logs", hexId("c", 2))],
    webhooks: [webhook(hexId("b", 2), "oncall")],
  });
}
