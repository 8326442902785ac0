import type { Dispatcher } from "undici";
import { createListSplitter } from "../domain/list-splitter.ts";
import type { ListedRecord } from "../domain/ports.ts";
import type { Give } from "./hand-over.ts";
import { readBody, receive } from "./read-body.ts";
import type { Answer, StackRequest } from "./stack-request.ts";
import { abortAfter } from "./try-abort.ts";
import type { TryAbort } from "./try-abort.ts";
import { MAX_ANSWER_DEPTH, unusableAnswer, wholeTextOf, withoutMark } from "./unusable-answer.ts";

export interface TransportOptions {
  readonly dispatcher: Dispatcher;
  readonly authorization: string;
  readonly userAgent: string;
  /** For one try, headers and body. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

/** Where the records of a list go as they arrive. */
export interface ListTaker {
  /** The member of the answer that holds them. */
  readonly member: string;
  readonly give: Give<readonly ListedRecord[]>;
}

/**
 * Sends one try and reads the whole answer, whatever its status; of a list only what is around the records. Rejects with what the network had to say, `TimedOut`, or
 * `UnusableAnswer`. The signal takes back reads only: a write under way is let finish, so that its result is known.
 */
export type Transport = (request: StackRequest, signal?: AbortSignal, list?: ListTaker) => Promise<Answer>;

/** The try took longer than it may. */
export class TimedOut extends Error {}

/** Of an error's body only the beginning is of use. */
const MAX_ERROR_BYTES = 65_536;

/** The HTTP of a client. Redirects are not followed: the credential is for this host alone. Cookies are not kept. */
export function createTransport(options: TransportOptions): Transport {
  const { dispatcher, authorization, userAgent, timeoutMs, maxAnswerBytes } = options;
  return async (request, signal, list) => {
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
      return await read(response, maxAnswerBytes, list && whileTheClockStops(list, abort));
    } catch (error) {
      throw abort.timedOut() ? new TimedOut(`no whole answer within ${timeoutMs / 1000} s`) : error;
    } finally {
      abort.done();
    }
  };
}

async function read(response: Response, maxAnswerBytes: number, list: ListTaker | undefined): Promise<Answer> {
  const { status, headers, ok } = response;
  // Of an error the status says enough, however its body ends.
  if (!ok)
    return { status, headers, text: new TextDecoder().decode((await readBody(response, MAX_ERROR_BYTES)).bytes) };
  if (list !== undefined) return { status, headers, ...(await readList(response, maxAnswerBytes, list)) };
  const body = await readBody(response, maxAnswerBytes);
  if (body.end === "cut") throw body.error;
  if (body.end === "too long") throw tooLong(maxAnswerBytes);
  return { status, headers, text: wholeTextOf(body.bytes) };
}

/** Hands on the records as they come, and answers what is around them. */
async function readList(
  response: Response,
  maxAnswerBytes: number,
  { member, give }: ListTaker,
): Promise<Pick<Answer, "text" | "handedOn">> {
  const splitter = createListSplitter({ member, maxDepth: MAX_ANSWER_DEPTH, refuse: unusableAnswer });
  let size = 0;
  let handedOn = 0;
  for await (const chunk of receive(response)) {
    size += chunk.byteLength;
    if (size > maxAnswerBytes) throw tooLong(maxAnswerBytes);
    const records = splitter.push(chunk);
    handedOn += records.length;
    if (records.length > 0) await give(records);
  }
  return { text: withoutMark(splitter.rest()), handedOn };
}

function tooLong(maxAnswerBytes: number): Error {
  return unusableAnswer(`is larger than ${maxAnswerBytes} bytes`);
}

/** What the reader of a list does with its records is not the stack's time. */
function whileTheClockStops({ member, give }: ListTaker, abort: TryAbort): ListTaker {
  const stopped: ListTaker["give"] = async (records) => {
    abort.stopClock();
    await give(records);
    abort.startClock();
  };
  return { member, give: stopped };
}
