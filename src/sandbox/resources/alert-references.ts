import { Refusal } from "../errors.ts";
import type { Stack } from "../routes/route.ts";
import type { JsonObject } from "../store/record.ts";
import { isObject } from "../store/record.ts";

/** The references of an alert, on either variant. */
interface Watching {
  readonly source: string;
  readonly dashboardId?: string | null | undefined;
  readonly tileId?: string | null | undefined;
  readonly savedSearchId?: string | null | undefined;
  readonly channel?: Channel | undefined;
  readonly channels?: readonly Channel[] | undefined;
}

interface Channel {
  readonly type: "webhook" | "email";
  readonly webhookId?: string | undefined;
}

/**
 * Throws `Refusal` 400 if an alert references a tile, a saved search or a webhook that does not exist, or a tile that cannot have
 * an alert (docs/api.md#tile-alerts).
 */
export function checkAlertReferences(alert: Watching, stack: Stack): void {
  const { store, ids } = stack;
  if (alert.source === "tile") checkTile(alert, stack);
  if (alert.source === "saved_search") {
    const id = alert.savedSearchId ?? "";
    if (!ids.isId(id)) throw new Refusal(400, "Invalid saved search ID");
    if (!store["saved-searches"].has(id)) throw new Refusal(400, "Saved search not found");
  }
  const channels = alert.channels ?? (alert.channel === undefined ? [] : [alert.channel]);
  const webhookIds = channels.flatMap(({ webhookId }) => (webhookId === undefined ? [] : [webhookId]));
  const unknown = webhookIds.filter((id) => !store.webhooks.has(id));
  if (unknown.some((id) => !ids.isId(id))) throw new Refusal(400, "Invalid webhook ID");
  if (unknown.length > 0) throw new Refusal(400, "Webhook not found");
}

function checkTile({ dashboardId, tileId }: Watching, { store, ids, variant }: Stack): void {
  const id = dashboardId ?? "";
  if (!ids.isId(id)) throw new Refusal(400, "Invalid dashboard ID");
  const dashboard = store.dashboards.get(id);
  if (dashboard === undefined) throw new Refusal(400, "Dashboard not found");
  const tiles: readonly unknown[] = Array.isArray(dashboard["tiles"]) ? dashboard["tiles"] : [];
  const tile = tiles.filter(isObject).find((each) => each["id"] === tileId);
  if (tile === undefined) throw new Refusal(400, "Tile not found");
  const config = isObject(tile["config"]) ? tile["config"] : {};
  if (config["configType"] === "sql") checkSql(config);
  // Self-hosted accepts alerts on every other tile, and deletes some of them later.
  if (variant === "managed" && !ALERTED.has(config["displayType"])) throw new Refusal(400, NOT_ALERTED);
}

const ALERTED: ReadonlySet<unknown> = new Set(["line", "stacked_bar", "number"]);
const NOT_ALERTED = "Alerts are supported on line, stacked_bar and number tiles";
const INTERVAL = /\{interval(?:Seconds|Milliseconds)\s*:|\$__(?:timeInterval|interval)/;

/** Raw SQL is checked when its alert is written, not when its tile is. */
function checkSql({ displayType, sqlTemplate }: JsonObject): void {
  if (!ALERTED.has(displayType)) {
    throw new Refusal(400, "Alerts on Raw SQL tiles are only supported for Line, Stacked Bar, or Number display types");
  }
  if (displayType !== "number" && !INTERVAL.test(String(sqlTemplate))) {
    const rule = "SQL used for alerts must include an interval parameter or macro.";
    throw new Refusal(400, `Raw SQL alert query is invalid: ${rule}`);
  }
}
