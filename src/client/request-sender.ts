import type { ListedRecord, RequestCounts } from "../core/ports.ts";
import type { Variant } from "../core/records/record.ts";
import type { Decode, ListResponse } from "./envelope.ts";
import { decodeList, openEnvelope, payloadMember } from "./envelope.ts";
import type { CredentialMask } from "./error-body.ts";
import type { Attempt } from "./failures.ts";
import { interruptionError, responseFailure, throwIfInterrupted } from "./failures.ts";
import { networkFailure } from "./network-failure.ts";
import type { ClientSettings } from "./options.ts";
import type { Reported } from "./pacing/limit.ts";
import { readLimitHeaders } from "./pacing/limit-headers.ts";
import { createPacer } from "./pacing/pacer.ts";
import type { StackRequest, StackResponse } from "./request.ts";
import { createRetry } from "./retry.ts";
import type { Transport } from "./transport.ts";

/** Yields the records of a list as they arrive, then returns the result. Operations on one record yield nothing. */
type Exchange<T> = AsyncGenerator<readonly ListedRecord[], T>;

/** Creates a sender of requests through all layers: slots, retries, limits, HTTP, envelope. */
export function createRequestSender(settings: ClientSettings, transport: Transport, maskCredentials: CredentialMask) {
  const { clock, random, events, retryBudgetMs } = settings;
  const counts = { total: 0, retried: 0, rateLimited: 0, backedOffMs: 0 };
  const pacer = createPacer(settings);
  let reached = false;
  const retry = createRetry({
    retryBudgetMs,
    clock: {
      now: () => clock.now(),
      sleep: async (ms, signal) => {
        const since = clock.now();
        await clock.sleep(ms, signal).finally(() => (counts.backedOffMs += clock.now() - since));
      },
    },
    random,
    events: (event) => {
      if (event.type === "retry") counts.retried += 1;
      events(event);
    },
    delayMs: () => pacer.delayMs(),
    wasReached: () => reached,
  });

  /** Counts a response, and returns its status and limit headers for the pacer. */
  const noteResponse = (
    { method, path }: StackRequest,
    { status, headers }: StackResponse,
    since: number,
  ): Reported => {
    const now = clock.now();
    reached = true;
    if (status === 429) counts.rateLimited += 1;
    events({ type: "request", method, path, status, ms: now - since });
    return { status, limits: readLimitHeaders(headers, now) };
  };

  async function* attempt<T>(
    request: StackRequest,
    decode: Decode<T>,
    signal?: AbortSignal,
    listMember?: string,
  ): Exchange<Attempt<T>> {
    const end = await pacer.start(request, signal);
    const since = clock.now();
    let reported: Reported | undefined;
    counts.total += 1;
    try {
      let response: StackResponse;
      try {
        response = yield* transport(request, signal, listMember);
      } catch (thrown) {
        const { method, path, writes } = request;
        if (signal?.aborted && !writes) throw interruptionError(signal, `${method} ${path} was cancelled`);
        return { ok: false, ...networkFailure(request, thrown, maskCredentials), ms: clock.now() - since };
      }
      reported = noteResponse(request, response, since);
      const isSuccess = response.status >= 200 && response.status < 300;
      const result = isSuccess
        ? openEnvelope(request, response, decode, maskCredentials)
        : ({ ok: false, ...responseFailure(request, response, maskCredentials, clock.now()) } as const);
      return { ...result, ms: clock.now() - since };
    } finally {
      end(reported);
    }
  }

  async function* exchange<T>(
    request: StackRequest,
    decode: Decode<T>,
    signal?: AbortSignal,
    listMember?: string,
  ): Exchange<T> {
    const freeSlot = await pacer.takeSlot();
    try {
      throwIfInterrupted(signal, `${request.method} ${request.path} was not sent`);
      const pauseAfter = retry(request, signal);
      for (;;) {
        const result = yield* attempt(request, decode, signal, listMember);
        if (result.ok) return result.value;
        await pauseAfter(result);
      }
    } finally {
      freeSlot();
    }
  }

  return {
    send: <T>(request: StackRequest, decode: Decode<T>, signal?: AbortSignal) =>
      resultOf(exchange(request, decode, signal)),
    /** Yields a list's records. If an attempt fails halfway, the next attempt yields the same records again. */
    sendForList: (request: StackRequest, variant: Variant, signal?: AbortSignal): Exchange<ListResponse> =>
      exchange(request, decodeList(variant), signal, payloadMember(variant)),
    counts: (): RequestCounts => {
      const { backedOffMs, ...numbers } = counts;
      return { ...numbers, waitedMs: pacer.waitedMs() + backedOffMs };
    },
  };
}

async function resultOf<T>(exchange: Exchange<T>): Promise<T> {
  for (;;) {
    const step = await exchange.next();
    if (step.done === true) return step.value;
  }
}
