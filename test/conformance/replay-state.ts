import { z } from "zod";
import type { RecordedExchange } from "../support/recorded-exchanges.ts";
import { recordedExchanges } from "../support/recorded-exchanges.ts";
import type { Item, Kind, State } from "./replay-records.ts";
import { addressOf, dashboardOf, isObject, item, shownBy, tileOf } from "./replay-records.ts";
import { BEFORE, LISTED, SETUPS } from "./replay-unrecorded.ts";

const id = /^[0-9a-f]{24}$/;

/** Changes the state to that of the real stack before the exchange, as far as the recordings tell it. */
export function prepare(state: State, exchange: RecordedExchange): void {
  const { number } = exchange;
  SETUPS[number]?.(state);
  if (number < 600) return;
  const { kind, id: named } = addressOf(exchange);
  if (LISTED.has(number) && kind !== undefined) listAs(state[kind], exchange);
  if (kind !== undefined && named !== undefined && id.test(named) && exchange.response.status !== 404) {
    bring(state, kind, named, exchange);
  }
  for (const each of idsIn(exchange.request.body)) {
    const known = showings().get(each);
    if (known !== undefined && !isCalledUnknown(exchange, each)) bring(state, known.kind, each, exchange);
  }
  const alert = z.looseObject({}).safeParse(exchange.request.body).data;
  if (kind === "alerts" && alert !== undefined) bringWatched(state, alert, exchange);
  bringChannels(state, exchange);
  const before = BEFORE[number];
  if (before === undefined || kind === undefined) return;
  state[kind] = state[kind].map((each) => (each.id === named ? { ...each, ...before } : each));
}

/** Repeats the exchange's effect on the real stack, for a sandbox that did something else. */
export function applyRecorded(state: State, exchange: RecordedExchange): void {
  const { request, response, number } = exchange;
  const { kind, id: named } = addressOf(exchange);
  if (response.status !== 200 || request.method === "GET" || kind === undefined || named === "validate") return;
  if (request.method === "POST") state[kind].push(...shownBy(number));
  if (request.method === "PUT")
    state[kind] = state[kind].map((each) => (each.id === named ? (shownBy(number)[0] ?? each) : each));
  if (request.method === "DELETE") state[kind] = state[kind].filter((each) => each.id !== named);
}

interface Showing {
  readonly kind: Kind;
  readonly numbers: number[];
}

let shown: Map<string, Showing> | undefined;

/** In which answers each record of the newest stack is shown. */
function showings(): ReadonlyMap<string, Showing> {
  if (shown !== undefined) return shown;
  shown = new Map();
  for (const exchange of recordedExchanges((number) => number >= 600)) {
    const { kind } = addressOf(exchange);
    if (kind === undefined || exchange.response.status !== 200) continue;
    for (const each of shownBy(exchange.number)) {
      const known = shown.get(each.id) ?? { kind, numbers: [] };
      known.numbers.push(exchange.number);
      shown.set(each.id, known);
    }
  }
  return shown;
}

/** Adds a record that was made without a recording: as the last answer before shows it, else the first one after. */
function bring(state: State, kind: Kind, named: string, exchange: RecordedExchange): void {
  if (state[kind].some((each) => each.id === named)) return;
  const numbers = showings().get(named)?.numbers ?? [];
  const at = numbers.findLast((each) => each < exchange.number) ?? numbers[0];
  const record = at === undefined ? undefined : shownBy(at).find((each) => each.id === named);
  // One that no answer shows was sent back as it is, and refused.
  const sent = item.safeParse({ ...z.looseObject({}).safeParse(exchange.request.body).data, id: named });
  const found =
    at !== undefined && at >= exchange.number && record?.["updatedAt"] !== undefined
      ? { ...record, updatedAt: record["createdAt"] }
      : (record ?? sent.data);
  if (found !== undefined) state[kind].push(found);
  if (kind === "alerts" && found !== undefined) bringWatched(state, found, exchange);
}

/** Adds the record that an alert watches, where no answer shows it. */
function bringWatched(state: State, alert: Omit<Item, "id">, exchange: RecordedExchange): void {
  const { dashboardId, tileId, savedSearchId } = alert;
  if (typeof savedSearchId === "string") bring(state, "saved-searches", savedSearchId, exchange);
  if (typeof dashboardId !== "string" || typeof tileId !== "string") return;
  if (showings().has(dashboardId)) return bring(state, "dashboards", dashboardId, exchange);
  if (!state.dashboards.some((each) => each.id === dashboardId))
    state.dashboards.push(dashboardOf(dashboardId, [tileOf(tileId)]));
}

/** The webhooks of the newest stack are in no list; an alert that was taken shows that they are there. */
function bringChannels(state: State, exchange: RecordedExchange): void {
  const { body } = exchange.request;
  if (!isObject(body) || JSON.stringify(exchange.response.body).includes("Webhook not found")) return;
  const channels = [body["channel"], ...(Array.isArray(body["channels"]) ? body["channels"] : [])];
  for (const channel of channels.filter(isObject)) {
    const own = channel["webhookId"];
    if (typeof own !== "string" || !id.test(own) || state.webhooks.some((each) => each.id === own)) continue;
    state.webhooks.push({ id: own, name: `hook ${own}`, service: "generic", url: "https://hooks.example.com/x" });
  }
}

/** Makes the records those of a recorded list; where it shows a page, others before and after it are kept or made up. */
function listAs(items: Item[], exchange: RecordedExchange): void {
  const listed = shownBy(exchange.number);
  const query = new URL(exchange.request.path, "http://stack.test").searchParams;
  const total = Number(exchange.response.headers["x-total-count"] ?? listed.length);
  const offset = exchange.response.headers["x-total-count"] === undefined ? 0 : Number(query.get("offset") ?? 0);
  const others = items.filter((each) => !listed.some((one) => one.id === each.id));
  while (others.length < total - listed.length)
    others.push({ id: `${exchange.number}${others.length}`.padStart(24, "f") });
  const before = others.slice(0, offset);
  items.splice(0, items.length, ...before, ...listed, ...others.slice(offset, total - listed.length));
  // Their order is the server's own, not that of their creation, which ids tell.
  if (addressOf(exchange).kind === "dashboards") items.sort((left, right) => (left.id < right.id ? -1 : 1));
}

function isCalledUnknown({ response }: RecordedExchange, own: string): boolean {
  const text = JSON.stringify(response.body);
  return text.includes("Could not find") && text.includes(own);
}

function idsIn(value: unknown): readonly string[] {
  return [...new Set(JSON.stringify(value ?? null).match(/(?<=")[0-9a-f]{24}(?=")/g))];
}
