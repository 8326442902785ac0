import { neededRightHint, StackError, StackferryError, type ErrorCode } from "../core/errors.ts";
import { singleLine, readErrorBody, type ErrorBody, type CredentialMask } from "./error-body.ts";
import { announcedWaitMs, readLimitHeaders } from "./pacing/limit-headers.ts";
import type { StackRequest, StackResponse } from "./request.ts";
import { CLIENT_CERTIFICATE_HINT } from "./tls-failure.ts";

/** `always`: the server did not carry out the request. `if-repeatable`: the server may have carried it out. */
export type RetryRule = "never" | "if-repeatable" | "always";

export interface Failure {
  readonly error: StackError;
  readonly retry: RetryRule;
  readonly maxTries?: number;
  readonly waitMs?: number;
  readonly connectionFailure?: "unknown-host" | "refused" | "closed" | "not-http";
}

export type Result<T> = { readonly ok: true; readonly value: T } | ({ readonly ok: false } & Failure);

export type Attempt<T> = { readonly ms: number } & Result<T>;

/** The server's message, with status 500, for a document over the database's 16 MB (docs/api.md#envelopes). */
const DOCUMENT_TOO_LARGE = "Something went wrong :(";

export const HINT_BY_CODE: Readonly<Partial<Record<ErrorCode, string>>> = {
  unauthorized: "check the key: it may be mistyped, expired, or an ingestion key, which this API does not take",
  "not-offered": "this deployment does not serve the route; leave the kind out",
  "unreadable-record": "correct the number on the stack, or leave the record out",
  "not-found": "no such record: it may have been deleted, or belong to another stack",
  unavailable: "try again later; the stack's own log says more",
  "rate-limited": "try again later, or send fewer requests: --rate, for instance --rate 5/10s",
  protocol: "is this the API address? the self-hosted API listens on port 8000, the web UI on 8080",
};

/** Few tries: a gateway that cuts one response probably cuts the next one, too. */
export const MAX_TRIES_FOR_DAMAGED = 3;
export const CUT_HINT =
  "a gateway in front of the stack may limit the size or the time of answers: its own log says more";

/** For a 401 or 403 with an HTML page, which no stack sends. */
const IN_FRONT_HINT =
  "this says nothing about the key: a firewall, a proxy or an access gateway refused the request, so ask whoever runs it to let this machine through; headers and clientCertificateFile of the stack are what such a gateway may want";

export function responseFailure(
  request: StackRequest,
  response: StackResponse,
  maskCredentials: CredentialMask,
  now: number,
): Failure {
  const { method, path, writes } = request;
  const { status, headers, text } = response;
  const body = readErrorBody(text, headers, maskCredentials);
  const frontHint = hintOfFront(status, text);
  const code = frontHint === undefined ? codeOf(request, status, body) : "unreachable";
  const isTooLarge = writes && status >= 500 && body.message === DOCUMENT_TOO_LARGE;
  const isOfStack = isRefusal(status) && !body.html;
  const error = new StackError(code, messageOf(request, response, code, body), {
    method,
    path,
    status,
    excerpt: body.excerpt,
    applied: writes && mayBeApplied(status) ? "unknown" : "no",
    requestId: body.requestId,
    ...(isOfStack && { right: request.right }),
    hint: isTooLarge
      ? "the record may be over the stack's limit of 16 MB"
      : (frontHint ?? hintOfRedirect(request.url, redirectTarget(request, response)) ?? hintFor(code, request, body)),
  });
  return { error, retry: retryRuleOf(status), waitMs: announcedWaitMs(readLimitHeaders(headers, now)) };
}

const STATUS_CODES: Readonly<Record<number, ErrorCode>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not-found",
  405: "not-offered",
  407: "unreachable",
  408: "unavailable",
  429: "rate-limited",
};

function codeOf({ optional }: StackRequest, status: number, { html }: ErrorBody): ErrorCode {
  // A 403 means a missing right, not a missing route (docs/api.md#rights).
  if (optional && status === 404) return "not-offered";
  // An HTML 404 means a missing route, not a missing record (docs/api.md#routes).
  if (status === 404 && html) return "not-offered";
  if (status >= 500) return "unavailable";
  return STATUS_CODES[status] ?? (status >= 400 ? "rejected" : "protocol");
}

function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}

function hintFor(code: ErrorCode, { right }: StackRequest, { html }: ErrorBody): string | undefined {
  if (html && (code === "unauthorized" || code === "forbidden")) return IN_FRONT_HINT;
  return code === "forbidden" ? neededRightHint(right) : HINT_BY_CODE[code];
}

function messageOf(
  request: StackRequest,
  response: StackResponse,
  code: ErrorCode,
  { message, excerpt, html }: ErrorBody,
): string {
  const { method, path } = request;
  const { status } = response;
  if (code === "rejected" && message !== "") return message;
  const front = html && isRefusal(status) ? " by something in front of the stack, not by the stack" : "";
  const sentence = `${method} ${path} was answered ${status}${front}`;
  if (isRedirect(status)) {
    const target = redirectTarget(request, response);
    // Names only scheme and host, because the path or query can contain a token.
    const place = target === undefined ? "nowhere" : `${target.protocol}//${target.host}`;
    return `${sentence}, a redirect to ${place}; redirects are not followed with a credential`;
  }
  const detail = singleLine(message || excerpt, 300);
  return detail === "" ? sentence : `${sentence}: ${detail}`;
}

/** nginx's own statuses: 495 and 496 for client certificates, 497 for http to an https port. */
const STATUSES: Readonly<Record<number, string>> = {
  495: CLIENT_CERTIFICATE_HINT,
  496: CLIENT_CERTIFICATE_HINT,
  497: "write https:// in the stack's address",
};

/** nginx, Apache and Go report these faults under status 400. */
const SENTENCES: readonly (readonly [RegExp, number])[] = [
  [/No required SSL certificate was sent|The SSL certificate error/i, 496],
  [/plain HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL|HTTP request to an HTTPS server/i, 497],
];

function hintOfFront(status: number, text: string): string | undefined {
  // Skips JSON: a refusal of the stack is JSON, and may quote one of the sentences.
  if (status !== 400 || /^\s*\{/.test(text)) return STATUSES[status];
  return STATUSES[SENTENCES.find(([sentence]) => sentence.test(text))?.[1] ?? 0];
}

function hintOfRedirect(url: string, to: URL | undefined): string | undefined {
  const from = new URL(url);
  if (to === undefined || to.origin === from.origin) return undefined;
  if (to.protocol === "https:" && to.hostname === from.hostname) return `begin the stack's address with ${to.origin}`;
  return "check the address; if a gateway in front of the stack asks for a login, set the headers that it wants (headers of the stack)";
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

function redirectTarget({ url }: StackRequest, { status, headers }: StackResponse): URL | undefined {
  const location = headers.get("location") ?? "";
  return isRedirect(status) && URL.canParse(location, url) ? new URL(location, url) : undefined;
}

function retryRuleOf(status: number): RetryRule {
  if (status === 429) return "always";
  // 501 means that the server will never carry out the request.
  return status === 408 || (status >= 500 && status !== 501) ? "if-repeatable" : "never";
}

/** A 302 or 303 may lead to the result of a write that was carried out. */
function mayBeApplied(status: number): boolean {
  return status === 302 || status === 303 || status === 408 || status >= 500;
}

export function interruptionError(signal: AbortSignal, problem: string): StackferryError {
  const reason: unknown = signal.reason;
  if (reason instanceof StackferryError && reason.code === "interrupted") return reason;
  return new StackferryError("interrupted", `interrupted: ${problem}`, {
    cause: reason,
    hint: "run the same command again to go on",
  });
}

export function throwIfInterrupted(signal: AbortSignal | undefined, problem: string): void {
  if (signal?.aborted) throw interruptionError(signal, problem);
}
