import type { ListedRecord, RequestCounts } from "../domain/ports.ts";
import type { Variant } from "../domain/record.ts";
import { answerFailure } from "./answer-failure.ts";
import type { Attempt } from "./attempt.ts";
import type { ClientSettings } from "./options.ts";
import { decodeList, openEnvelope, payloadMember } from "./envelope.ts";
import type { Decode, ListAnswer } from "./envelope.ts";
import type { Scrub } from "./excerpt.ts";
import { handOver } from "./hand-over.ts";
import { interruption, throwIfInterrupted } from "./interruption.ts";
import { readLimitHeaders } from "./pacing/limit-headers.ts";
import { networkFailure } from "./network-failure.ts";
import { createPacer } from "./pacing/pacer.ts";
import { createRetry } from "./retry.ts";
import type { Answer, StackRequest } from "./stack-request.ts";
import type { ListTaker, Transport } from "./transport.ts";

/** Sends requests through all layers: places, retries, limits, HTTP, envelope. */
export interface RequestSender {
  send<T>(request: StackRequest, decode: Decode<T>, signal?: AbortSignal): Promise<T>;
  /**
   * The same for a list: its records, as they arrive, and then what is around them. A try that fails halfway is followed by one
   * that gives records anew.
   */
  sendForList(
    request: StackRequest,
    variant: Variant,
    signal?: AbortSignal,
  ): AsyncGenerator<readonly ListedRecord[], ListAnswer>;
  counts(): RequestCounts;
}

/** Puts the layers together: an operation takes a place, tries, and each try waits for the limits. */
export function createRequestSender(settings: ClientSettings, transport: Transport, scrub: Scrub): RequestSender {
  const { clock, random, events, patienceMs } = settings;
  const counts = { total: 0, retried: 0, rateLimited: 0, backedOffMs: 0 };
  const pacer = createPacer(settings);
  let answered = false;
  const retry = createRetry({
    patienceMs,
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
    heldForMs: () => pacer.heldForMs(),
    hasAnswered: () => answered,
  });

  const tryOnce = async <T>(
    request: StackRequest,
    decode: Decode<T>,
    signal?: AbortSignal,
    list?: ListTaker,
  ): Promise<Attempt<T>> => {
    const { method, path } = request;
    const since = clock.now();
    counts.total += 1;
    let answer: Answer;
    try {
      answer = await transport(request, signal, list);
    } catch (thrown) {
      if (signal?.aborted && !request.writes) throw interruption(signal, `${method} ${path} was taken back`);
      return { ok: false, ...networkFailure(request, thrown, scrub), ms: clock.now() - since };
    }
    answered = true;
    const now = clock.now();
    const { status } = answer;
    if (status === 429) counts.rateLimited += 1;
    events({ type: "request", method, path, status, ms: now - since });
    const heard = { status, limits: readLimitHeaders(answer.headers, now) };
    const ok = status >= 200 && status < 300;
    const result = ok
      ? openEnvelope(request, answer, decode, scrub)
      : ({ ok, ...answerFailure(request, answer, scrub, now) } as const);
    return { ...result, heard, ms: now - since };
  };

  const send: <T>(request: StackRequest, decode: Decode<T>, signal?: AbortSignal, list?: ListTaker) => Promise<T> = (
    request,
    decode,
    signal,
    list,
  ) =>
    pacer.run(() => {
      throwIfInterrupted(signal, `${request.method} ${request.path} was not sent`);
      return retry(request, signal, () => pacer.send(request, signal, () => tryOnce(request, decode, signal, list)));
    });

  return {
    send: (request, decode, signal) => send(request, decode, signal),
    sendForList: (request, variant, signal) => {
      const member = payloadMember(variant);
      return handOver((give, left) => send(request, decodeList(variant), left, { member, give }), signal);
    },
    counts: () => ({
      total: counts.total,
      retried: counts.retried,
      rateLimited: counts.rateLimited,
      waitedMs: pacer.waitedMs() + counts.backedOffMs,
    }),
  };
}
