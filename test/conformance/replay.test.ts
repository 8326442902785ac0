import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { startSandbox, type SandboxSeed } from "../support/start-sandbox.ts";
import {
  ACCESS_KEY,
  expectAnswer,
  recordedExchanges,
  send,
  type RecordedExchange,
} from "../support/recorded-exchanges.ts";
import { differencesOf } from "./compare.ts";
import { NOT_SERVED } from "./not-served.ts";
import { addressOf, emptyState, isObject, type State } from "./replay-records.ts";
import { applyRecorded, prepare } from "./replay-state.ts";
import { HIDDEN, WIPED } from "./replay-unrecorded.ts";
import type { Json } from "./rule.ts";
import { isReadable } from "./try-rule.ts";

const LIMIT = { requests: 100, windowMs: 60_000 };
/** The recordings replace each key by the same word. In these exchanges the key was wrong. */
const WRONG_KEY = new Set([71]);
/** Exchanges of a client that has used up its rate limit. */
const EXHAUSTED = new Set([110, 111]);
/** Exchanges of a user without a team, who has no right to anything. */
const FORBIDDEN = new Set([108, 109]);
/** The stack has no rate limit from this recording on. */
const UNLIMITED = 600;

/** Users and teams of the real servers, each with the sandbox's own. */
const OWN_NAMES = new Map([
  ["lab-8803@example.com", "sandbox@example.com"],
  ["operator@example.com", "sandbox@example.com"],
  ['"Operations"', `"sandbox@example.com's Team"`],
]);

const exchanges = recordedExchanges((number) => NOT_SERVED[number] === undefined);
const tally = new Map<string, { all: number; answered: number; failed: number[] }>();
const states = new Map<string, State>();

test("every recording is replayed or concerns a part of the API that the sandbox does not serve", () => {
  expect(exchanges.length + Object.keys(NOT_SERVED).length).toBe(1109);
});

describe("a self-hosted sandbox answers as recorded, on the stack that the earlier exchanges produced", () => {
  test.each(exchanges)("$number $name", async (exchange) => {
    const failure = await replay(exchange).then(
      () => undefined,
      (error: unknown) => error,
    );
    count(exchange, failure === undefined);
    if (failure !== undefined) throw failure;
  });

  afterAll(() => {
    const lines = [...tally].map(([topic, { all, answered, failed }]) => {
      const missing = failed.length === 0 ? "" : `  not: ${failed.join(" ")}`;
      return `${topic.padEnd(20)} ${answered} of ${all}${missing}`;
    });
    // oxlint-disable-next-line no-console -- this file is run for these counts.
    console.log(`Recordings that the sandbox answers as the real server\n${lines.sort().join("\n")}`);
  });
});

/** Replays one exchange. Rejects if the response, or what is stored after it, differs from the real server. */
async function replay(exchange: RecordedExchange): Promise<void> {
  const { number, request } = exchange;
  const stack = stackOf(number);
  const state = states.get(stack) ?? emptyState();
  states.set(stack, state);
  prepare(state, exchange);
  try {
    await using sandbox = await startSandbox({
      variant: "self-hosted",
      seed: state satisfies SandboxSeed,
      ...(number < UNLIMITED ? { limit: LIMIT } : {}),
      ...(FORBIDDEN.has(number) ? { forbidden: ["dashboards", "alerts"] } : {}),
      credentials: { apiKey: WRONG_KEY.has(number) ? "another-key" : ACCESS_KEY },
      // Each exchange has a time of its own, so that the times in records differ.
      now: () => Date.UTC(2026, 10, 24, 22) + number,
    });
    if (EXHAUSTED.has(number)) for (let sent = 0; sent < LIMIT.requests; sent += 1) await send(sandbox.url, request);
    const expected = z.custom<RecordedExchange>().parse(rewritten(exchange, OWN_NAMES));
    const body = await expectAnswer(await send(sandbox.url, request), expected, state);
    await expectShown(sandbox.url, exchange, body);

    // Later exchanges use the recorded ids and times, so these replace the sandbox's own.
    const after =
      request.method === "GET"
        ? state
        : z.custom<State>().parse(rewritten(sandbox.stored(), namesIn(body, expected.response.body)));
    expectHidden(exchange, state, after);
    states.set(stack, after);
  } catch (error) {
    applyRecorded(state, exchange);
    throw error;
  }
}

/** Expects that a GET shows the record as the answer to its create or update did, for kinds whose records can be read alone. */
async function expectShown(url: string, { request, response }: RecordedExchange, body: unknown): Promise<void> {
  const { method, path, headers } = request;
  const isWrite = /^(?:POST \S+\/v2\/[\w-]+|PUT \S+\/v2\/[\w-]+\/\w+)$/.test(`${method} ${path}`);
  const [, , , kind = ""] = path.split("/");
  if (!isWrite || response.status !== 200 || !isReadable(kind)) return;
  const written = z.object({ data: z.looseObject({ id: z.string() }) }).parse(body).data;
  const shown = await send(url, { method: "GET", path: `/api/v2/${kind}/${written.id}`, headers });
  const { data } = z.object({ data: z.unknown() }).parse(await shown.json());
  expect(differencesOf(z.custom<Json>().parse(written), z.custom<Json>().parse(data))).toEqual({});
}

/** Returns the stack from which a recording is; there are six. */
function stackOf(number: number): string {
  if (number >= 2000) return "latest";
  if (number >= 600) return "newest";
  if (number >= 570) return "empty";
  if (number >= 300) return "third";
  return (number >= 101 && number <= 107) || (number >= 230 && number <= 232) ? "second" : "first";
}

function expectHidden(exchange: RecordedExchange, before: State, after: State): void {
  const hidden = HIDDEN[exchange.number];
  if (hidden !== undefined) {
    const record = after[hidden.kind].find(({ id }) => id === hidden.id);
    for (const [member, content] of Object.entries(hidden.holds)) expect(record?.[member]).toEqual(content);
  }
  const wiped = WIPED[exchange.number];
  if (wiped === undefined) return;
  const { id } = addressOf(exchange);
  const stored = (state: State) => JSON.stringify(state.dashboards.find((each) => each.id === id));
  expect(stored(before)).toContain(wiped);
  expect(stored(after)).not.toContain(wiped);
}

function count({ topic, number }: RecordedExchange, isAnswered: boolean): void {
  const counts = tally.get(topic) ?? { all: 0, answered: 0, failed: [] };
  counts.all += 1;
  if (isAnswered) counts.answered += 1;
  else counts.failed.push(number);
  tally.set(topic, counts);
}

/** Returns the texts in which a response differs from the recording, each with the recorded text. */
function namesIn(answer: unknown, recording: unknown, names = new Map<string, string>()): ReadonlyMap<string, string> {
  if (typeof answer === "string" && typeof recording === "string") {
    if (answer !== recording) names.set(answer, recording);
  } else if (Array.isArray(answer) && Array.isArray(recording)) {
    for (const [index, content] of answer.entries()) namesIn(content, recording[index], names);
  } else if (isObject(answer) && isObject(recording)) {
    for (const [member, content] of Object.entries(answer)) namesIn(content, recording[member], names);
  }
  return names;
}

function rewritten(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (names.size === 0) return value;
  const text = [...names].reduce((before, [from, to]) => before.replaceAll(from, to), JSON.stringify(value));
  return JSON.parse(text);
}
