import { isJsonArray, isJsonObject } from "../../domain/json.ts";
import type { JsonObject, JsonValue } from "../../domain/json.ts";
import type { StackContent } from "./read-stack.ts";

/** Says a stack's records in names instead of ids: two stacks that hold the same say the same. */
export interface Names {
  /** By id: what the thing is called. */
  readonly of: ReadonlyMap<string, string>;
  readonly dashboards: readonly string[];
  /** `alert → dashboard / tile` */
  readonly bindings: readonly string[];
  /** `alert → webhook, webhook` */
  readonly notifications: readonly string[];
  /** `dashboard / tile → source` */
  readonly readings: readonly string[];
  /** `dashboard / tile → dashboard or source it links to` */
  readonly links: readonly string[];
}

/** The names of everything on a stack, each list sorted. */
export function namesOf(content: StackContent): Names {
  const of = new Map(
    [...content.dashboards, ...content.sources, ...content.webhooks].map((each) => [
      text(each["id"]),
      text(each["name"]),
    ]),
  );
  const tiles = content.dashboards.flatMap((dashboard) =>
    objects(dashboard["tiles"]).map((tile) => ({ dashboard, tile })),
  );
  for (const { dashboard, tile } of tiles) of.set(`${text(dashboard["id"])}/${text(tile["id"])}`, text(tile["name"]));
  const name = (id: JsonValue | undefined): string => of.get(text(id)) ?? "?";
  const place = ({ dashboard, tile }: (typeof tiles)[number]): string =>
    `${text(dashboard["name"])} / ${text(tile["name"])}`;
  return {
    of,
    dashboards: content.dashboards.map((dashboard) => text(dashboard["name"])).sort(),
    bindings: content.alerts
      .map((alert) => {
        const { dashboardId, tileId } = alert;
        return `${text(alert["name"])} → ${name(dashboardId)} / ${name(`${text(dashboardId)}/${text(tileId)}`)}`;
      })
      .sort(),
    notifications: content.alerts
      .map(
        (alert) =>
          `${text(alert["name"])} → ${channels(alert)
            .map((channel) => name(channel["webhookId"]))
            .join(", ")}`,
      )
      .sort(),
    readings: tiles.map((each) => `${place(each)} → ${sourceOf(each.tile, name)}`).sort(),
    links: tiles.flatMap((each) => linkOf(each.tile).map((target) => `${place(each)} → ${name(target)}`)).sort(),
  };
}

/** Every id that a stack gave to something: records, tiles, filters, connections. */
export function idsOf({ dashboards, alerts, sources, webhooks }: StackContent): string[] {
  const records = [...dashboards, ...alerts, ...sources, ...webhooks].map((record) => text(record["id"]));
  const parts = dashboards.flatMap((each) =>
    [...objects(each["tiles"]), ...objects(each["filters"])].map((part) => text(part["id"])),
  );
  const connections = sources.map((source) => text(source["connection"]));
  return [...new Set([...records, ...parts, ...connections])].filter((id) => id !== "");
}

function channels(alert: JsonObject): JsonObject[] {
  const all = objects(alert["channels"]);
  return all.length > 0 ? all : objects([alert["channel"] ?? null]);
}

function sourceOf(tile: JsonObject, name: (id: JsonValue | undefined) => string): string {
  const config = tile["config"];
  const id = isJsonObject(config) ? config["sourceId"] : undefined;
  return id === undefined ? "(none)" : name(id);
}

function linkOf(tile: JsonObject): JsonValue[] {
  const config = tile["config"];
  const onClick = isJsonObject(config) ? config["onClick"] : undefined;
  const target = isJsonObject(onClick) ? onClick["target"] : undefined;
  const id = isJsonObject(target) ? target["id"] : undefined;
  return id === undefined ? [] : [id];
}

function objects(value: JsonValue | undefined): JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
