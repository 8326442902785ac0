import type { JsonObject } from "../core/json.ts";
import type { ListedRecord, LookBeforeWrite, RequestCounts } from "../core/ports.ts";
import type { Variant } from "../core/records/record.ts";
import { PAYLOAD_MEMBER, createListDecoder, openEnvelope, type Decode, type ListResponse } from "./envelope.ts";
import type { CredentialMask } from "./error-body.ts";
import { interruptionError, responseFailure, throwIfInterrupted, type Attempt } from "./failures.ts";
import { networkFailure } from "./network-failure.ts";
import type { ClientSettings } from "./options.ts";
import type { ReportedLimit } from "./pacing/limit.ts";
import { readLimitHeaders } from "./pacing/limit-headers.ts";
import { createPacer, type EndAttempt, type Pacer } from "./pacing/pacer.ts";
import type { StackRequest, StackResponse } from "./request.ts";
import { createRetry, type Retry } from "./retry.ts";
import type { Transport } from "./transport.ts";

type Exchange<T> = AsyncGenerator<readonly ListedRecord[], T>;

interface Operation<T> {
  readonly request: StackRequest;
  readonly decode: Decode<T>;
  readonly signal: AbortSignal | undefined;
  readonly listMember?: string;
}

export interface CheckedWrite {
  readonly read: StackRequest;
  readonly write: StackRequest;
  readonly decodeRecord: Decode<JsonObject>;
  readonly decode: Decode<JsonObject>;
  /** A missing record does not stop the write. */
  readonly mayBeGone: boolean;
  readonly look: LookBeforeWrite;
  readonly signal: AbortSignal | undefined;
}

export class RequestSender {
  readonly #settings: ClientSettings;
  readonly #transport: Transport;
  readonly #maskCredentials: CredentialMask;
  readonly #pacer: Pacer;
  readonly #retry: Retry;
  readonly #counts = { total: 0, retried: 0, rateLimited: 0, backedOffMs: 0 };
  #reached = false;

  constructor(settings: ClientSettings, transport: Transport, maskCredentials: CredentialMask) {
    this.#settings = settings;
    this.#transport = transport;
    this.#maskCredentials = maskCredentials;
    this.#pacer = createPacer(settings);
    this.#retry = this.#createRetry();
  }

  send<T>(request: StackRequest, decode: Decode<T>, signal?: AbortSignal): Promise<T> {
    return resultOf(this.#exchange(request, signal, () => this.#attempt({ request, decode, signal })));
  }

  /** Waits for room for both requests if possible, so little time passes between read and write. */
  sendChecked(checked: CheckedWrite): Promise<JsonObject> {
    const progress = { mayBeWritten: false };
    return resultOf(this.#exchange(checked.write, checked.signal, () => this.#readAndWrite(checked, progress)));
  }

  /** A repeated attempt yields the same records again. */
  sendForList(request: StackRequest, variant: Variant, signal?: AbortSignal): Exchange<ListResponse> {
    const decode = createListDecoder(variant);
    const listMember = PAYLOAD_MEMBER[variant];
    return this.#exchange(request, signal, () => this.#attempt({ request, decode, signal, listMember }));
  }

  counts(): RequestCounts {
    const { backedOffMs, ...numbers } = this.#counts;
    return { ...numbers, waitedMs: this.#pacer.waitedMs() + backedOffMs };
  }

  #createRetry(): Retry {
    const { clock, random, events, retryBudgetMs } = this.#settings;
    return createRetry({
      retryBudgetMs,
      clock: {
        now: () => clock.now(),
        sleep: async (ms, signal) => {
          const since = clock.now();
          await clock.sleep(ms, signal).finally(() => (this.#counts.backedOffMs += clock.now() - since));
        },
      },
      random,
      events: (event) => {
        if (event.type === "retry") this.#counts.retried += 1;
        events(event);
      },
      delayMs: () => this.#pacer.delayMs(),
      wasReached: () => this.#reached,
    });
  }

  async *#exchange<T>(
    request: StackRequest,
    signal: AbortSignal | undefined,
    attempt: () => Exchange<Attempt<T>>,
  ): Exchange<T> {
    const freeSlot = await this.#pacer.takeSlot();
    try {
      throwIfInterrupted(signal, `${request.method} ${request.path} was not sent`);
      const pauseAfter = this.#retry(request, signal);
      for (;;) {
        const result = yield* attempt();
        if (result.ok) return result.value;
        await pauseAfter(result);
      }
    } finally {
      freeSlot();
    }
  }

  async *#readAndWrite(
    { read, write, decodeRecord, decode, mayBeGone, look, signal }: CheckedWrite,
    progress: { mayBeWritten: boolean },
  ): Exchange<Attempt<JsonObject>> {
    // If there is no room left for the write, the next round reads again, and keeps other requests out until the write.
    for (let oneByOne = false; ; oneByOne = true) {
      const pair = await this.#pacer.startPair(read, oneByOne, signal);
      try {
        const seen = yield* this.#attempt({ request: read, decode: decodeRecord, signal }, pair.end);
        if (!seen.ok && !(mayBeGone && seen.error.code === "not-found")) return seen;
        const now = seen.ok ? seen.value : undefined;
        if (look(now, progress.mayBeWritten) === "done") return { ok: true, value: now ?? {}, ms: seen.ms };
        const end = await pair.startSecond();
        if (end === undefined) continue;
        const written = yield* this.#attempt({ request: write, decode, signal }, end);
        progress.mayBeWritten ||= !written.ok && written.error.failure.applied === "unknown";
        return written;
      } finally {
        pair.release();
      }
    }
  }

  async *#attempt<T>({ request, decode, signal, listMember }: Operation<T>, turn?: EndAttempt): Exchange<Attempt<T>> {
    const { clock } = this.#settings;
    const end = turn ?? (await this.#pacer.start(request, signal));
    const since = clock.now();
    let reported: ReportedLimit | undefined;
    this.#counts.total += 1;
    try {
      let response: StackResponse;
      try {
        response = yield* this.#transport(request, signal, listMember);
      } catch (thrown) {
        const { method, path, writes } = request;
        if (signal?.aborted && !writes) throw interruptionError(signal, `${method} ${path} was cancelled`);
        return { ok: false, ...networkFailure(request, thrown, this.#maskCredentials), ms: clock.now() - since };
      }
      reported = this.#noteResponse(request, response, since);
      const isSuccess = response.status >= 200 && response.status < 300;
      const result = isSuccess
        ? openEnvelope(request, response, decode, this.#maskCredentials)
        : ({ ok: false, ...responseFailure(request, response, this.#maskCredentials, clock.now()) } as const);
      return { ...result, ms: clock.now() - since };
    } finally {
      end(reported);
    }
  }

  #noteResponse({ method, path }: StackRequest, { status, headers }: StackResponse, since: number): ReportedLimit {
    const now = this.#settings.clock.now();
    this.#reached = true;
    if (status === 429) this.#counts.rateLimited += 1;
    this.#settings.events({ type: "request", method, path, status, ms: now - since });
    return { status, limits: readLimitHeaders(headers, now) };
  }
}

async function resultOf<T>(exchange: Exchange<T>): Promise<T> {
  for (;;) {
    const step = await exchange.next();
    if (step.done === true) return step.value;
  }
}
