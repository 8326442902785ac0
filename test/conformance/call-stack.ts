import type { Json } from "./rule.ts";
import { isObject } from "./compare.ts";

/** A stack on which rules are tried. */
export interface StackAddress {
  readonly variant: "self-hosted" | "managed";
  /** The base of all resource paths. */
  readonly base: string;
  readonly authorization: string;
}

export interface Answer {
  readonly status: number;
  /** A record without its envelope, a list as `{records, meta, total}`, any other JSON unchanged, or a text. */
  readonly content: Json;
  /** The server's message if it refuses the request. */
  readonly words: string;
}

export type Call = (method: string, path: string, body?: Json) => Promise<Answer>;
export type Sleep = (milliseconds: number) => Promise<void>;

const MAX_WAITS = 5;

/** Returns a function that sends requests to a stack, one after another, as slowly as its RateLimit headers demand. */
export function createCall(stack: StackAddress, sleep: Sleep): Call {
  let wait = 0;
  const headers = {
    authorization: stack.authorization,
    accept: "application/json",
    "content-type": "application/json",
  };
  return async (method, path, body) => {
    for (let tried = 1; ; tried += 1) {
      if (wait > 0) await sleep(wait);
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${stack.base}/${path}`, { method, headers, ...sent });
      const text = await response.text();
      const { status, headers: answered } = response;
      wait = waitAfter(status, answered);
      if (status !== 429 || tried === MAX_WAITS) return answerOf(status, answered, text);
    }
  };
}

/**
 * Returns how long to wait before the next request. `RateLimit-Reset` is exact, even if `Retry-After` names the whole window.
 */
function waitAfter(status: number, headers: Headers): number {
  const remaining = headers.get("ratelimit-remaining");
  const isOver = status === 429 || (remaining !== null && Number(remaining) <= 0);
  return isOver ? (Number(headers.get("ratelimit-reset") ?? 1) || 1) * 1000 : 0;
}

function answerOf(status: number, headers: Headers, text: string): Answer {
  const isJson = headers.get("content-type")?.startsWith("application/json") === true;
  const body = isJson ? (JSON.parse(text) as Json) : text;
  return { status, content: contentOf(body, headers), words: wordsOf(body) };
}

function contentOf(body: Json, headers: Headers): Json {
  if (!isObject(body)) return body;
  const content = body["data"] ?? body["result"] ?? body;
  if (!Array.isArray(content)) return content;
  const total = headers.get("x-total-count");
  return { records: content, ...(isObject(body["meta"]) && { meta: body["meta"] }), ...(total !== null && { total }) };
}

function wordsOf(body: Json): string {
  if (typeof body === "string") return body;
  const words = isObject(body) ? (body["message"] ?? body["error"]) : undefined;
  return typeof words === "string" ? words : "";
}
