import type { Dispatcher } from "undici";
import type { ListedRecord } from "../core/ports.ts";
import { recordBounds } from "../core/text/json-scan.ts";
import { createListStream } from "./lists/list-stream.ts";
import { UnusableResponseError, createByteCollector, decodeBodyText } from "./response-bytes.ts";
import type { StackRequest, StackResponse } from "./request.ts";
import type { ClientSettings } from "./options.ts";

export interface TransportOptions extends Pick<ClientSettings, "userAgent" | "timeoutMs" | "maxResponseBytes"> {
  readonly dispatcher: Dispatcher;
  readonly authorization: string;
  readonly ownHeaders: Readonly<Record<string, string>>;
}

/**
 * The signal cancels no write, because the result of the write would be unknown.
 * @throws TimedOutError, BrokenBodyError, UnusableResponseError, or an error of the network
 */
export type Transport = (
  request: StackRequest,
  signal?: AbortSignal,
  listMember?: string,
) => AsyncGenerator<readonly ListedRecord[], StackResponse>;

export class TimedOutError extends Error {}

/** The error for a body that broke off or cannot be decompressed. `cause` is the original error. */
export class BrokenBodyError extends Error {}

const MAX_ERROR_BYTES = 65_536;

/** Follows no redirects, because the credential is for the stack's host alone. */
export function createTransport(options: TransportOptions): Transport {
  const { dispatcher, authorization, ownHeaders, userAgent, timeoutMs, maxResponseBytes } = options;
  return async function* (request, signal, listMember) {
    const timer = startTimer(timeoutMs, request.writes ? undefined : signal);
    try {
      const response = await send(request, timer.signal);
      const { status, headers } = response;
      if (!response.ok) return { status, headers, text: await readBeginning(response) };
      const chunks = readBody(response, maxResponseBytes);
      if (listMember !== undefined) return { status, headers, ...(yield* readList(chunks, listMember, timer)) };
      return { status, headers, text: withoutByteOrderMark(decodeBodyText(await concat(chunks))) };
    } catch (error) {
      throw timer.timedOut() ? new TimedOutError(`no whole answer within ${timeoutMs / 1000} s`) : error;
    } finally {
      timer.stop();
    }
  };

  /** nock 14 and other tools replace the global `fetch`, so each call looks `fetch` up. */
  function send({ method, url, body }: StackRequest, signal: AbortSignal): Promise<Response> {
    const hasBody = body !== undefined;
    const headers = {
      "user-agent": userAgent,
      ...ownHeaders,
      accept: "application/json",
      authorization,
      ...(hasBody && { "content-type": "application/json" }),
    };
    const init: RequestInit = { method, headers, ...(hasBody && { body }), redirect: "manual", signal };
    // Node's `fetch` accepts the dispatcher of the package `undici` (network.test.ts).
    return fetch(url, Object.assign(init, { dispatcher }));
  }
}

/** The caller's time with the records does not count towards `timeoutMs`. */
async function* readList(
  chunks: AsyncIterable<Uint8Array>,
  member: string,
  timer: AttemptTimer,
): AsyncGenerator<readonly ListedRecord[], Pick<StackResponse, "text" | "streamedCount">> {
  const list = createListStream(member);
  let streamedCount = 0;
  for await (const chunk of chunks) {
    const records = list.push(chunk);
    if (records.length === 0) continue;
    streamedCount += records.length;
    timer.pause();
    yield records;
    timer.resume();
  }
  return { text: withoutByteOrderMark(list.rest()), streamedCount };
}

async function* readBody(response: Response, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of chunksOf(response)) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new UnusableResponseError(`is larger than ${maxBytes} bytes`);
    yield chunk;
  }
}

async function concat(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces = createByteCollector(recordBounds.maxBytes, "is");
  for await (const chunk of chunks) pieces.add(chunk);
  return pieces.bytes();
}

async function readBeginning(response: Response): Promise<string> {
  const beginning = createByteCollector(MAX_ERROR_BYTES, "is");
  try {
    for await (const chunk of chunksOf(response)) {
      const bytesLeft = MAX_ERROR_BYTES - beginning.bytes().length;
      beginning.add(chunk.subarray(0, bytesLeft));
      if (chunk.byteLength > bytesLeft) break;
    }
  } catch {
    // The part that arrived before the error is enough.
  }
  return new TextDecoder().decode(beginning.bytes());
}

async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  try {
    yield* (response.body ?? []) as Iterable<Uint8Array> | ReadableStream<Uint8Array>;
  } catch (cause) {
    throw new BrokenBodyError("the body broke off", { cause });
  }
}

function withoutByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}

type AttemptTimer = ReturnType<typeof startTimer>;

function startTimer(timeoutMs: number, callerSignal: AbortSignal | undefined) {
  const controller = new AbortController();
  let timedOut = false;
  let leftMs = timeoutMs;
  let resumedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const resume = (): void => {
    resumedAt = performance.now();
    timer = setTimeout(() => {
      timedOut = true;
      controller.abort();
    }, leftMs);
  };
  const abort = (): void => controller.abort();
  callerSignal?.addEventListener("abort", abort, { once: true });
  if (callerSignal?.aborted) abort();
  resume();
  return {
    signal: controller.signal,
    pause: () => {
      clearTimeout(timer);
      leftMs = Math.max(0, leftMs - (performance.now() - resumedAt));
    },
    resume,
    stop: () => {
      clearTimeout(timer);
      callerSignal?.removeEventListener("abort", abort);
    },
    timedOut: () => timedOut,
  };
}
