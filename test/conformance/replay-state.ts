import { z } from "zod";
import { recordedExchanges, type RecordedExchange } from "../support/recorded-exchanges.ts";
import {
  addressOf,
  dashboardOf,
  isObject,
  item,
  shownBy,
  tileOf,
  type Item,
  type Kind,
  type State,
} from "./replay-records.ts";
import { BEFORE, LISTED, SETUPS } from "./replay-unrecorded.ts";

const id = /^[0-9a-f]{24}$/;

/** Changes the state to that of the real stack before the exchange, as far as the recordings show it. */
export function prepare(state: State, exchange: RecordedExchange): void {
  const { number } = exchange;
  SETUPS[number]?.(state);
  if (number < 600) return;
  const { kind, id: named } = addressOf(exchange);
  if (LISTED.has(number) && kind !== undefined) listAs(state[kind], exchange);
  if (kind !== undefined && named !== undefined && id.test(named) && exchange.response.status !== 404) {
    addRecord(state, kind, named, exchange);
  }
  for (const each of idsIn(exchange.request.body)) {
    const showing = showings().get(each);
    if (showing !== undefined && !isCalledUnknown(exchange, each)) addRecord(state, showing.kind, each, exchange);
  }
  const alert = z.looseObject({}).safeParse(exchange.request.body).data;
  if (kind === "alerts" && alert !== undefined) addWatchedRecord(state, alert, exchange);
  addWebhooks(state, exchange);
  const before = BEFORE[number];
  if (before === undefined || kind === undefined) return;
  state[kind] = state[kind].map((each) => (each.id === named ? { ...each, ...before } : each));
}

/** Applies the recorded effect of an exchange to the state, after the sandbox did something else. */
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

let cache: Map<string, Showing> | undefined;

/** Returns, for each record of the newest stack, the recordings whose responses contain it. */
function showings(): ReadonlyMap<string, Showing> {
  if (cache !== undefined) return cache;
  cache = new Map();
  for (const exchange of recordedExchanges((number) => number >= 600)) {
    const { kind } = addressOf(exchange);
    if (kind === undefined || exchange.response.status !== 200) continue;
    for (const each of shownBy(exchange.number)) {
      const showing = cache.get(each.id) ?? { kind, numbers: [] };
      showing.numbers.push(exchange.number);
      cache.set(each.id, showing);
    }
  }
  return cache;
}

/** Adds a record whose create was not recorded, as the last earlier response shows it, or else the first later one. */
function addRecord(state: State, kind: Kind, named: string, exchange: RecordedExchange): void {
  if (state[kind].some((each) => each.id === named)) return;
  const numbers = showings().get(named)?.numbers ?? [];
  const at = numbers.findLast((each) => each < exchange.number) ?? numbers[0];
  const record = at === undefined ? undefined : shownBy(at).find((each) => each.id === named);
  // A record that no response contains was sent back unchanged and refused, so the request shows it.
  const sent = item.safeParse({ ...z.looseObject({}).safeParse(exchange.request.body).data, id: named });
  const found =
    at !== undefined && at >= exchange.number && record?.["updatedAt"] !== undefined
      ? { ...record, updatedAt: record["createdAt"] }
      : (record ?? sent.data);
  if (found !== undefined) state[kind].push(found);
  if (kind === "alerts" && found !== undefined) addWatchedRecord(state, found, exchange);
}

/** Adds the record that an alert watches if the state lacks it. */
function addWatchedRecord(state: State, alert: Omit<Item, "id">, exchange: RecordedExchange): void {
  const { dashboardId, tileId, savedSearchId } = alert;
  if (typeof savedSearchId === "string") addRecord(state, "saved-searches", savedSearchId, exchange);
  if (typeof dashboardId !== "string" || typeof tileId !== "string") return;
  if (showings().has(dashboardId)) return addRecord(state, "dashboards", dashboardId, exchange);
  if (!state.dashboards.some((each) => each.id === dashboardId))
    state.dashboards.push(dashboardOf(dashboardId, [tileOf(tileId)]));
}

/** Adds an alert's webhooks. No list of the newest stack shows them, but an accepted alert proves that they exist. */
function addWebhooks(state: State, exchange: RecordedExchange): void {
  const { body } = exchange.request;
  if (!isObject(body) || JSON.stringify(exchange.response.body).includes("Webhook not found")) return;
  const channels = [body["channel"], ...(Array.isArray(body["channels"]) ? body["channels"] : [])];
  for (const channel of channels.filter(isObject)) {
    const webhookId = channel["webhookId"];
    if (typeof webhookId !== "string" || !id.test(webhookId) || state.webhooks.some((each) => each.id === webhookId))
      continue;
    state.webhooks.push({
      id: webhookId,
      name: `hook ${webhookId}`,
      service: "generic",
      url: "https://hooks.example.com/x",
    });
  }
}

/**
 * Replaces a kind's records by those of a recorded list. If the recording is only one page of the list, other records stay,
 * and placeholders fill the list up to its total.
 */
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
  // The server does not sort dashboards by their creation, so sort them by id.
  if (addressOf(exchange).kind === "dashboards") items.sort((left, right) => (left.id < right.id ? -1 : 1));
}

function isCalledUnknown({ response }: RecordedExchange, id: string): boolean {
  const text = JSON.stringify(response.body);
  return text.includes("Could not find") && text.includes(id);
}

function idsIn(value: unknown): readonly string[] {
  return [...new Set(JSON.stringify(value ?? null).match(/(?<=")[0-9a-f]{24}(?=")/g))];
}
