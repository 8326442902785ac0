import { labelOfChild } from "../core/records/record.ts";
import { z } from "zod";
import { splitWords } from "../core/collections.ts";
import { compactJson, isJsonArray, objectsIn, type JsonObject, type JsonValue } from "../core/json.ts";
import type { FindRecord, ResourceKind } from "../core/resource-kind.ts";
import { withOneChannel, severalChannels, channelKey, channelsOf, channelRefusal } from "./members/alert-channels.ts";
import {
  looseBody,
  nameKeyOf,
  optionalNumber,
  optionalText,
  textOfMember,
  optionalTexts,
  withoutDefaults,
  collectionRoutes,
  plainKind,
} from "./descriptor-parts.ts";
import { alertFile } from "./members/code-file-shapes.ts";
import { items } from "./limits.ts";

const routes = collectionRoutes("alerts");

const channel = z.object({
  type: z.string(),
  webhookId: optionalText,
  emailRecipients: optionalTexts,
  recipients: optionalTexts,
});

const WATCHED = ["name", "source", "dashboardId", "tileId", "savedSearchId", "groupBy"];

/** Some servers show these members with their defaults, others omit the members. */
const DEFAULTS = { scheduleOffsetMinutes: 0, name: "", message: "" } as const;

/** docs/api.md#alerts */
export const alerts: ResourceKind = {
  ...plainKind,
  name: "alerts",
  singular: "alert",
  listing: "paged",
  routes: { managed: routes, "self-hosted": routes },
  schema: looseBody({
    dashboardId: optionalText,
    tileId: optionalText,
    savedSearchId: optionalText,
    threshold: optionalNumber,
    thresholdMax: optionalNumber,
    thresholdType: optionalText,
    interval: optionalText,
    source: optionalText,
    channel: channel.nullish(),
    channels: z.array(channel).nullish(),
    name: optionalText,
    message: optionalText,
  }),
  displayName: watchedBy,
  naturalKeys: [(body) => `${alertIdentity(body)}\n${compactJson(channelKey(body))}`, alertIdentity],
  references: [
    { path: "dashboardId", to: "dashboards", serverValidated: true },
    { path: "tileId", to: "dashboards/tiles", within: "dashboardId", serverValidated: true },
    { path: "savedSearchId", to: "saved-searches", serverValidated: true },
    // `channel` must equal `channels[0]` in a write, so the webhooks of both are translated alike.
    { path: "channel.webhookId", to: "webhooks", serverValidated: true },
    { path: "channels[].webhookId", to: "webhooks", serverValidated: true },
  ],
  livesOn: ["dashboards", "saved-searches"],
  importPolicy: { when: "always" },
  serverOwned: ["id", "state", "teamId", "silenced", "executionErrors", "createdAt", "updatedAt"],
  leaveOutWhen: [
    ...["thresholdMax", "scheduleOffsetMinutes", "groupBy", "dashboardId", "tileId", "savedSearchId"].map((path) => ({
      path,
      is: null,
    })),
    { path: "name", is: "" },
    { path: "message", is: "" },
  ],
  distinctItems: { channels: (channel) => compactJson(channelKey({ channel })) },
  limits: [
    { path: "channels", fit: items(10), fixed: true },
    // A start and an offset can be stored together, but a write refuses them (docs/api.md#alert-updates).
    { path: "scheduleOffsetMinutes", fit: fittingOffset },
    { path: "scheduleStartAt", fit: refuseFarStart, fixed: true },
  ],
  nameFields: { name: "name" },
  texts: ["message", "note"],
  clearOnUpdate: {
    name: null,
    message: null,
    note: null,
    numConsecutiveWindows: null,
    // Left out of an update, these two would keep their values (docs/api.md#alert-updates).
    scheduleStartAt: null,
    scheduleOffsetMinutes: 0,
  },
  keptOnUpdate: ["thresholdMax"],
  lostOnUpdate: ["groupBy"],
  code: {
    shape: alertFile,
    toldBy: [["source", "threshold", "interval"]],
    order: splitWords(`
      name message note source dashboard tile savedSearch groupBy thresholdType threshold thresholdMax
      interval numConsecutiveWindows scheduleOffsetMinutes scheduleStartAt channel channels type webhook
    `),
    defaults: DEFAULTS,
    simplify: ({ channel, channels, ...rest }) =>
      isJsonArray(channels) && channels.length > 1
        ? { ...rest, channels }
        : { ...rest, channel: (isJsonArray(channels) ? channels[0] : undefined) ?? channel },
    complete: completeChannels,
  },
  comparable: comparableAlert,
  formFor: withOneChannel,
  heldInPart: severalChannels,
  isSilenced: ({ silenced }) => silenced !== undefined && silenced !== null && silenced !== false,
  listOmits: [{ path: "chartConfig", when: ({ source }) => source === "inline" }],
  unknownForm: ({ source }) =>
    source === undefined || source === null || KNOWN_SOURCES.includes(source)
      ? undefined
      : `its source is ${compactJson(source)}, which this program does not know`,
  rejectReason: channelRefusal,
  vitalMembers: ["source", "interval", "groupBy", "numConsecutiveWindows", "dashboardId", "tileId", "savedSearchId"],
};

function watchedBy(body: JsonObject, find: FindRecord): string {
  const dashboard = find("dashboards", textOfMember(body, "dashboardId"));
  if (dashboard === undefined) {
    const search = find("saved-searches", textOfMember(body, "savedSearchId"));
    return search === undefined ? "" : `on ${search.name}`;
  }
  const tiles = objectsIn(dashboard.body["tiles"]);
  const position = tiles.findIndex(({ id }) => id === body["tileId"]);
  const tile = tiles[position];
  if (tile === undefined) return `on ${dashboard.name}`;
  return `on ${labelOfChild("tile", textOfMember(tile, "name"), position)} (${dashboard.name})`;
}

/** Newer deployments also have `inline` (docs/api.md#alerts). */
const KNOWN_SOURCES: readonly JsonValue[] = ["tile", "saved_search"];

function alertIdentity(body: JsonObject): string {
  return compactJson(WATCHED.map((member) => (member === "name" ? nameKeyOf(body) || null : (body[member] ?? null))));
}

const RANGES = ["between", "not_between"];

/** Ignores `thresholdMax` without a range, because no update removes `thresholdMax` (docs/api.md#alert-updates). */
function comparableAlert(body: JsonObject): JsonObject {
  const { channel: _channel, channels: _channels, thresholdMax, ...others } = body;
  const isRange = RANGES.includes(textOfMember(body, "thresholdType"));
  const rest = isRange && thresholdMax !== undefined ? { ...others, thresholdMax } : others;
  const channels = channelsOf(body).map(({ webhookService: _service, ...channel }) => channel);
  return withoutDefaults({ ...rest, channels }, DEFAULTS);
}

/** Older deployments know only `channel`. If the target shows `channels`, both members must agree (docs/api.md#channels). */
function completeChannels(body: JsonObject, targetBody: JsonObject | undefined): JsonObject {
  const { channel, channels, ...rest } = body;
  if (isJsonArray(channels)) return { ...rest, channel: channels[0], channels };
  const knowsBoth = targetBody !== undefined && isJsonArray(targetBody["channels"]);
  return knowsBoth && channel !== undefined ? { ...rest, channel, channels: [channel] } : { ...rest, channel };
}

const UNIT_MINUTES: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60, d: 1440 };

function fittingOffset(offset: JsonValue, body: JsonObject) {
  if (typeof offset !== "number" || offset === 0) return undefined;
  if (textOfMember(body, "scheduleStartAt") !== "")
    return { change: "left out: the API does not accept it together with a start" };
  const minutes = minutesOf(textOfMember(body, "interval"));
  if (minutes === undefined || offset < minutes) return undefined;
  return { value: offset % minutes, change: `${offset % minutes} instead of ${offset}` };
}

/** Offers no replacement: another start would change the schedule (docs/api.md#alerts). */
function refuseFarStart(start: JsonValue, _body: JsonObject, now: number) {
  const startMs = typeof start === "string" ? Date.parse(start) : Number.NaN;
  const isFar = startMs < yearsFrom(now, -MAX_YEARS_BACK) || startMs > yearsFrom(now, MAX_YEARS_AHEAD);
  return isFar ? { change: "a start at most ten years back and a year ahead" } : undefined;
}

const MAX_YEARS_BACK = 10;
const MAX_YEARS_AHEAD = 1;

function yearsFrom(now: number, years: number): number {
  const date = new Date(now);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}

function minutesOf(interval: string): number | undefined {
  const [, count = "", unit = ""] = /^(\d+)([smhd])$/.exec(interval) ?? [];
  const minutes = Number(count) * (UNIT_MINUTES[unit] ?? 0);
  return minutes > 0 ? minutes : undefined;
}
