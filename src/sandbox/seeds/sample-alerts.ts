import { alertForm } from "../forms/alert-form.ts";
import type { Mint } from "../mint.ts";
import type { SandboxRecord } from "../record.ts";
import { isObject } from "../record.ts";
import { alertSchema } from "../schema/alert.ts";
import { sampleConditions } from "./sample-conditions.ts";
import type { DashboardKey, SeedIds } from "./seed-ids.ts";

/** Twelve alerts, every one on a tile and to webhooks alone, so that each can be replayed anywhere. */
export function sampleAlerts(
  ids: SeedIds,
  dashboards: Readonly<Record<DashboardKey, SandboxRecord>>,
  { teamId, at }: { readonly teamId: string; readonly at: string },
  mint: Mint,
): readonly SandboxRecord[] {
  return sampleConditions(ids).map(({ on: [key, tileName], condition }) => {
    const { id: dashboardId } = dashboards[key];
    const watched = { source: "tile" as const, dashboardId, tileId: tileIdOf(dashboards[key], tileName) };
    const alert = alertSchema("self-hosted").parse({ ...condition, ...watched });
    return alertForm(alert, { id: mint.id(), teamId, state: "OK", createdAt: at, updatedAt: at });
  });
}

function tileIdOf(dashboard: SandboxRecord, name: string): string {
  const tiles: readonly unknown[] = Array.isArray(dashboard["tiles"]) ? dashboard["tiles"] : [];
  const tile = tiles.filter(isObject).find((each) => each["name"] === name);
  if (typeof tile?.["id"] !== "string") throw new TypeError(`the sample has no tile ${name}`);
  return tile["id"];
}
