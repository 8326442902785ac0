import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { SandboxSeed } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { NumberedExchange } from "../support/recorded-exchanges.ts";
import { ACCESS_KEY, expectAnswer, recordedExchanges, send } from "../support/recorded-exchanges.ts";

interface Item {
  readonly id: string;
  readonly [member: string]: unknown;
}

type Kind = "dashboards" | "alerts" | "sources" | "webhooks" | "pipes" | "connections" | "saved-searches";
type State = Record<Kind, Item[]>;

const item = z.custom<Item>((value) => z.looseObject({ id: z.string() }).safeParse(value).success);
const answered = z.object({ data: z.union([z.array(item), item.transform((one) => [one])]) });

const exchanges = recordedExchanges(({ number }) => number >= 300);

/** Exchanges that the sandbox does not answer as recorded, by number, each with its reason. */
const LEFT_OUT: Readonly<Record<number, string>> = {};

/** The lab's user, for whom the sandbox has one of its own. */
const LAB_USER = "lab-8803@example.com";
const OWN_USER = "sandbox@example.com";

const CONNECTION_IN_USE = "6b03060d80849b0e70d2bc4c";
const CONNECTION_OF_TILE = "6b03067480849b0e70d2be44";
const SOURCE_IN_USE = "6b03063e80849b0e70d2be0a";
const SECOND_WEBHOOK = "6b03063d80849b0e70d2bdc2";
const connection = (id: string): Item => ({ id, name: "lab", host: "http://127.0.0.1:8123", username: "default" });

/** What happened to the stack between recordings, unrecorded: before the exchange of that number. */
const UNRECORDED: Readonly<Record<number, (state: State) => void>> = {
  334(state) {
    state.connections.push(connection(CONNECTION_IN_USE));
    state.sources.push(...shownBy(335));
  },
  350(state) {
    state.sources = state.sources.filter(({ id }) => id !== shownBy(335)[0]?.id);
  },
  463(state) {
    state["saved-searches"].push(...shownBy(463));
  },
  488(state) {
    state.webhooks.push({ id: SECOND_WEBHOOK, name: "second", url: "https://example.com/2", service: "generic" });
  },
  525(state) {
    state.sources.push({ ...shownBy(350)[0], id: SOURCE_IN_USE, name: "Used" }, ...shownBy(526));
    state["saved-searches"].push(...shownBy(527));
    state.dashboards.push(...shownBy(528));
    state.alerts.push(...shownBy(529), ...shownBy(530));
  },
  534(state) {
    state.connections.push(connection(CONNECTION_OF_TILE));
    state.dashboards.push(item.parse(recorded(535).request.body));
  },
  // The last recordings are of another stack, an empty one.
  570: (state) => Object.assign(state, emptyState()),
};

/** What no answer shows, after the exchange of that number, by the id of its record. */
const HIDDEN: Readonly<Record<number, { readonly kind: Kind; readonly id: string; readonly holds: object }>> = {
  307: { kind: "connections", id: "6b03060c80849b0e70d2bc11", holds: { password: "example-password" } },
  323: { kind: "connections", id: "6b03060c80849b0e70d2bc32", holds: { password: undefined } },
  324: { kind: "connections", id: "6b03060c80849b0e70d2bc11", holds: { password: "example-password" } },
  325: { kind: "connections", id: "6b03060c80849b0e70d2bc11", holds: { password: "example-password" } },
  327: { kind: "connections", id: "6b03060c80849b0e70d2bc11", holds: { password: "example-password" } },
  404: {
    kind: "webhooks",
    id: "6b03060f80849b0e70d2bd01",
    holds: { headers: { "X-Key": "example" }, queryParams: { team: "ops" } },
  },
  405: {
    kind: "webhooks",
    id: "6b03060f80849b0e70d2bd04",
    holds: { headers: { Authorization: "Bearer example" }, queryParams: { a: "b" }, body: '{"title":"{{title}}"}' },
  },
  420: {
    kind: "webhooks",
    id: "6b03060f80849b0e70d2bd01",
    holds: { headers: { "X-Key": "example" }, queryParams: { team: "ops" } },
  },
  421: { kind: "webhooks", id: "6b03060f80849b0e70d2bd01", holds: { headers: undefined, queryParams: undefined } },
  422: {
    kind: "webhooks",
    id: "6b03060f80849b0e70d2bd04",
    holds: { headers: { Authorization: "Bearer example" }, queryParams: { a: "b" }, body: undefined },
  },
  423: { kind: "webhooks", id: "6b03060f80849b0e70d2bd04", holds: { headers: undefined, queryParams: undefined } },
};

test("every recording is either served or left out with a reason", () => {
  expect(exchanges.length).toBe(222);
  expect(Object.keys(LEFT_OUT)).toEqual([]);
});

describe("one stack answers them in their order, as recorded", () => {
  let state = emptyState();
  state.connections.push(...shownBy(305));
  state.sources.push(...shownBy(382).slice(0, 5));
  state.webhooks.push(...shownBy(400));

  test.each(exchanges)("$file", async (exchange) => {
    const { number, request } = exchange;
    UNRECORDED[number]?.(state);
    await using sandbox = await startSandbox({
      variant: "self-hosted",
      seed: state satisfies SandboxSeed,
      limit: { requests: 100, windowMs: 60_000 },
      credentials: { apiKey: ACCESS_KEY },
      // A moment of its own for each, so that the times can be told apart.
      now: () => Date.UTC(2027, 0, 1) + number,
    });
    const expected = z.custom<NumberedExchange>().parse(rewritten(exchange, new Map([[LAB_USER, OWN_USER]])));
    const body = await expectAnswer(await send(sandbox.url, request), expected, state);

    // The next exchange names what this one made by the recorded ids and times.
    const renamed = rewritten(sandbox.stored(), namesIn(body, expected.response.body));
    state = z.custom<State>().parse(renamed);
    const hidden = HIDDEN[number];
    if (hidden === undefined) return;
    const record = state[hidden.kind].find(({ id }) => id === hidden.id);
    expect({ ...hidden.holds, ...record }).toMatchObject(hidden.holds);
    for (const [member, content] of Object.entries(hidden.holds)) expect(record?.[member]).toEqual(content);
  });
});

function emptyState(): State {
  return { dashboards: [], alerts: [], sources: [], webhooks: [], pipes: [], connections: [], "saved-searches": [] };
}

function recorded(number: number): NumberedExchange {
  const exchange = exchanges.find((each) => each.number === number);
  if (exchange === undefined) throw new Error(`there is no recording ${number}`);
  return exchange;
}

function shownBy(number: number): Item[] {
  return structuredClone(answered.parse(recorded(number).response.body).data);
}

/** The texts of an answer that stand for other ones in the recording. */
function namesIn(answer: unknown, recording: unknown, names = new Map<string, string>()): ReadonlyMap<string, string> {
  if (typeof answer === "string" && typeof recording === "string") {
    if (answer !== recording) names.set(answer, recording);
  } else if (isObject(answer) && isObject(recording)) {
    for (const [member, content] of Object.entries(answer)) namesIn(content, recording[member], names);
  }
  return names;
}

function rewritten(value: unknown, names: ReadonlyMap<string, string>): unknown {
  const text = [...names].reduce((before, [from, to]) => before.replaceAll(from, to), JSON.stringify(value));
  return JSON.parse(text);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
