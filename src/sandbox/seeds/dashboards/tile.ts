import type { DashboardInput } from "../../schema/dashboard.ts";

type Tile = DashboardInput["tiles"][number];
type Config = NonNullable<Tile["config"]>;

/** Where on the grid of 24 columns: x, y, width, height. */
type Box = readonly [x: number, y: number, w: number, h: number];

export function tile(name: string, [x, y, w, h]: Box, config: Config, place: Pick<Tile, "containerId" | "tabId"> = {}) {
  return { name, x, y, w, h, config, ...place } satisfies Tile;
}

export const count = { aggFn: "count" };

/** The share of spans or events below `level` in a column. */
export function quantile(valueExpression: string, level: number) {
  return { aggFn: "quantile", valueExpression, level };
}

/** The page of a dashboard in the web interface, as people paste it into texts. */
export function dashboardUrl(id: string): string {
  return `https://observability.example.com/dashboards/${id}`;
}
