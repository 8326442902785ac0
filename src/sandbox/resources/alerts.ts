import { isDeepStrictEqual } from "node:util";
import { Refusal } from "../errors.ts";
import type { Stack, Call, Route } from "./route.ts";
import type { JsonObject, SandboxRecord } from "../store/store.ts";
import { isObject } from "../store/store.ts";
import { z } from "zod";
import { bodyOf, checkId, existing, inOrder, isoNow, pageOf, recordRoutes } from "./route.ts";
import type { SandboxRelease, SandboxVariant } from "../options.ts";
import { ALERTED } from "./tiles.ts";

/** Returns the routes of alerts, on both variants (docs/api.md#alerts). */
export function alertRoutes(stack: Stack): readonly Route[] {
  const visibleAlert = (alert: SandboxRecord): object => visible(stack, alert);
  return recordRoutes(stack, "alerts", {
    list: ({ query }) => pageOf(stack.store.alerts, query, visibleAlert),
    create: (call) => create(stack, call),
    update: (call) => update(stack, call),
    remove: ({ id }) => stack.store.alerts.delete(existing(stack, "alerts", id).id),
    shown: (alert) => ({ is: "record", record: visibleAlert(alert) }),
  });
}

const INTERVAL_MINUTES = {
  "30s": 0.5,
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
const THRESHOLD_TYPES = [
  "above",
  "below",
  "above_exclusive",
  "below_or_equal",
  "equal",
  "not_equal",
  "between",
  "not_between",
] as const;

const MAX_CHANNELS = 10;

// A member that belongs to the server: a request may contain it, but the server ignores it.
const serverMember = z.unknown().optional();
const SERVER_OWNED = {
  id: true,
  state: true,
  teamId: true,
  silenced: true,
  executionErrors: true,
  createdAt: true,
  updatedAt: true,
} as const;

const SOURCES = ["saved_search", "tile"] as const;
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

/** Returns the schema of an alert's members, in the order of responses. Managed stacks accept null for unused members. */
function members(variant: SandboxVariant, release: SandboxRelease) {
  const isManaged = variant === "managed";
  const channel = CHANNELS[variant];
  const offset = z.number().int().min(0).max(1439);
  const isNext = release === "next";
  const source = z.enum(isNext ? [...SOURCES, "inline"] : SOURCES);
  const id = z.string().nullish();
  return z.object({
    id: serverMember,
    name: z.string().min(1).max(512).nullable().default(null),
    message: text,
    note: text,
    ...(isNext && { displayName: z.string().nullish(), tags: z.array(z.string()).optional() }),
    threshold: z.number(),
    thresholdMax: isManaged ? z.number().nullish() : z.number().optional(),
    interval: z.enum(isManaged && isNext ? ["30s", ...INTERVALS] : INTERVALS),
    scheduleOffsetMinutes: isManaged ? offset.nullish() : offset.optional(),
    scheduleStartAt: z.iso
      .datetime("Invalid datetime")
      .transform((at) => new Date(at).toISOString())
      .nullish(),
    numConsecutiveWindows: z.number().int().min(1).nullable().default(null),
    thresholdType: z.enum(THRESHOLD_TYPES),
    source: isManaged ? source : source.default("saved_search"),
    state: serverMember,
    channel: channel.optional(),
    channels: z.array(channel).optional(),
    teamId: serverMember,
    tileId: id,
    dashboardId: id,
    savedSearchId: id,
    groupBy: z.string().nullish(),
    chartConfig: z.looseObject({}).nullish(),
    silenced: serverMember,
    executionErrors: serverMember,
    createdAt: serverMember,
    updatedAt: serverMember,
  });
}

const MEMBERS = {
  "self-hosted": { published: members("self-hosted", "published"), next: members("self-hosted", "next") },
  managed: { published: members("managed", "published"), next: members("managed", "next") },
};

/** The members that name the object an alert watches. Self-hosted stacks keep only the members for the alert's `source`. */
const onTile = z.object({ source: z.literal("tile"), tileId: z.string(), dashboardId: z.string() });
const onSearch = z.object({
  source: z.literal("saved_search"),
  savedSearchId: z.string(),
  groupBy: z
    .string()
    .nullish()
    .transform((by) => by ?? undefined),
});
const onChart = z.object({ source: z.literal("inline"), chartConfig: z.looseObject({}) });
const WATCHED = { published: z.union([onTile, onSearch]), next: z.union([onTile, onSearch, onChart]) };

export type Alert = Omit<z.output<typeof MEMBERS.managed.next>, keyof typeof SERVER_OWNED>;

const WATCHING = { tileId: true, dashboardId: true, savedSearchId: true, groupBy: true, chartConfig: true } as const;
const SCHEMAS: Readonly<Record<SandboxVariant, Readonly<Record<SandboxRelease, z.ZodType<Alert>>>>> = {
  "self-hosted": { published: selfHosted("published"), next: selfHosted("next") },
  managed: {
    published: checked(MEMBERS.managed.published.omit({ ...SERVER_OWNED, channels: true, chartConfig: true })),
    next: checked(MEMBERS.managed.next.omit(SERVER_OWNED)),
  },
};

function selfHosted(release: SandboxRelease): z.ZodType<Alert> {
  const members = MEMBERS["self-hosted"][release].omit({ ...SERVER_OWNED, ...WATCHING });
  return checked(z.intersection(members, WATCHED[release]));
}

function checked(schema: z.ZodType<Alert>): z.ZodType<Alert> {
  return schema.superRefine((alert, context) => {
    checkChannels(alert, context);
    checkCondition(alert, context);
  });
}

/** Returns the schema for the body of a create or an update. */
export function alertSchema(variant: SandboxVariant, release: SandboxRelease = "published"): z.ZodType<Alert> {
  return SCHEMAS[variant][release];
}

type Served = Pick<Stack, "variant"> & Partial<Pick<Stack, "release">>;

/** Tells whether alerts have `channels`. On managed stacks of the published release, they only have `channel`. */
function hasChannels({ variant, release }: Served): boolean {
  return variant === "self-hosted" || release === "next";
}

/** Returns the record of a new alert. */
export function createdAlert(
  stack: Served & Pick<Stack, "ids" | "identity">,
  alert: Alert,
  createdAt: string,
): SandboxRecord {
  const id = stack.ids.id();
  return arranged(stack, alert, { id, teamId: stack.identity.teamId, state: "OK", createdAt, updatedAt: createdAt });
}

function create(stack: Stack, call: Call): SandboxRecord {
  const body = sentBy(stack, call);
  checkAlertReferences(body, stack);
  return keep(stack, createdAlert(stack, body, isoNow(stack)));
}

/**
 * Updates an alert. If the body omits the start, the offset or the upper threshold, the alert keeps the old value
 * (docs/api.md#alert-updates).
 */
function update(stack: Stack, call: Call): SandboxRecord {
  checkId(stack, call.id);
  const body = sentBy(stack, call);
  const storedAlert = existing(stack, "alerts", call.id);
  checkAlertReferences(body, stack);
  const { id, teamId, state, silenced, executionErrors, createdAt } = storedAlert;
  const { thresholdMax, scheduleOffsetMinutes, scheduleStartAt } = storedAlert;
  const serverMembers = { id, teamId, state, silenced, executionErrors, createdAt, updatedAt: isoNow(stack) };
  return keep(stack, arranged(stack, body, serverMembers, { thresholdMax, scheduleOffsetMinutes, scheduleStartAt }));
}

function sentBy(stack: Stack, call: Call): Alert {
  const schema = alertSchema(stack.variant, stack.release).superRefine((alert, context) =>
    checkStart(alert, stack.now(), context),
  );
  return bodyOf(stack, schema, call);
}

/**
 * Returns the record of an alert. On self-hosted stacks, a start in the body, even `null`, sets the offset to 0 unless the body has
 * an offset.
 */
function arranged(
  { variant, release = "published" }: Served,
  alert: Alert,
  serverMembers: Partial<Readonly<Record<keyof typeof SERVER_OWNED, unknown>>> & { readonly id: string },
  storedMembers: Readonly<Record<string, unknown>> = {},
): SandboxRecord {
  const schedule = variant === "self-hosted" && alert.scheduleStartAt !== undefined ? { scheduleOffsetMinutes: 0 } : {};
  const bodyMembers = Object.fromEntries(Object.entries(alert).filter(([, content]) => content !== undefined));
  const members = inOrder(MEMBERS[variant][release], {
    ...storedMembers,
    ...schedule,
    ...bodyMembers,
    ...(hasChannels({ variant, release }) && channelsOf(alert)),
    ...serverMembers,
  });
  return { id: serverMembers.id, ...members };
}

/** Returns all channels as `channels`, and the first of them as `channel`. */
function channelsOf({ channel, channels }: Alert): Pick<Alert, "channel" | "channels"> {
  const alertChannels = channels ?? (channel === undefined ? [] : [channel]);
  return { channel: alertChannels[0], channels: alertChannels };
}

/**
 * Returns an alert as responses show it. If an older server stored only `channel`, the response also has `channels`. Without a
 * channel, the response has neither member.
 */
function visible(stack: Served, alert: SandboxRecord): object {
  const { channel, channels } = alert;
  if (!hasChannels(stack) || channel === undefined || channels !== undefined) return alert;
  const entries = Object.entries(alert);
  const visibleEntries = entries.flatMap((entry) =>
    entry[0] === "channel" ? [entry, ["channels", [channel]]] : [entry],
  );
  return Object.fromEntries(visibleEntries);
}

function keep({ store }: Stack, alert: SandboxRecord): SandboxRecord {
  store.alerts.set(alert.id, alert);
  return alert;
}

/** Checks the dependencies between the members of an alert's condition (docs/api.md#alerts). */
function checkCondition(alert: Alert, context: z.RefinementCtx): void {
  const fault = (member: string, message: string): void =>
    context.addIssue({ code: "custom", path: [member], message });
  const max = alert.thresholdMax ?? undefined;
  const isRange = alert.thresholdType === "between" || alert.thresholdType === "not_between";
  if (isRange && max === undefined) {
    fault("thresholdMax", "thresholdMax is required for between/not_between threshold types");
  }
  if (isRange && max !== undefined && max < alert.threshold) {
    fault("thresholdMax", "thresholdMax must be greater than or equal to threshold");
  }
  const minutes = INTERVAL_MINUTES[alert.interval];
  const offset = alert.scheduleOffsetMinutes ?? 0;
  if (offset >= minutes) {
    const unit = minutes === 1 ? "minute" : "minutes";
    fault("scheduleOffsetMinutes", `scheduleOffsetMinutes must be less than ${minutes} ${unit}`);
  }
  if (offset > 0 && (alert.scheduleStartAt ?? undefined) !== undefined) {
    fault("scheduleOffsetMinutes", "scheduleOffsetMinutes must be 0 when scheduleStartAt is provided");
  }
}

/** Checks that a start is at most one year in the future and ten years in the past. */
function checkStart({ scheduleStartAt }: Alert, now: number, context: z.RefinementCtx): void {
  const fault = (message: string): void =>
    context.addIssue({
      code: "custom",
      path: ["scheduleStartAt"],
      message: `scheduleStartAt must be within ${message}`,
    });
  if (typeof scheduleStartAt !== "string") return;
  const at = Date.parse(scheduleStartAt);
  if (at > yearsFrom(now, 1)) fault("1 year from now");
  if (at < yearsFrom(now, -10)) fault("10 years in the past");
}

function yearsFrom(now: number, years: number): number {
  const date = new Date(now);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}

/**
 * Checks that an alert has one to ten distinct channels, and that `channel`, if both members are present, equals the first of
 * `channels`.
 */
function checkChannels({ channel, channels }: Alert, context: z.RefinementCtx): void {
  const fault = (message: string): void => context.addIssue({ code: "custom", path: ["channels"], message });
  if (channels === undefined) {
    if (channel === undefined) fault('Provide either "channel" or "channels"');
    return;
  }
  if (channels.length === 0) return fault("At least one notification channel is required");
  if (channels.length > MAX_CHANNELS) fault(`An alert supports at most ${MAX_CHANNELS} notification channels`);
  const isRepeated = channels.some((item, index) =>
    channels.slice(0, index).some((other) => isDeepStrictEqual(item, other)),
  );
  if (isRepeated) fault("Duplicate notification channels are not allowed");
  if (channel !== undefined && !isDeepStrictEqual(channel, channels[0])) {
    const rule = '"channel" must match the first entry of "channels"';
    fault(`When both "channel" and "channels" are provided, ${rule}`);
  }
}

/**
 * Throws `Refusal` 400 if an alert references a tile, a saved search or a webhook that does not exist, or a tile that cannot have
 * an alert (docs/api.md#tile-alerts).
 */
function checkAlertReferences(alert: Alert, stack: Stack): void {
  const { store, ids } = stack;
  if (alert.source === "tile") checkTile(alert, stack);
  if (alert.source === "saved_search") {
    const id = alert.savedSearchId ?? "";
    if (!ids.isId(id)) throw new Refusal(400, "Invalid saved search ID");
    if (!store["saved-searches"].has(id)) throw new Refusal(400, "Saved search not found");
  }
  const channels = alert.channels ?? (alert.channel === undefined ? [] : [alert.channel]);
  const webhookIds = channels.flatMap((item) => (item.type === "webhook" ? [item.webhookId] : []));
  const missingIds = webhookIds.filter((id) => !store.webhooks.has(id));
  if (missingIds.some((id) => !ids.isId(id))) throw new Refusal(400, "Invalid webhook ID");
  if (missingIds.length > 0) throw new Refusal(400, "Webhook not found");
}

function checkTile({ dashboardId, tileId }: Alert, { store, ids, variant }: Stack): void {
  const id = dashboardId ?? "";
  if (!ids.isId(id)) throw new Refusal(400, "Invalid dashboard ID");
  const dashboard = store.dashboards.get(id);
  if (dashboard === undefined) throw new Refusal(400, "Dashboard not found");
  const tiles: readonly unknown[] = Array.isArray(dashboard["tiles"]) ? dashboard["tiles"] : [];
  const tile = tiles.filter(isObject).find((candidate) => candidate["id"] === tileId);
  if (tile === undefined) throw new Refusal(400, "Tile not found");
  const config = isObject(tile["config"]) ? tile["config"] : {};
  if (config["configType"] === "sql") checkSql(config);
  // Self-hosted stacks accept alerts on tiles of every other type, and delete some of these alerts later.
  if (variant === "managed" && !ALERTED.has(config["displayType"])) throw new Refusal(400, NOT_ALERTED);
}

const NOT_ALERTED = "Alerts are supported on line, stacked_bar and number tiles";
const INTERVAL = /\{interval(?:Seconds|Milliseconds)\s*:|\$__(?:timeInterval|interval)/;

/** Checks the raw SQL of a tile. The server makes this check when it writes the alert, not when it writes the tile. */
function checkSql({ displayType, sqlTemplate }: JsonObject): void {
  if (!ALERTED.has(displayType)) {
    throw new Refusal(400, "Alerts on Raw SQL tiles are only supported for Line, Stacked Bar, or Number display types");
  }
  if (displayType !== "number" && !INTERVAL.test(String(sqlTemplate))) {
    const rule = "SQL used for alerts must include an interval parameter or macro.";
    throw new Refusal(400, `Raw SQL alert query is invalid: ${rule}`);
  }
}
