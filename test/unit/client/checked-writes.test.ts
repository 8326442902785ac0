import { describe, expect, it } from "vitest";
import { createRecordDecoder } from "../../../src/client/envelope.ts";
import { normaliseClientOptions, type StackClientOptions } from "../../../src/client/options.ts";
import type { LimitHeaders } from "../../../src/client/pacing/limit-headers.ts";
import { RequestSender } from "../../../src/client/request-sender.ts";
import type { StackRequest } from "../../../src/client/request.ts";
import type { Transport } from "../../../src/client/transport.ts";
import { StackferryError } from "../../../src/core/errors.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { LookBeforeWrite } from "../../../src/core/ports.ts";
import { readRequest } from "./support/clients.ts";
import { virtualClock } from "./support/clocks.ts";
import { limitedServer, type LimitedServerOptions } from "./support/limited-server.ts";

const decode = createRecordDecoder("self-hosted");
const pathOf = (id: number): Pick<StackRequest, "path" | "url"> => ({ path: `/${id}`, url: `http://stack.test/${id}` });
const readOf = (id: number): StackRequest => ({ ...readRequest, ...pathOf(id) });
const writeOf = (id: number): StackRequest => ({ ...readOf(id), method: "PUT", writes: true, body: "{}" });

/** A request as the server received it, and when its answer was back. */
interface Seen {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly from: number;
  readonly to: number;
}

/** What the network does to a write: `refused` (429), `lost` (carried out, no answer) or `failed` (500, not carried out). */
type Fault = "refused" | "lost" | "failed";

/** Sends checked writes to a stack that holds one number per record; a write sets it to 1. */
function stage(server: Partial<LimitedServerOptions> = {}, options: Partial<StackClientOptions> = {}) {
  const clock = virtualClock();
  const limited = limitedServer(clock, { requests: Infinity, windowMs: 1000, headers: false, ...server });
  const seen: Seen[] = [];
  const values = new Map<string, number>();
  const faults: Fault[] = [];
  const transport: Transport = async function* (request) {
    const { method, path } = request;
    const from = clock.now();
    const { status, limits } = await limited.request();
    const fault = request.writes && status === 200 ? faults.shift() : undefined;
    const answered = fault === "refused" ? 429 : fault === "failed" ? 500 : status;
    seen.push({ method, path, status: answered, from, to: clock.now() });
    if (request.writes && answered === 200) values.set(path, 1);
    if (fault === "lost") throw new TypeError("the connection was reset");
    const text = JSON.stringify(answered === 200 ? { data: { id: path, value: values.get(path) ?? 0 } } : {});
    yield* [];
    return { status: answered, headers: headersOf(limits), text };
  };
  const identity = { variant: "self-hosted", baseUrl: "http://stack.test" } as const;
  const settings = { identity, credential: { apiKey: "KEY-OF-THIS-TEST" }, clock, random: () => 1, ...options };
  const sender = new RequestSender(normaliseClientOptions(settings), transport, (text) => text);
  const send = (id: number, look: LookBeforeWrite): Promise<JsonObject> =>
    sender.sendChecked({
      read: readOf(id),
      write: writeOf(id),
      decodeRecord: decode,
      decode,
      mayBeGone: false,
      look,
      signal: undefined,
    });
  return { clock, seen, values, faults, send };
}

function headersOf({ limit, remaining, resetMs, retryAfterMs }: LimitHeaders): Headers {
  const headers = new Headers();
  if (limit !== undefined) headers.set("ratelimit-limit", String(limit));
  if (remaining !== undefined) headers.set("ratelimit-remaining", String(remaining));
  if (resetMs !== undefined) headers.set("ratelimit-reset", String(resetMs / 1000));
  if (retryAfterMs !== undefined) headers.set("retry-after", String(retryAfterMs / 1000));
  return headers;
}

const always: LookBeforeWrite = () => "send";

/** Refuses a record that no longer has the value 0; takes the value 1 for the result of an attempt without an answer. */
const refuseEdited: LookBeforeWrite = (now, mayBeWritten) => {
  if (now?.["value"] === 0) return "send";
  if (mayBeWritten && now?.["value"] === 1) return "done";
  throw new StackferryError("changed-since", "edited");
};

describe("a write that looks at its record first", () => {
  it.each<[string, Partial<LimitedServerOptions>, Partial<StackClientOptions>]>([
    ["60 per 10 s, announced", { requests: 60, windowMs: 10_000, headers: true }, {}],
    ["60 per 10 s, not announced", { requests: 60, windowMs: 10_000 }, {}],
    ["100 per minute, announced", { requests: 100, windowMs: 60_000, headers: true }, {}],
    ["10 per 10 s, not announced, 20 at a time", { requests: 10, windowMs: 10_000 }, { concurrency: 20 }],
    ["--rate 60/10s", {}, { rate: { requests: 60, perMs: 10_000 } }],
    ["--rate 7/1s", {}, { rate: { requests: 7, perMs: 1000 } }],
  ])("follows its look at once, whatever the limit: %s", async (_, server, options) => {
    const { clock, seen, send } = stage(server, options);
    const count = 120;
    await clock.drive(Promise.all(Array.from({ length: count }, (_each, id) => send(id, always))));
    const writes = seen.filter(({ method, status }) => method === "PUT" && status === 200);
    expect(writes).toHaveLength(count);
    const gaps = writes.map((write) => {
      const look = seen.findLast(({ method, path, to }) => method === "GET" && path === write.path && to <= write.from);
      return write.from - (look?.to ?? -Infinity);
    });
    expect(Math.max(...gaps)).toBe(0);
    // Each refused request costs one request, and a refused write another look.
    const refusals = seen.filter(({ status }) => status === 429).length;
    expect(seen.length).toBeLessThanOrEqual(2 * count + 2 * refusals);
  });

  it("is the next request after one more look where the stack takes one request at a time", async () => {
    const { clock, seen, send } = stage({}, { rate: { requests: 1, perMs: 1000 } });
    await clock.drive(Promise.all([1, 2, 3, 4, 5].map((id) => send(id, always))));
    for (const [index, { method, path }] of seen.entries()) {
      if (method === "PUT") expect(seen[index - 1]).toMatchObject({ method: "GET", path });
    }
    expect(seen).toHaveLength(3 * 5);
  });

  it.each<[Fault, string[]]>([
    ["refused", ["GET", "PUT", "GET", "PUT"]],
    ["failed", ["GET", "PUT", "GET", "PUT"]],
    ["lost", ["GET", "PUT", "GET"]],
  ])("looks again before it is repeated (%s)", async (fault, methods) => {
    const { clock, seen, faults, send } = stage({ requests: 100, headers: true });
    faults.push(fault);
    expect(await clock.drive(send(1, refuseEdited))).toMatchObject({ value: 1 });
    expect(seen.map(({ method }) => method)).toEqual(methods);
  });

  it.each<Fault>(["refused", "failed", "lost"])("is not repeated onto an edit made meanwhile (%s)", async (fault) => {
    const { clock, seen, values, faults, send } = stage();
    faults.push(fault);
    const looks: boolean[] = [];
    const sending = send(1, (now, mayBeWritten) => {
      looks.push(mayBeWritten);
      if (looks.length === 2) values.set("/1", 7);
      return refuseEdited(looks.length === 2 ? { value: 7 } : now, mayBeWritten);
    });
    await expect(clock.drive(sending)).rejects.toMatchObject({ code: "changed-since" });
    expect(looks).toEqual([false, fault !== "refused"]);
    expect(seen.filter(({ method }) => method === "PUT")).toHaveLength(1);
    expect(values.get("/1")).toBe(7);
  });

  it("has an unknown result if the looks after a lost answer fail, too", async () => {
    const { clock, faults, send } = stage({}, { retryBudgetMs: 1 });
    faults.push("lost");
    await expect(clock.drive(send(1, always))).rejects.toMatchObject({ failure: { applied: "unknown" } });
  });
});
