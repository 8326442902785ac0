import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ErrorCode } from "../../src/core/errors.ts";
import { isJsonObject } from "../../src/core/json.ts";
import type { Replayable } from "../support/replayed.ts";
import { EARLY_EXTENDED, clientFor, exchanges, perform, replay, replayAlone, wordsOf } from "../support/replayed.ts";
import { refusal } from "../unit/client/support/clients.ts";

const recordings = exchanges((number) => (number >= 300 && number < 600) || EARLY_EXTENDED.includes(number));

/** Exchanges that are no operation of the client's, by number. */
const LEFT_OUT: Readonly<Record<number, string>> = {
  300: "the root route is no operation, and its answer holds the access key",
  301: "the team is no kind, and is not asked for",
  302: "the team's members are not asked for: e-mail addresses",
  303: "invitations are not asked for: addresses with tokens",
  401: "a page from the middle of a list; the client begins at the first",
  455: "a page from the middle of a list; the client begins at the first",
  456: "a page past the end of a list, which the client does not ask for",
  550: "not JSON, on a route that nothing of ours asks for",
  551: "a method that the client does not have",
  552: "a route that nothing of ours asks for",
  553: "a route that nothing of ours asks for",
  554: "the client deletes one record, never a collection",
  555: "the client updates one record, never a collection",
  560: "the team is no kind, and is not asked for",
};

/** What a missing router answers; the recordings asked for one that no deployment has. */
const NO_ROUTER = [545, 546, 547, 548, 549];

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: "rejected",
  401: "unauthorized",
  404: "not-found",
  409: "rejected",
};

const isGone = ({ request, response }: Replayable): boolean => request.method === "DELETE" && response.status === 404;
const ours = recordings.filter(({ number }) => LEFT_OUT[number] === undefined);
const routed = ours.filter(({ number }) => !NO_ROUTER.includes(number));
const answered = routed.filter(({ response }) => response.status === 200);
const alreadyGone = routed.filter(isGone);
const refused = routed.filter((each) => each.response.status !== 200 && !isGone(each));
const unrouted = ours.filter(({ number }) => NO_ROUTER.includes(number));

replayAlone();

describe("the recorded answers of the extended API", () => {
  test.each(answered)("$number $name is decoded", async (exchange) => {
    await using client = clientFor();
    const scope = replay(exchange);
    const value = await perform(client, exchange);
    const { data, ...bare } = z.looseObject({}).parse(exchange.response.body);
    const verdict = { valid: bare["valid"], errors: bare["errors"] };
    if (isJsonObject(bare["normalized"])) Object.assign(verdict, { normalized: bare["normalized"] });
    const expected = { POST: data ?? verdict, PUT: data, GET: data, DELETE: undefined }[exchange.request.method];
    expect(value).toEqual(expected);
    expect(scope.isDone()).toBe(true);
    expect(client.requestCounts().total).toBe(1);
  });

  test.each(alreadyGone)("$number $name is success", async (exchange) => {
    await using client = clientFor();
    replay(exchange);
    await expect(perform(client, exchange)).resolves.toBeUndefined();
  });

  test.each(refused)("$number $name is refused with its code and the server's words", async (exchange) => {
    await using client = clientFor();
    replay(exchange);
    const { code, message, failure } = await refusal(perform(client, exchange));
    const { method } = exchange.request;
    expect(code).toBe(CODES[exchange.response.status]);
    expect(message).toContain(wordsOf(exchange));
    expect(failure).toMatchObject({ method, status: exchange.response.status, applied: "no" });
  });

  test.each(unrouted)("$number $name is told as not offered, for a kind of ours", async ({ request, ...rest }) => {
    const path = request.path.replace("/saved-search", "/saved-searches");
    const exchange = { ...rest, request: { ...request, path } };
    await using client = clientFor();
    replay(exchange);
    const { code } = await refusal(perform(client, exchange));
    expect(code).toBe("not-offered");
  });

  test("are all used, or left out for a reason", () => {
    const used = [...answered, ...alreadyGone, ...refused, ...unrouted].map(({ number }) => number);
    const leftOut = recordings.filter(({ number }) => LEFT_OUT[number] !== undefined);
    expect(recordings).toHaveLength(222 + EARLY_EXTENDED.length);
    expect(leftOut.map(({ number }) => number)).toEqual(Object.keys(LEFT_OUT).map(Number));
    expect(new Set(used).size).toBe(recordings.length - leftOut.length);
  });
});
