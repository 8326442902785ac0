import nock from "nock";
import { afterAll, afterEach, beforeAll } from "vitest";
import { z } from "zod";
import { createStackClient } from "../../src/client/stack-client.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { StackClient } from "../../src/core/ports.ts";
import { findKind } from "../../src/kinds/registry.ts";
import { instantClock } from "./instant-clock.ts";
import type { RecordedExchange } from "./recorded-exchanges.ts";
import { ACCESS_KEY, recordedExchanges } from "./recorded-exchanges.ts";

const HOST = "http://stack.test:8000";

const json = z.custom<JsonObject>((value) => z.looseObject({}).safeParse(value).success);
const answerBody = z.union([z.string(), json]);

/** A recording whose answer the client can be given. */
export type Replayable = RecordedExchange & { readonly response: { readonly body: string | JsonObject } };

export function replayableExchanges(): readonly Replayable[] {
  return recordedExchanges().map((each) => ({
    ...each,
    response: { ...each.response, body: answerBody.parse(each.response.body) },
  }));
}

/** For the tests of a file: nothing leaves the machine, and nothing that was replayed is left for the next test. */
export function replayAlone(): void {
  beforeAll(() => {
    // Files share a process, and another one may have ended with nock put away.
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  afterEach(() => nock.cleanAll());
  afterAll(() => {
    nock.enableNetConnect();
    nock.restore();
  });
}

export function clientFor(): StackClient {
  const identity = { variant: "self-hosted", baseUrl: HOST } as const;
  return createStackClient({
    identity,
    credential: { apiKey: ACCESS_KEY },
    allowHttp: true,
    clock: instantClock(),
    retryBudgetMs: 0,
  });
}

/** Replays a recorded answer to the request that the client is expected to make. */
export function replay({ request, response }: Replayable): nock.Scope {
  const [path = ""] = request.path.split("?");
  const body = bodyOf(request.body);
  return nock(HOST, { reqheaders: { authorization: `Bearer ${ACCESS_KEY}`, accept: "application/json" } })
    .intercept(path, request.method, body)
    .query(true)
    .reply(response.status, response.body, response.headers);
}

/** The client cannot send what is no JSON object (recording 63), so it sends an empty one there. */
function bodyOf(recorded: unknown): JsonObject | undefined {
  return recorded === undefined ? undefined : (json.safeParse(recorded).data ?? {});
}

/** Calls the client's operation behind a recorded request. */
export async function perform(client: StackClient, { request }: Replayable): Promise<unknown> {
  const [path = ""] = request.path.split("?");
  const [resource = "", id = ""] = path.replace("/api/v2/", "").split("/");
  const body = bodyOf(request.body) ?? {};
  if (resource === "charts") return client.querySeries(z.any().parse(body));
  const kind = findKind(resource);
  if (kind === undefined) throw new Error(`no kind ${resource}`);
  if (id === "validate" && request.method === "POST") return client.validate(kind, body);
  if (request.method === "POST") return client.create(kind, body);
  if (request.method === "PUT") return client.update(kind, id, body);
  if (request.method === "DELETE") return client.delete(kind, id);
  if (id !== "") return client.get(kind, id);
  const records: unknown[] = [];
  for await (const page of client.list(kind)) records.push(...page.map(({ value }) => value));
  return records;
}

/** The server's own words, in whichever form it put them, as they are told: without control characters. */
export function wordsOf({ response: { body } }: Replayable): string {
  const words = typeof body === "string" ? body : (body["message"] ?? body["error"]);
  if (typeof words === "string") return words.replaceAll(/\p{Cc}/gu, "");
  throw new Error("the recording is not as expected");
}
