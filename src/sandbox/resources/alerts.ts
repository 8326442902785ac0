import { isDeepStrictEqual } from "node:util";
import { Refusal } from "../http/envelope.ts";
import { definedMembers, isObject, type JsonObject, type SandboxRecord } from "../store.ts";
import { z } from "zod";
import { oncePerVariant, orderMembers, isoNow, recordRoutes, type Stack } from "./route.ts";
import type { SandboxVariant } from "../options.ts";
import { addMistake } from "../schema.ts";
import { tilesOf } from "./dashboards.ts";
import { TILES_KEEPING_ALERTS } from "./tiles.ts";

/** See docs/api.md#alerts. */
export const alertRoutes = recordRoutes("alerts", {
  schema: (stack) =>
    alertSchema(stack.variant).superRefine((alert, context) => {
      checkStart(alert, stack.now(), context);
    }),
  record(alert, stack, stored) {
    checkAlertReferences(alert, stack);
    const updatedAt = isoNow(stack);
    return alertRecord(stack.variant, alert, { ...(stored ?? newAlert(stack, updatedAt)), updatedAt });
  },
  visible,
});

const ORDER =
  "name message note threshold thresholdMax interval scheduleOffsetMinutes scheduleStartAt " +
  "numConsecutiveWindows thresholdType source state channel channels teamId tileId dashboardId savedSearchId groupBy " +
  "silenced executionErrors createdAt updatedAt";
const SERVER_OWNED = "teamId state silenced executionErrors createdAt updatedAt";
const KEPT = "thresholdMax scheduleOffsetMinutes scheduleStartAt";

const INTERVAL_MINUTES = {
  "1m": 1,
  "5m": 5,
  "15m": 15,
  "30m": 30,
  "1h": 60,
  "6h": 360,
  "12h": 720,
  "1d": 1440,
};
const INTERVALS = ["1m", "5m", "15m", "30m", "1h", "6h", "12h", "1d"] as const;
const THRESHOLD_TYPES = "above below above_exclusive below_or_equal equal not_equal between not_between".split(" ");

const MAX_CHANNELS = 10;

const text = z.string().min(1).max(4096).nullable().default(null);
const webhook = {
  type: z.literal("webhook"),
  webhookId: z.string().refine((id) => id !== "", "Webhook ID can't be empty"),
};
const CHANNELS = {
  "self-hosted": z.object(webhook),
  managed: z.discriminatedUnion("type", [
    z.object({
      ...webhook,
      webhookService: z.string().nullish(),
      slackChannelId: z.string().nullish(),
      severity: z.enum(["critical", "error", "warning", "info"]).nullish(),
    }),
    z.object({ type: z.literal("email"), emailRecipients: z.array(z.string().min(1)).min(1) }),
  ]),
};

/** In the order of reported mistakes. */
function members(variant: SandboxVariant) {
  const isManaged = variant === "managed";
  const channel = CHANNELS[variant];
  const offset = z.number().int().min(0).max(1439);
  const source = z.enum(["saved_search", "tile"]);
  const id = z.string().nullish();
  return z.object({
    channel: channel.optional(),
    channels: z.array(channel).optional(),
    interval: z.enum(INTERVALS),
    scheduleOffsetMinutes: isManaged ? offset.nullish() : offset.optional(),
    scheduleStartAt: z.iso
      .datetime("Invalid datetime")
      .transform((at) => new Date(at).toISOString())
      .nullish(),
    threshold: z.number(),
    thresholdType: z.enum(THRESHOLD_TYPES),
    thresholdMax: isManaged ? z.number().nullish() : z.number().optional(),
    source: isManaged ? source : source.default("saved_search"),
    name: z.string().min(1).max(512).nullable().default(null),
    message: text,
    note: text,
    numConsecutiveWindows: z.number().int().min(1).nullable().default(null),
    tileId: id,
    dashboardId: id,
    savedSearchId: id,
    groupBy: z.string().nullish(),
  });
}

/** Self-hosted stacks keep only the members for the alert's `source`. */
const onTile = z.object({ source: z.literal("tile"), tileId: z.string().min(1), dashboardId: z.string().min(1) });
const onSearch = z.object({
  source: z.literal("saved_search"),
  savedSearchId: z.string().min(1),
  groupBy: z
    .string()
    .nullish()
    .transform((by) => by ?? undefined),
});

export type Alert = z.output<ReturnType<typeof members>>;

const WATCHING = { tileId: true, dashboardId: true, savedSearchId: true, groupBy: true } as const;

export const alertSchema = oncePerVariant((variant): z.ZodType<Alert> => {
  const all = members(variant);
  if (variant === "self-hosted") return checked(z.intersection(all.omit(WATCHING), z.union([onTile, onSearch])));
  return checked(all.omit({ channels: true }));
});

function checked(schema: z.ZodType<Alert>): z.ZodType<Alert> {
  return schema.superRefine((alert, context) => {
    checkChannels(alert, context);
    checkCondition(alert, context);
  });
}

export function newAlert({ ids, identity }: Pick<Stack, "ids" | "identity">, createdAt: string): SandboxRecord {
  return { id: ids.id(), teamId: identity.teamId, state: "OK", createdAt, updatedAt: createdAt };
}

/**
 * An omitted start, offset or upper threshold keeps its value (docs/api.md#alert-updates). On self-hosted stacks, any start, even
 * `null`, sets an omitted offset to 0.
 */
export function alertRecord(variant: SandboxVariant, alert: Alert, stored: SandboxRecord): SandboxRecord {
  const isManaged = variant === "managed";
  const startsAnew = !isManaged && alert.scheduleStartAt !== undefined;
  return orderMembers(ORDER, {
    ...orderMembers(KEPT, stored),
    ...(startsAnew && { scheduleOffsetMinutes: 0 }),
    ...definedMembers(alert),
    // Alerts of managed stacks have only `channel`.
    ...(!isManaged && channelsOf(alert)),
    ...orderMembers(SERVER_OWNED, stored),
  });
}

function channelsOf({ channel, channels }: Alert) {
  const alertChannels = channels ?? (channel === undefined ? [] : [channel]);
  return { channel: alertChannels[0], channels: alertChannels };
}

/** Self-hosted stacks show `channels` even if only `channel` is stored. */
function visible(alert: SandboxRecord, { variant }: Stack): object {
  const { channel, channels } = alert;
  if (variant === "managed" || channel === undefined || channels !== undefined) return alert;
  const entries = Object.entries(alert);
  const visibleEntries = entries.flatMap((entry) =>
    entry[0] === "channel" ? [entry, ["channels", [channel]]] : [entry],
  );
  return Object.fromEntries(visibleEntries);
}

function checkCondition(alert: Alert, context: z.RefinementCtx): void {
  const report = (member: string, message: string): void => addMistake(context, [member], message);
  const max = alert.thresholdMax ?? undefined;
  const isRange = alert.thresholdType === "between" || alert.thresholdType === "not_between";
  if (isRange && max === undefined) {
    report("thresholdMax", "thresholdMax is required for between/not_between threshold types");
  }
  if (isRange && max !== undefined && max < alert.threshold) {
    report("thresholdMax", "thresholdMax must be greater than or equal to threshold");
  }
  const minutes = INTERVAL_MINUTES[alert.interval];
  const offset = alert.scheduleOffsetMinutes ?? 0;
  if (offset >= minutes) {
    const unit = minutes === 1 ? "minute" : "minutes";
    report("scheduleOffsetMinutes", `scheduleOffsetMinutes must be less than ${minutes} ${unit}`);
  }
  if (offset > 0 && (alert.scheduleStartAt ?? undefined) !== undefined) {
    report("scheduleOffsetMinutes", "scheduleOffsetMinutes must be 0 when scheduleStartAt is provided");
  }
}

function checkStart({ scheduleStartAt }: Alert, now: number, context: z.RefinementCtx): void {
  const report = (range: string): void =>
    addMistake(context, ["scheduleStartAt"], `scheduleStartAt must be within ${range}`);
  if (typeof scheduleStartAt !== "string") return;
  const at = Date.parse(scheduleStartAt);
  if (at > yearsFrom(now, 1)) report("1 year from now");
  if (at < yearsFrom(now, -10)) report("10 years in the past");
}

function yearsFrom(now: number, years: number): number {
  const date = new Date(now);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}

function checkChannels({ channel, channels }: Alert, context: z.RefinementCtx): void {
  const report = (message: string): void => addMistake(context, ["channels"], message);
  if (channels === undefined) {
    if (channel === undefined) report('Provide either "channel" or "channels"');
    return;
  }
  if (channels.length === 0) return report("At least one notification channel is required");
  if (channels.length > MAX_CHANNELS) report(`An alert supports at most ${MAX_CHANNELS} notification channels`);
  const isRepeated = channels.some((item, index) =>
    channels.slice(0, index).some((other) => isDeepStrictEqual(item, other)),
  );
  if (isRepeated) report("Duplicate notification channels are not allowed");
  if (channel !== undefined && !isDeepStrictEqual(channel, channels[0])) {
    const rule = '"channel" must match the first entry of "channels"';
    report(`When both "channel" and "channels" are provided, ${rule}`);
  }
}

/** See docs/api.md#tile-alerts. */
function checkAlertReferences(alert: Alert, stack: Stack): void {
  const { store, ids } = stack;
  if (alert.source === "tile") checkTile(alert, stack);
  if (alert.source === "saved_search") {
    const id = alert.savedSearchId ?? "";
    if (!ids.isId(id)) throw new Refusal(400, "Invalid saved search ID");
    if (!store["saved-searches"].has(id)) throw new Refusal(400, "Saved search not found");
  }
  const webhookIds = channelsOf(alert).channels.flatMap((item) => (item.type === "webhook" ? [item.webhookId] : []));
  const missingIds = webhookIds.filter((id) => !store.webhooks.has(id));
  if (missingIds.some((id) => !ids.isId(id))) throw new Refusal(400, "Invalid webhook ID");
  if (missingIds.length > 0) throw new Refusal(400, "Webhook not found");
}

function checkTile({ dashboardId, tileId }: Alert, { store, ids, variant }: Stack): void {
  const id = dashboardId ?? "";
  if (!ids.isId(id)) throw new Refusal(400, "Invalid dashboard ID");
  const dashboard = store.dashboards.get(id);
  if (dashboard === undefined) throw new Refusal(400, "Dashboard not found");
  const tile = tilesOf(dashboard).find((candidate) => candidate["id"] === tileId);
  if (tile === undefined) throw new Refusal(400, "Tile not found");
  const config = isObject(tile["config"]) ? tile["config"] : {};
  if (config["configType"] === "sql") checkSql(config);
  // Self-hosted stacks limit the display type for raw SQL alone (`checkSql`).
  if (variant === "managed" && !TILES_KEEPING_ALERTS.has(config["displayType"])) throw new Refusal(400, NOT_ALERTED);
}

const NOT_ALERTED = "Alerts are supported on line, stacked_bar and number tiles";
const INTERVAL = /\{interval(?:Seconds|Milliseconds)\s*:|\$__(?:timeInterval|interval)/;

/** The server checks the SQL when it writes the alert, not when it writes the tile. */
function checkSql({ displayType, sqlTemplate }: JsonObject): void {
  if (!TILES_KEEPING_ALERTS.has(displayType)) {
    throw new Refusal(400, "Alerts on Raw SQL tiles are only supported for Line, Stacked Bar, or Number display types");
  }
  if (displayType !== "number" && !INTERVAL.test(String(sqlTemplate))) {
    const rule = "SQL used for alerts must include an interval parameter or macro.";
    throw new Refusal(400, `Raw SQL alert query is invalid: ${rule}`);
  }
}
