import { Refusal } from "../http/envelope.ts";
import type { Stack } from "./route.ts";
import { isObject, type JsonObject, type Store } from "../store.ts";
import type { Container, Dashboard, Tile } from "./dashboard-schema.ts";

type Naming = Pick<Dashboard, "tiles" | "filters" | "containers">;

/**
 * Throws at the first check that fails. An update may keep a heatmap or formulas of `storedTiles` that break a rule
 * (docs/api.md#dashboards).
 */
export function checkDashboardReferences(body: Naming, stack: Stack, storedTiles: readonly JsonObject[] = []): void {
  const { store } = stack;
  const configs = body.tiles.flatMap(({ config }) => (config === undefined ? [] : [config]));
  const legacySeries = body.tiles.flatMap(({ series }) => series ?? []);
  const searchTargets = targets(configs, "search");
  const sources = [...idsOf([...configs, ...legacySeries, ...(body.filters ?? [])], "sourceId"), ...searchTargets];
  // A source of a seed may have no kind, and then counts as a source of every kind.
  const isOf = (id: string, kinds: readonly string[]): boolean => {
    const kind = store.sources.get(id)?.["kind"];
    return typeof kind !== "string" || kinds.includes(kind);
  };

  checkContainers(body);
  refuseOthers(sources, (id) => store.sources.has(id), "Could not find the following source IDs");
  const connections = idsOf(configs, "connectionId");
  refuseOthers(connections, (id) => mayReferenceConnection(stack, id), "Could not find the following connection IDs");
  refuse(ofOtherConnections(configs, store), "The following source IDs do not match the specified connections");
  const heatmaps = changed(body.tiles, storedTiles, isHeatmap, ["sourceId"]);
  const rule = "Heatmap tiles require a Trace source. The following source IDs are not Trace sources";
  refuseOthers(idsOf(heatmaps, "sourceId"), (id) => isOf(id, ["trace"]), rule);
  const formulas = changed(body.tiles, storedTiles, hasFormulas, ["sourceId", "formulas"]);
  const capable = "Tiles with formulas require a Metric, Log, or Trace source. ";
  const refusalText = `${capable}The following source IDs are not formula-capable`;
  refuseOthers(idsOf(formulas, "sourceId"), (id) => isOf(id, ["metric", "log", "trace"]), refusalText);
  const dashboards = targets(configs, "dashboard");
  refuseOthers(dashboards, (id) => store.dashboards.has(id), "Could not find the following onClick dashboard IDs");
  const unsearchable = "The following onClick search source IDs are not log or trace sources";
  refuseOthers(searchTargets, (id) => isOf(id, ["log", "trace"]), unsearchable);
}

export function mayReferenceConnection({ store, unlistedConnections }: Stack, id: string): boolean {
  return store.connections.has(id) || unlistedConnections.has(id);
}

function checkContainers({ tiles, containers = [] }: Naming): void {
  for (const [index, { containerId, tabId }] of tiles.entries()) {
    const refuseMember = (member: string, message: string): never => {
      throw new Refusal(400, `tiles.${index}.${member}: ${message}`);
    };
    if (containerId === undefined) {
      if (tabId !== undefined) refuseMember("tabId", "tabId requires containerId to be set");
      continue;
    }
    const container = containers.find(({ id }: Container) => id === containerId);
    const quotedId = JSON.stringify(containerId);
    if (container === undefined) {
      refuseMember("containerId", `Tile references unknown containerId ${quotedId}`);
    } else if (tabId !== undefined && !container.tabs?.some(({ id }) => id === tabId)) {
      refuseMember("tabId", `Tile references unknown tabId ${JSON.stringify(tabId)} in container ${quotedId}`);
    }
  }
}

function isHeatmap({ displayType }: JsonObject): boolean {
  return displayType === "heatmap";
}

const CALCULATED: ReadonlySet<unknown> = new Set(["line", "stacked_bar", "table", "number"]);

function hasFormulas({ configType, displayType, formulas }: JsonObject): boolean {
  return configType !== "sql" && CALCULATED.has(displayType) && Array.isArray(formulas) && formulas.length > 0;
}

function changed(
  tiles: readonly Tile[],
  storedTiles: readonly JsonObject[],
  isOne: (config: JsonObject) => boolean,
  members: readonly string[],
): readonly JsonObject[] {
  return tiles.flatMap(({ id, config }) => {
    if (config === undefined || !isOne(config)) return [];
    const old = storedTiles.find((tile) => id !== undefined && tile["id"] === id)?.["config"];
    const isSame = (member: string) => isObject(old) && JSON.stringify(old[member]) === JSON.stringify(config[member]);
    return isObject(old) && isOne(old) && members.every(isSame) ? [] : [config];
  });
}

function ofOtherConnections(configs: readonly JsonObject[], store: Store): readonly string[] {
  return configs.flatMap(({ configType, sourceId, connectionId }) => {
    if (configType !== "sql" || typeof sourceId !== "string") return [];
    const connection = store.sources.get(sourceId)?.["connection"];
    return connection === undefined || connection === connectionId ? [] : [sourceId];
  });
}

function idsOf(holders: readonly object[], member: "sourceId" | "connectionId"): readonly string[] {
  return holders.flatMap((holder) => {
    const id: unknown = Object.entries(holder).find(([name]) => name === member)?.[1];
    return typeof id === "string" ? [id] : [];
  });
}

function targets(configs: readonly JsonObject[], type: "search" | "dashboard"): readonly string[] {
  return configs.flatMap(({ onClick }) => {
    if (!isObject(onClick) || onClick["type"] !== type || !isObject(onClick["target"])) return [];
    const { mode, id } = onClick["target"];
    return mode === "id" && typeof id === "string" ? [id] : [];
  });
}

function refuseOthers(ids: readonly string[], isFitting: (id: string) => boolean, what: string): void {
  refuse(
    ids.filter((id) => !isFitting(id)),
    what,
  );
}

function refuse(ids: readonly string[], what: string): void {
  if (ids.length > 0) throw new Refusal(400, `${what}: ${[...new Set(ids)].join(", ")}`);
}
