import { StackError } from "../domain/errors.ts";
import type { ErrorCode } from "../domain/errors.ts";
import type { Again, Failure } from "./attempt.ts";
import { readErrorBody } from "./error-body.ts";
import type { ErrorBody } from "./error-body.ts";
import { printable } from "./excerpt.ts";
import type { Scrub } from "./excerpt.ts";
import { hintFor } from "./hints.ts";
import { announcedWaitMs, readLimitHeaders } from "./pacing/limit-headers.ts";
import type { Answer, StackRequest } from "./stack-request.ts";

/** A document over the database's 16 MB limit is answered with these words and a 500 (field notes, "Envelopes and errors"). */
const DOCUMENT_TOO_LARGE = "Something went wrong :(";

/** Judges an answer outside 2xx. */
export function answerFailure(request: StackRequest, answer: Answer, scrub: Scrub, now: number): Failure {
  const { status, headers, text } = answer;
  const body = readErrorBody(text, headers, scrub);
  const code = codeOf(request, status, body);
  const { method, path } = request;
  const error = new StackError(code, messageOf(request, answer, code, body), {
    method,
    path,
    status,
    excerpt: body.excerpt,
    applied: request.writes && mayBeApplied(status) ? "unknown" : "no",
    ...(body.requestId !== undefined && { requestId: body.requestId }),
    ...hintFor(code),
    ...(request.writes &&
      status >= 500 &&
      body.message === DOCUMENT_TOO_LARGE && {
        hint: "the record may be over the stack's limit of 16 MB",
      }),
  });
  const waitMs = announcedWaitMs(readLimitHeaders(headers, now));
  return { error, again: againAfter(status), ...(waitMs !== undefined && { waitMs }) };
}

function codeOf({ optional }: StackRequest, status: number, { html }: ErrorBody): ErrorCode {
  if (optional && (status === 403 || status === 404 || status === 405)) return "not-offered";
  if (status === 401) return "unauthorized";
  if (status === 403) return "forbidden";
  // An HTML 404 means that the route is not served there, not that the record is gone (field notes, Dashboards).
  if (status === 405 || (status === 404 && html)) return "not-offered";
  if (status === 404) return "not-found";
  if (status === 407) return "unreachable";
  if (status === 429) return "rate-limited";
  if (status === 408 || status >= 500) return "unavailable";
  return status >= 400 ? "rejected" : "protocol";
}

function messageOf(request: StackRequest, { status, headers }: Answer, code: ErrorCode, body: ErrorBody): string {
  const { method, path, url } = request;
  const { message, excerpt } = body;
  if (code === "rejected" && message !== "") return message;
  const what = `${method} ${path} was answered ${status}`;
  if (status >= 300 && status < 400) {
    return `${what}, a redirect to ${hostOf(headers, url)}; redirects are not followed with a credential`;
  }
  const said = printable(message || excerpt, 300);
  return said === "" ? what : `${what}: ${said}`;
}

function hostOf(headers: Headers, base: string): string {
  const location = headers.get("location") ?? "";
  return URL.canParse(location, base) ? new URL(location, base).host : "nowhere";
}

function againAfter(status: number): Again {
  if (status === 429) return "always";
  // 501 says that the server will never do it.
  return status === 408 || (status >= 500 && status !== 501) ? "if-repeatable" : "never";
}

/** A gateway that gave up waiting, a server that failed half way, and a redirect to a page that shows the result. */
function mayBeApplied(status: number): boolean {
  return status === 302 || status === 303 || status === 408 || status >= 500;
}
