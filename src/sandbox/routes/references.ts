import { Refusal } from "../errors.ts";
import { idsIn } from "../store/record.ts";
import type { KeptDashboard, NewDashboard } from "../schema/dashboard.ts";
import type { TileConfig } from "../schema/tile.ts";
import type { Store } from "../store/store.ts";
import type { Stack } from "./route.ts";

/** What of a dashboard names something else. */
type Naming = Pick<NewDashboard | KeptDashboard, "tiles" | "filters"> & { readonly containers?: unknown };

/**
 * Throws `Refusal` 400 where a dashboard names a container, a source, a connection or a link target that is not there or
 * does not fit. One refusal names one group of faults, the first in this order (recordings 504 to 511).
 * `filters[].appliesToSourceIds` is not checked (recording 207).
 */
export function checkDashboardReferences(body: Naming, stack: Stack): void {
  const { store } = stack;
  const configs = body.tiles.flatMap(({ config }) => (config === undefined ? [] : [config]));
  const legacy = body.tiles.flatMap(({ series }) => series ?? []);
  const sources = idsOf([...configs, ...legacy, ...(body.filters ?? [])], "sourceId");
  const kindOf = (id: string): unknown => store.sources.get(id)?.["kind"];

  checkContainers(body);
  refuseOthers(sources, (id) => store.sources.has(id), "Could not find the following source IDs");
  const connections = idsOf(configs, "connectionId");
  refuseOthers(connections, (id) => isConnection(stack, id), "Could not find the following connection IDs");
  refuse(ofOtherConnections(configs, store), "The following source IDs do not match the specified connections");
  const heatmaps = idsOf(
    configs.filter(({ displayType }) => displayType === "heatmap"),
    "sourceId",
  );
  const rule = "Heatmap tiles require a Trace source. The following source IDs are not Trace sources";
  refuseOthers(heatmaps, (id) => kindOf(id) === "trace", rule);
  const dashboards = targets(configs, "dashboard");
  refuseOthers(dashboards, (id) => store.dashboards.has(id), "Could not find the following onClick dashboard IDs");
  const searched = targets(configs, "search");
  refuseOthers(searched, (id) => store.sources.has(id), "Could not find the following onClick source IDs");
  const unsearchable = "The following onClick search source IDs are not log or trace sources";
  refuseOthers(searched, (id) => kindOf(id) === "log" || kindOf(id) === "trace", unsearchable);
}

/** Whether a source may name the connection. */
export function isConnection({ store, unlistedConnections }: Stack, id: string): boolean {
  return store.connections.has(id) || unlistedConnections.has(id);
}

function checkContainers({ tiles, containers }: Naming): void {
  const known = idsIn(containers);
  for (const [index, { containerId }] of tiles.entries()) {
    if (containerId === undefined || known.has(containerId)) continue;
    const message = `Tile references unknown containerId ${JSON.stringify(containerId)}`;
    throw new Refusal(400, `tiles.${index}.containerId: ${message}`);
  }
}

/** The sources of raw SQL tiles that read through another connection than the tile. */
function ofOtherConnections(configs: readonly TileConfig[], store: Store): readonly string[] {
  return configs.flatMap((config) => {
    if (config.configType !== "sql" || config.sourceId === undefined) return [];
    return store.sources.get(config.sourceId)?.["connection"] === config.connectionId ? [] : [config.sourceId];
  });
}

function idsOf(holders: readonly object[], member: "sourceId" | "connectionId"): readonly string[] {
  return holders.flatMap((holder) => {
    const id: unknown = Object.entries(holder).find(([name]) => name === member)?.[1];
    return typeof id === "string" ? [id] : [];
  });
}

function targets(configs: readonly TileConfig[], type: "search" | "dashboard"): readonly string[] {
  return configs.flatMap((config) => {
    if (config.displayType !== "table" || config.onClick?.type !== type) return [];
    return config.onClick.target.mode === "id" ? [config.onClick.target.id] : [];
  });
}

function refuseOthers(named: readonly string[], isFitting: (id: string) => boolean, what: string): void {
  refuse(
    named.filter((id) => !isFitting(id)),
    what,
  );
}

function refuse(ids: readonly string[], what: string): void {
  if (ids.length > 0) throw new Refusal(400, `${what}: ${[...new Set(ids)].join(", ")}`);
}
