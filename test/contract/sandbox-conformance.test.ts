import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { SandboxSeed } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";

const headersSchema = z.record(z.string(), z.string());
const exchangeSchema = z.strictObject({
  request: z.strictObject({
    method: z.string(),
    path: z.string(),
    headers: headersSchema,
    body: z.unknown().optional(),
  }),
  response: z.strictObject({ status: z.number(), headers: headersSchema, body: z.unknown() }),
});
type Exchange = z.output<typeof exchangeSchema>;

interface Item {
  readonly id: string;
  readonly [member: string]: unknown;
}

type World = Record<"dashboards" | "alerts" | "sources" | "webhooks" | "connections" | "savedSearches", Item[]>;

const KINDS = ["dashboards", "alerts", "sources", "webhooks"] as const;

const item = z.custom<Item>((value) => z.looseObject({ id: z.string() }).safeParse(value).success);
const answered = z.object({ data: z.union([z.array(item), item.transform((one) => [one])]) });

const FOLDER = new URL("../fixtures/recordings/", import.meta.url);
const ACCESS_KEY = "LAB-ACCESS-KEY";
const LIMIT = { requests: 100, windowMs: 60_000 };

/** Exchanges of the real server with something that is no part of the sandbox, by number. */
const LEFT_OUT: Readonly<Record<number, string>> = {
  3: "connections are no resource of the contract",
  5: "sources are listed only, there is no get",
  8: "saved searches are no resource of the contract",
  51: "webhooks are listed only, there is no delete",
  52: "webhooks are listed only, there is no create",
  53: "webhooks are listed only, there is no create",
  54: "webhooks are listed only, there is no create",
  55: "webhooks are listed only, there is no create",
  73: "shows a server that cannot reach its database; the sandbox has data",
  108: "shows a user without a team; every credential of the sandbox has one",
  109: "shows a user without a team; every credential of the sandbox has one",
  112: "the root route is no operation of the contract",
  216: "webhooks are listed only, there is no create",
  217: "webhooks are listed only, there is no create",
  218: "webhooks are listed only, there is no create",
  219: "webhooks are listed only, there is no create",
  220: "sources are listed only, there is no create",
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

const exchanges = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".json"))
  .map((file) => ({ number: Number.parseInt(file, 10), file, ...read(file) }))
  .sort((left, right) => left.number - right.number);
const worlds = worldsBefore();
const served = exchanges.filter(({ number }) => LEFT_OUT[number] === undefined);

test("every recording is either served or left out with a reason", () => {
  const leftOut = exchanges.filter(({ number }) => LEFT_OUT[number] !== undefined);
  expect(leftOut.map(({ number }) => number)).toEqual(Object.keys(LEFT_OUT).map(Number));
  expect(served.length + leftOut.length).toBe(114);
  expect(served.length).toBe(97);
});

describe("a self-hosted sandbox answers as recorded", () => {
  test.each(served)("$file", async (exchange) => {
    const { request, response, number } = exchange;
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

    const known = knownStrings([seed, request]);
    const text = await answer.text();
    expect(answer.status).toBe(response.status);
    expect(headersOf(answer, response.headers)).toEqual(recordedHeaders(response.headers));
    // As text, so that the order of the members counts too.
    expect(JSON.stringify(masked(bodyOf(text, answer), known), undefined, 1)).toBe(
      JSON.stringify(masked(response.body, known), undefined, 1),
    );
  });
});

function read(file: string): Exchange {
  return exchangeSchema.parse(JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")));
}

async function send(url: string, { method, path, headers, body }: Exchange["request"]): Promise<Response> {
  // A body that is a string is one that was broken on purpose.
  const sent = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(`${url}${path}`, { method, headers, ...(sent === undefined ? {} : { body: sent }) });
}

/** The state of its stack before each exchange, from what the exchanges before it have done. */
function worldsBefore(): ReadonlyMap<number, World> {
  const first: World = { ...emptyWorld() };
  first.connections.push(...itemsOf(read("03-connections-list.json")));
  first.sources.push(...itemsOf(read("04-sources-list.json")));
  first.webhooks.push(...itemsOf(read("06-webhooks-list.json")));
  first.savedSearches.push(...itemsOf(read("08-saved-searches-list.json")));
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
  return { dashboards: [], alerts: [], sources: [], webhooks: [], connections: [], savedSearches: [] };
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

/**
 * Every string that the state or the request holds: an answer has to repeat those exactly. Not the team's id: the
 * sandbox has one of its own, and a record that is made gets that.
 */
function knownStrings(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value === "string") found.add(value);
  else if (typeof value === "object" && value !== null)
    for (const [member, each] of Object.entries(value)) if (member !== "teamId") knownStrings(each, found);
  return found;
}

/** Ids and times that are made by the server are compared by their form alone. */
function masked(value: unknown, known: ReadonlySet<string>): unknown {
  if (typeof value === "string") {
    if (known.has(value)) return value;
    return value
      .replace(/^[0-9a-f]{24}$/, "<new id>")
      .replace(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/, "<time>");
  }
  if (Array.isArray(value)) return value.map((each) => masked(each, known));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, content]) => [member, masked(content, known)]));
}

function bodyOf(text: string, answer: Response): unknown {
  return answer.headers.get("content-type")?.startsWith("application/json") === true ? JSON.parse(text) : text;
}

const VARYING = new Set(["ratelimit-remaining", "ratelimit-reset"]);

function recordedHeaders(headers: Exchange["response"]["headers"]): Record<string, string> {
  const compared = Object.entries(headers).filter(([name]) => name !== "content-length");
  return Object.fromEntries(compared.map(([name, value]) => [name, VARYING.has(name) ? "<number>" : value]));
}

/** The answer's headers as far as the server ever sends them, so that one too many is noticed as well. */
function headersOf(answer: Response, recorded: Exchange["response"]["headers"]): Record<string, string> {
  const ours = [...answer.headers].filter(
    ([name]) => name in recorded || /^(?:ratelimit-|retry-after$|x-total-count$|content-type$)/.test(name),
  );
  return recordedHeaders(Object.fromEntries(ours));
}
