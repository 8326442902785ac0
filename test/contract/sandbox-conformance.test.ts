import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { SandboxSeed } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { Exchange } from "../support/recorded-exchanges.ts";
import { ACCESS_KEY, expectAnswer, readExchange, recordedExchanges, send } from "../support/recorded-exchanges.ts";

interface Item {
  readonly id: string;
  readonly [member: string]: unknown;
}

type World = Record<"dashboards" | "alerts" | "sources" | "webhooks" | "connections" | "saved-searches", Item[]>;

const KINDS = ["dashboards", "alerts", "sources", "webhooks"] as const;

const item = z.custom<Item>((value) => z.looseObject({ id: z.string() }).safeParse(value).success);
const answered = z.object({ data: z.union([z.array(item), item.transform((one) => [one])]) });

const LIMIT = { requests: 100, windowMs: 60_000 };

/** Exchanges of the real server with something that is no part of the sandbox, by number. */
const LEFT_OUT: Readonly<Record<number, string>> = {
  73: "shows a server that cannot reach its database; the sandbox has data",
  108: "shows a user without a team; every credential of the sandbox has one",
  109: "shows a user without a team; every credential of the sandbox has one",
};

/** The recordings come from two stacks; these are of the second, the others of the first. */
const OF_SECOND_STACK = new Set([101, 102, 103, 104, 105, 106, 107, 230, 231, 232]);

/** Records that were there without a recorded create; the exchange itself shows them. */
const SHOWN: Readonly<Record<number, "dashboards" | "alerts">> = {
  101: "dashboards",
  102: "alerts",
  106: "dashboards",
};

/** The recordings have one word for every key; here the key was a wrong one. */
const WRONG_KEY = new Set([71]);

/** Exchanges of a client that has used up its budget. */
const EXHAUSTED = new Set([110, 111]);

/** The newer recordings are replayed in order: extended-conformance.test.ts. */
const exchanges = recordedExchanges(({ number }) => number < 300);
const worlds = worldsBefore();
const served = exchanges.filter(({ number }) => LEFT_OUT[number] === undefined);

test("every recording is either served or left out with a reason", () => {
  const leftOut = exchanges.filter(({ number }) => LEFT_OUT[number] !== undefined);
  expect(leftOut.map(({ number }) => number)).toEqual(Object.keys(LEFT_OUT).map(Number));
  expect(served.length + leftOut.length).toBe(114);
  expect(served.length).toBe(111);
});

describe("a self-hosted sandbox answers as recorded", () => {
  test.each(served)("$file", async (exchange) => {
    const { request, number } = exchange;
    const seed = worlds.get(number);
    if (seed === undefined) throw new Error("each recording has a state before it");
    await using sandbox = await startSandbox({
      variant: "self-hosted",
      seed: seed satisfies SandboxSeed,
      limit: LIMIT,
      credentials: { apiKey: WRONG_KEY.has(number) ? "another-key" : ACCESS_KEY },
    });
    if (EXHAUSTED.has(number)) for (let sent = 0; sent < LIMIT.requests; sent += 1) await send(sandbox.url, request);
    const answer = await send(sandbox.url, request);

    await expectAnswer(answer, exchange, seed);
  });
});

/** The state of its stack before each exchange, from what the exchanges before it have done. */
function worldsBefore(): ReadonlyMap<number, World> {
  const first: World = { ...emptyWorld() };
  first.connections.push(...itemsOf(readExchange("03-connections-list.json")));
  first.sources.push(...itemsOf(readExchange("04-sources-list.json")));
  first.webhooks.push(...itemsOf(readExchange("06-webhooks-list.json")));
  first["saved-searches"].push(...itemsOf(readExchange("08-saved-searches-list.json")));
  const second: World = { ...emptyWorld() };
  // No recording lists these; the writes that the second stack took show that it has them.
  const connection = "6b00df87a427fe6225b83526";
  second.sources.push({ id: "6b00df87a427fe6225b8352a", name: "Logs", kind: "log", connection });
  second.sources.push({ id: "6b00df87a427fe6225b8352e", name: "Traces", kind: "trace", connection });
  second.webhooks.push({ id: "6b00df87a427fe6225b8353e", name: "hook", service: "generic" });

  const states = new Map<number, World>();
  for (const exchange of exchanges) {
    const world = OF_SECOND_STACK.has(exchange.number) ? second : first;
    const shown = SHOWN[exchange.number];
    if (shown !== undefined) world[shown].push(...itemsOf(exchange));
    states.set(exchange.number, structuredClone(world));
    applyTo(world, exchange);
  }
  return states;
}

function emptyWorld(): World {
  return { dashboards: [], alerts: [], sources: [], webhooks: [], connections: [], "saved-searches": [] };
}

function applyTo(world: World, { request, response }: Exchange): void {
  const [, , , word, id] = request.path.split("/");
  const kind = KINDS.find((each) => each === word);
  if (response.status !== 200 || request.method === "GET" || kind === undefined) return;
  const items = world[kind];
  if (request.method === "POST" && id === undefined) items.push(...itemsOf({ response }));
  const at = items.findIndex((item) => item.id === id);
  if (request.method === "PUT") items.splice(at, 1, ...itemsOf({ response }));
  if (request.method === "DELETE" && at >= 0) items.splice(at, 1);
  if (kind !== "dashboards" || request.method === "POST") return;
  // An alert lives no longer than its tile.
  const remaining =
    request.method === "DELETE" ? [] : itemsOf({ response }).flatMap((board) => z.array(item).parse(board["tiles"]));
  const isGone = (alert: Item): boolean => alert["dashboardId"] === id && !remaining.some(isTileOf(alert));
  world.alerts = world.alerts.filter((alert) => !isGone(alert));
}

function isTileOf(alert: Item): (tile: Item) => boolean {
  return (tile) => tile.id === alert["tileId"];
}

function itemsOf({ response }: Pick<Exchange, "response">): Item[] {
  return structuredClone(answered.parse(response.body).data);
}
