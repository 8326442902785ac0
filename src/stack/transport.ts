import type { Dispatcher } from "undici";
import { readBody } from "./read-body.ts";
import type { Answer, StackRequest } from "./stack-request.ts";

export interface TransportOptions {
  readonly dispatcher: Dispatcher;
  readonly authorization: string;
  readonly userAgent: string;
  /** For one try, headers and body. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

/**
 * Sends one try and reads the whole answer, whatever its status. Rejects with what the network had to say, `TimedOut`, or
 * `UnusableAnswer`. The signal takes back reads only: a write under way is let finish, so that its result is known.
 */
export type Transport = (request: StackRequest, signal?: AbortSignal) => Promise<Answer>;

/** The try took longer than it may. */
export class TimedOut extends Error {}

/** The answer is larger than any list of records, has no end, or is no text. */
export class UnusableAnswer extends Error {}

/** Of an error's body only the beginning is of use. */
const MAX_ERROR_BYTES = 65_536;

/** The HTTP of a client. Redirects are not followed: the credential is for this host alone. Cookies are not kept. */
export function createTransport(options: TransportOptions): Transport {
  const { dispatcher, authorization, userAgent, timeoutMs, maxAnswerBytes } = options;
  return async (request, signal) => {
    const abort = abortAfter(timeoutMs, request.writes ? undefined : signal);
    try {
      const init: RequestInit = {
        method: request.method,
        headers: {
          accept: "application/json",
          authorization,
          "user-agent": userAgent,
          ...(request.body !== undefined && { "content-type": "application/json" }),
        },
        ...(request.body !== undefined && { body: request.body }),
        redirect: "manual",
        signal: abort.signal,
      };
      // The global fetch, looked up at each call: that is what tests intercept.
      const response = await fetch(request.url, Object.assign(init, { dispatcher }));
      return await read(response, maxAnswerBytes);
    } catch (error) {
      throw abort.timedOut() ? new TimedOut(`no whole answer within ${timeoutMs / 1000} s`) : error;
    } finally {
      abort.done();
    }
  };
}

async function read(response: Response, maxAnswerBytes: number): Promise<Answer> {
  const { status, headers, ok } = response;
  const body = await readBody(response, ok ? maxAnswerBytes : MAX_ERROR_BYTES);
  // Of an error the status says enough, however its body ends.
  if (!ok) return { status, headers, text: new TextDecoder().decode(body.bytes) };
  if (body.end === "cut") throw body.error;
  if (body.end === "too long") throw new UnusableAnswer(`the answer is larger than ${maxAnswerBytes} bytes`);
  try {
    // Replacing what cannot be decoded would change records without a word.
    return { status, headers, text: new TextDecoder("utf-8", { fatal: true }).decode(body.bytes) };
  } catch {
    throw new UnusableAnswer("the answer is not UTF-8");
  }
}

interface TryAbort {
  readonly signal: AbortSignal;
  timedOut(): boolean;
  done(): void;
}

function abortAfter(timeoutMs: number, outer: AbortSignal | undefined): TryAbort {
  const controller = new AbortController();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    controller.abort();
  }, timeoutMs);
  const stop = (): void => controller.abort();
  outer?.addEventListener("abort", stop, { once: true });
  if (outer?.aborted) stop();
  return {
    signal: controller.signal,
    timedOut: () => timedOut,
    done: () => {
      clearTimeout(timer);
      outer?.removeEventListener("abort", stop);
    },
  };
}
