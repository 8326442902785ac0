import { describe, expect, test } from "vitest";
import { pluralize } from "../../../../src/core/text/format.ts";
import type { ReportedLimit } from "../../../../src/client/pacing/limit.ts";
import { createPacer, type Pacer, type PacerOptions } from "../../../../src/client/pacing/pacer.ts";
import type { RunEvent } from "../../../../src/core/events.ts";
import type { Clock } from "../../../../src/core/ports.ts";
import { readRequest } from "../support/clients.ts";
import { virtualClock } from "../support/clocks.ts";
import { limitedServer, type LimitedServer, type LimitedServerOptions } from "../support/limited-server.ts";

/** Sends one request when the pacer allows it. Returns true if the server accepted it. */
async function attempt(
  pacer: Pacer,
  respond: () => Promise<ReportedLimit | undefined>,
  signal?: AbortSignal,
): Promise<boolean> {
  const end = await pacer.start(readRequest, signal);
  const reported = await respond();
  end(reported);
  return reported?.status === 200;
}

/** Returns an operation that repeats a request until the server accepts it. */
function sender(pacer: Pacer, stack: LimitedServer): () => Promise<void> {
  return async () => {
    while (!(await attempt(pacer, () => stack.request())));
  };
}

function quietPacer(clock: Clock, concurrency = 4): Pacer {
  return createPacer({ concurrency, clock, events: () => {} });
}

/** Runs an operation in one of the pacer's slots. */
async function inSlot(pacer: Pacer, operation: () => Promise<void>): Promise<void> {
  const free = await pacer.takeSlot();
  await operation().finally(free);
}

/** Sends `count` requests, each until the server accepts it, and returns what the server received. */
async function run(count: number, server: LimitedServerOptions, options: Partial<PacerOptions> = {}) {
  const clock = virtualClock();
  const stack = limitedServer(clock, server);
  const events: RunEvent[] = [];
  const pacer = createPacer({ concurrency: 4, clock, events: (event) => events.push(event), ...options });
  const send = sender(pacer, stack);
  const since = clock.now();
  await clock.drive(Promise.all(Array.from({ length: count }, () => inSlot(pacer, send))));
  const seconds = (clock.now() - since) / 1000;
  const refusals = stack.statuses.filter((status) => status === 429).length;
  return { stack, events, seconds, refusals, pacer };
}

/** Latencies from 5 to 400 ms, the same on every run. */
const uneven = (count: number): number => 5 + ((count * 7919) % 396);

describe("pacing against a stack that announces 100 requests per 60 s", () => {
  const limit = { requests: 100, windowMs: 60_000, headers: true };

  test.each([
    ["even", { ...limit }],
    ["uneven answers", { ...limit, latency: uneven }],
    ["windows by the clock", { ...limit, latency: uneven, aligned: true }],
    ["slow answers", { ...limit, latency: (count: number) => (count % 10 === 0 ? 9000 : 100) }],
  ])("450 requests are never refused and need no extra window (%s)", async (_, server) => {
    const { refusals, seconds, stack } = await run(450, server);
    expect(stack.statuses).toHaveLength(450);
    expect(refusals).toBe(0);
    expect(seconds).toBeLessThan(5 * 60);
  });

  test("20 concurrent requests are not refused either", async () => {
    const { refusals } = await run(450, { ...limit, latency: uneven }, { concurrency: 20 });
    expect(refusals).toBe(0);
  });

  test("a server that rounds the reset down refuses two requests", async () => {
    const { refusals } = await run(650, { ...limit, windowMs: 60_900, round: Math.floor });
    expect(refusals).toBe(2);
  });

  test("a wait event names the reason and the length of the wait", async () => {
    const { events, stack, pacer } = await run(150, limit, { concurrency: 1 });
    expect(events).toMatchObject([{ type: "wait", reason: "the stack's limit of 100 requests is used up" }]);
    const [last = 0, next = 0] = stack.arrivals.slice(99);
    const waitMs = expect.closeTo(next - last, -2);
    expect(events[0]).toMatchObject({ waitMs });
    expect(pacer.waitedMs()).toBeGreaterThan(50_000);
  });

  test("a budget that other clients have used up costs one refusal per slot", async () => {
    const clock = virtualClock();
    const stack = limitedServer(clock, limit);
    await clock.drive(Promise.all(Array.from({ length: 100 }, () => stack.request())));
    const pacer = quietPacer(clock);
    const send = sender(pacer, stack);
    await clock.drive(Promise.all(Array.from({ length: 50 }, () => inSlot(pacer, send))));
    expect(stack.statuses.filter((status) => status === 429)).toHaveLength(4);
  });
});

describe("pacing against a stack that allows 10 requests per 10 s without rate limit headers", () => {
  const limit = { requests: 10, windowMs: 10_000, headers: false };

  test.each([
    ["even", limit],
    ["uneven answers", { ...limit, latency: uneven }],
    ["windows by the clock", { ...limit, latency: uneven, aligned: true }],
  ])("after the first burst at most 5 %% are refused, with little loss of time (%s)", async (_, server) => {
    const { refusals, stack, seconds } = await run(200, server);
    const firstBurst = stack.statuses.slice(0, 14).filter((status) => status === 429).length;
    expect(firstBurst).toBeGreaterThan(0);
    expect((refusals - firstBurst) / (stack.statuses.length - 14)).toBeLessThanOrEqual(0.05);
    expect(seconds).toBeLessThan(240);
  });

  test.each([
    ["100 per 60 s", { requests: 100, windowMs: 60_000 }],
    ["uneven answers", { requests: 100, windowMs: 60_000, latency: uneven }],
    ["windows by the clock", { requests: 100, windowMs: 60_000, aligned: true }],
    ["100 per 3 s", { requests: 100, windowMs: 3000 }],
    ["60 per 30 s", { requests: 60, windowMs: 30_000 }],
  ])("another window is learned, and at most 5 %% are refused after the first window (%s)", async (_, limit) => {
    const { stack } = await run(600, { ...limit, headers: false });
    const firstEnds = (stack.arrivals[stack.statuses.indexOf(429)] ?? 0) + limit.windowMs;
    const later = stack.statuses.filter((_status, index) => (stack.arrivals[index] ?? 0) > firstEnds);
    const refusals = later.filter((status) => status === 429).length;
    expect(refusals / later.length).toBeLessThanOrEqual(0.05);
  });

  test("after a refusal before any accepted request, one probe at a time is sent", async () => {
    const clock = virtualClock();
    const stack = limitedServer(clock, limit);
    await clock.drive(Promise.all(Array.from({ length: 10 }, () => stack.request())));
    const pacer = quietPacer(clock);
    const send = sender(pacer, stack);
    await clock.drive(Promise.all(Array.from({ length: 4 }, () => inSlot(pacer, send))));
    // The server refuses four requests at once, then one probe after 1 s, 2 s and 5 s each. Before the next one, the window is over.
    const refusals = stack.arrivals.filter((_, index) => stack.statuses[index] === 429);
    const [first = 0, , , , ...probes] = refusals;
    expect(probes.map((at) => Math.round((at - first) / 1000))).toEqual([1, 2, 5]);
  });
});

describe("the user's own rate limit", () => {
  test.each([
    [{ requests: 10, perMs: 10_000 }, 41],
    [{ requests: 3, perMs: 200 }, 20],
    [{ requests: 1, perMs: 1000 }, 6],
  ])("%o: no window has more requests than the limit", async (rate, count) => {
    const server = { requests: 1e9, windowMs: 1000, headers: false, latency: () => 0 };
    const { stack, seconds, events } = await run(count, server, { rate, concurrency: 8 });
    const { arrivals } = stack;
    for (const [index, at] of arrivals.entries()) {
      const later = arrivals[index + rate.requests];
      if (later !== undefined) expect(later - at).toBeGreaterThan(rate.perMs);
    }
    expect(seconds).toBeLessThan(((count / rate.requests) * rate.perMs * 1.03) / 1000 + 0.1);
    expect(events[0]).toMatchObject({
      reason: `your own limit of ${pluralize(rate.requests, "request")} per ${rate.perMs / 1000} s`,
    });
  });
});

describe("the pacer under any limit", () => {
  test("runs no more requests at a time than its concurrency", async () => {
    const clock = virtualClock();
    const pacer = quietPacer(clock, 3);
    let now = 0;
    let most = 0;
    const operation = async (): Promise<void> => {
      most = Math.max(most, (now += 1));
      await clock.sleep(10);
      now -= 1;
    };
    await clock.drive(Promise.all(Array.from({ length: 20 }, () => inSlot(pacer, operation))));
    expect(most).toBe(3);
  });

  test("a wait of more than 15 minutes is an error that names the wait", async () => {
    const clock = virtualClock();
    const pacer = quietPacer(clock);
    const send = (reported: ReportedLimit) => attempt(pacer, async () => reported);
    await send({ status: 429, limits: { limit: 10, remaining: 0, resetMs: 16 * 60_000 } });
    await expect(send({ status: 200, limits: {} })).rejects.toMatchObject({
      code: "rate-limited",
      message: expect.stringContaining("16 minutes"),
      failure: { applied: "no" },
    });
  });

  test("the signal ends a wait, and the next waiting request is sent", async () => {
    const clock = virtualClock();
    const pacer = quietPacer(clock);
    const limits = { limit: 10, remaining: 0, resetMs: 60_000 };
    await attempt(pacer, async () => ({ status: 200, limits }));
    const stop = new AbortController();
    const sent: string[] = [];
    const send = (name: string, signal?: AbortSignal) =>
      attempt(
        pacer,
        async () => {
          sent.push(name);
          return { status: 200, limits: {} };
        },
        signal,
      );
    const first = send("first", stop.signal);
    const second = send("second");
    stop.abort();
    await expect(first).rejects.toMatchObject({ code: "interrupted" });
    await clock.drive(second);
    expect(sent).toEqual(["second"]);
  });

  test("a probe without an answer is followed by another probe", async () => {
    const clock = virtualClock();
    const pacer = quietPacer(clock);
    const send = (reported?: ReportedLimit) => clock.drive(attempt(pacer, async () => reported));
    await send({ status: 429, limits: { resetMs: 1000 } });
    await send();
    await expect(send({ status: 200, limits: {} })).resolves.toBe(true);
  });
});
