import type { SandboxSeed, SeedName } from "../options.ts";
import type { SandboxRecord } from "../store.ts";
import type { Stack } from "../resources/route.ts";
import { alertRecord, alertSchema, newAlert } from "../resources/alerts.ts";
import { dashboardSchemas } from "../resources/dashboard-schema.ts";
import { dashboardRecord, emptyDashboard, tilesOf } from "../resources/dashboards.ts";
import alerts from "./alerts.json" with { type: "json" };
import connections from "./connections.json" with { type: "json" };
import dashboards from "./dashboards.json" with { type: "json" };
import savedSearches from "./saved-searches.json" with { type: "json" };
import searchAlerts from "./search-alerts.json" with { type: "json" };
import pipes from "./pipes.json" with { type: "json" };
import sources from "./sources.json" with { type: "json" };
import web from "./web.json" with { type: "json" };
import webhooks from "./webhooks.json" with { type: "json" };

/** A name stands for one new id on every start, except the names that `loadSeed` knows, such as `${now}`. */
const PLACEHOLDER = /\$\{([a-z.]+)\}/gi;

/** `bare`: what an import of `sample` needs on the target. `web`: records that the API returns changed or only in part. */
export function loadSeed(
  name: SeedName,
  { variant, identity, now, ids }: Pick<Stack, "variant" | "identity" | "ids"> & { readonly now: number },
): SandboxSeed {
  if (name === "none") return {};
  const createdAt = new Date(now).toISOString();
  const values = new Map([
    ["now", createdAt],
    ["serviceId", identity.serviceId],
    ["teamId", identity.teamId],
  ]);
  const valueOf = (name: string): string => {
    if (name === "uuid") return ids.uuid();
    const value = values.get(name) ?? ids.id();
    values.set(name, value);
    return value;
  };
  const fill = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll(PLACEHOLDER, (_, placeholder: string) => valueOf(placeholder)));
  const bareSeed = { sources: sources.map(fill), connections: connections.map(fill), webhooks: webhooks.map(fill) };
  if (name === "bare") return bareSeed;
  if (name === "web")
    return Object.fromEntries(Object.entries(web).map(([kind, records]) => [kind, records.map(fill)]));
  // The seed has dashboards and alerts as request bodies, which become records as in a create.
  const byKey = new Map<string, SandboxRecord>();
  for (const [key, body] of Object.entries(dashboards)) {
    const dashboard = dashboardSchemas(variant).created.parse(fill(body));
    byKey.set(key, dashboardRecord(dashboard, ids, emptyDashboard(valueOf(`dashboards.${key}`))));
  }
  const newRecord = (body: unknown): SandboxRecord =>
    alertRecord(variant, alertSchema(variant).parse(body), newAlert({ ids, identity }, createdAt));
  return {
    ...bareSeed,
    dashboards: [...byKey.values()],
    alerts: [
      ...alerts.map(({ on, ...condition }) =>
        newRecord(fill({ ...condition, source: "tile", ...tileNamed(byKey.get(on.dashboard), on.tile) })),
      ),
      ...searchAlerts.map((alert) => newRecord(fill(alert))),
    ],
    "saved-searches": savedSearches.map(fill),
    pipes: pipes.map(fill),
  };
}

function tileNamed(dashboard: SandboxRecord | undefined, name: string): { dashboardId: string; tileId: string } {
  const tile = dashboard && tilesOf(dashboard).find((candidate) => candidate["name"] === name);
  if (dashboard === undefined || typeof tile?.["id"] !== "string")
    throw new TypeError(`the sample has no tile ${name}`);
  return { dashboardId: dashboard.id, tileId: tile["id"] };
}
