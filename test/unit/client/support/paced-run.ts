import { createPacer } from "../../../../src/client/pacing/pacer.ts";
import type { ReportedLimit } from "../../../../src/client/pacing/limit.ts";
import { readRequest } from "./clients.ts";
import { virtualClock, type VirtualClock } from "./clocks.ts";
import { limitedServer, type LimitedServer, type LimitedServerOptions } from "./limited-server.ts";

/**
 * Another client of the same limit: `steady` sends half of the allowed requests evenly, whatever the answers; `twin` sends as many
 * as it can, by this program.
 */
export type Neighbour = "none" | "steady" | "twin";

/** What the stack did in a number of windows. They begin after the window of the first refusal, or after the first window. */
export interface PacedRun {
  /** The accepted requests, as a part of those that the limit and the other client leave. */
  readonly share: number;
  /** Number of refused requests that were sent after the first refusal was known, up to the end of these windows. */
  readonly refusals: number;
  /** The number of them in that of these windows that has most; the window of the first refusal is not one of them. */
  readonly mostInWindow: number;
}

/** Sends requests without end, four at a time, to a server that limits them, in simulated time. */
export async function pacedRun(server: LimitedServerOptions, neighbour: Neighbour, windows = 5): Promise<PacedRun> {
  const clock = virtualClock(1_700_000_003_700);
  const { requests, windowMs } = server;
  const stack = limitedServer(clock, server);
  const sent: Sent[] = [];
  let refusal: Sent | undefined;
  const firstRefusal = (): Sent | undefined => (refusal ??= sent.find(({ status }) => status === 429));
  const from = (): number => endOfWindow(sent[0]?.at ?? clock.now(), firstRefusal()?.at, server);
  const until = (): number => from() + windows * windowMs;
  const isDone = (): boolean => clock.now() > until() + windowMs;
  const others: Sent[] = [];
  await clock.drive(
    Promise.all([
      pacedClient(clock, stack, sent, isDone),
      neighbour === "twin" && pacedClient(clock, stack, others, isDone),
      neighbour === "steady" && steadyClient(clock, stack, others, { isDone, everyMs: (2 * windowMs) / requests }),
    ]),
  );
  const accepted = (all: readonly Sent[]): number =>
    all.filter(({ status, at }) => status === 200 && at >= from() && at < until()).length;
  const knownAt = firstRefusal()?.endedAt ?? Infinity;
  const refused = sent.filter(({ status, at, startedAt }) => status === 429 && startedAt > knownAt && at < until());
  const numbers = refused.map(({ at }) => Math.floor((at - from()) / windowMs)).filter((number) => number >= 0);
  return {
    share: accepted(sent) / (windows * requests - accepted(others)),
    refusals: refused.length,
    mostInWindow: Math.max(0, ...numbers.map((number) => numbers.filter((other) => other === number).length)),
  };
}

/** Returns the end of the server's window that contains a time. */
function endOfWindow(firstAt: number, time = firstAt, { windowMs, aligned = false }: LimitedServerOptions): number {
  const since = aligned ? 0 : firstAt;
  return since + (Math.floor((time - since) / windowMs) + 1) * windowMs;
}

/** A request. The server decides on it at `at`. */
interface Sent {
  readonly startedAt: number;
  readonly at: number;
  readonly endedAt: number;
  readonly status: number;
}

async function send(clock: VirtualClock, stack: LimitedServer, sent: Sent[]): Promise<ReportedLimit> {
  const startedAt = clock.now();
  const reported = await stack.request();
  const endedAt = clock.now();
  sent.push({ startedAt, at: (startedAt + endedAt) / 2, endedAt, status: reported.status });
  return reported;
}

async function pacedClient(
  clock: VirtualClock,
  stack: LimitedServer,
  sent: Sent[],
  isDone: () => boolean,
): Promise<void> {
  const concurrency = 4;
  const pacer = createPacer({ concurrency, clock, events: () => {} });
  const work = async (): Promise<void> => {
    while (!isDone()) {
      const end = await pacer.start(readRequest);
      end(await send(clock, stack, sent));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

async function steadyClient(
  clock: VirtualClock,
  stack: LimitedServer,
  sent: Sent[],
  { isDone, everyMs }: { readonly isDone: () => boolean; readonly everyMs: number },
): Promise<void> {
  while (!isDone()) {
    const startedAt = clock.now();
    await send(clock, stack, sent);
    await clock.sleep(everyMs - (clock.now() - startedAt));
  }
}
