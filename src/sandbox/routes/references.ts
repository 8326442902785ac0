import { Refusal } from "../errors.ts";
import type { IdGenerator } from "../ids.ts";
import { idsIn } from "../record.ts";
import type { Alert } from "../schema/alert.ts";
import type { KeptDashboard, NewDashboard } from "../schema/dashboard.ts";
import type { TileConfig } from "../schema/tile.ts";
import type { Store } from "../store.ts";

/**
 * Throws `Refusal` 400 where a dashboard names a source, a connection or a link target that the stack does not have.
 * `filters[].appliesToSourceIds` is not checked (recording 207).
 */
export function checkDashboardReferences(body: NewDashboard | KeptDashboard, store: Store): void {
  const configs = body.tiles.flatMap(({ config }) => (config === undefined ? [] : [config]));
  const legacy = body.tiles.flatMap(({ series }) => series ?? []);
  const connections = new Set([...store.sources.values()].map((source) => source["connection"]));
  const isConnection = (id: string): boolean => store.connections.has(id) || connections.has(id);

  refuseMissing("source", idsOf([...configs, ...legacy, ...(body.filters ?? [])], "sourceId"), (id) =>
    store.sources.has(id),
  );
  refuseMissing("connection", idsOf(configs, "connectionId"), isConnection);
  refuseMissing("onClick source", targets(configs, "search"), (id) => store.sources.has(id));
  refuseMissing("onClick dashboard", targets(configs, "dashboard"), (id) => store.dashboards.has(id));
}

/** Throws `Refusal` 400 where an alert names a tile, a saved search or a webhook that the stack does not have. */
export function checkAlertReferences(alert: Alert, store: Store, ids: IdGenerator): void {
  if (alert.source === "tile") {
    if (!ids.isId(alert.dashboardId)) throw new Refusal(400, "Invalid dashboard ID");
    const dashboard = store.dashboards.get(alert.dashboardId);
    if (dashboard === undefined) throw new Refusal(400, "Dashboard not found");
    if (!idsIn(dashboard["tiles"]).has(alert.tileId)) throw new Refusal(400, "Tile not found");
  } else if (!store.savedSearches.has(alert.savedSearchId)) {
    throw new Refusal(400, "Saved search not found");
  }
  const channels = [...(alert.channels ?? []), ...(alert.channel === undefined ? [] : [alert.channel])];
  const isKnown = channels.every((channel) => channel.type !== "webhook" || store.webhooks.has(channel.webhookId));
  if (!isKnown) throw new Refusal(400, "Webhook not found");
}

function idsOf(holders: readonly object[], member: "sourceId" | "connectionId"): readonly string[] {
  return holders.flatMap((holder) => {
    const id: unknown = Object.entries(holder).find(([name]) => name === member)?.[1];
    return typeof id === "string" ? [id] : [];
  });
}

function targets(configs: readonly TileConfig[], type: "search" | "dashboard"): readonly string[] {
  return configs.flatMap((config) => {
    if (config.configType === "sql" || config.displayType !== "table" || config.onClick?.type !== type) return [];
    return config.onClick.target.mode === "id" ? [config.onClick.target.id] : [];
  });
}

function refuseMissing(what: string, named: readonly string[], isKnown: (id: string) => boolean): void {
  const missing = [...new Set(named)].filter((id) => !isKnown(id));
  if (missing.length > 0) throw new Refusal(400, `Could not find the following ${what} IDs: ${missing.join(", ")}`);
}
