import { StackError } from "../domain/errors.ts";
import type { Again, Failure } from "./attempt.ts";
import { printable } from "./excerpt.ts";
import type { Scrub } from "./excerpt.ts";
import type { StackRequest } from "./stack-request.ts";
import { hintFor } from "./hints.ts";
import { TimedOut } from "./transport.ts";
import { UnusableAnswer } from "./unusable-answer.ts";

/** What the network said, without the objects it said it with: some of them hold bytes of the conversation. */
interface NetworkProblem {
  readonly code: string;
  readonly text: string;
  /** The problem came up while connecting, so that nothing was sent. */
  readonly connecting: boolean;
}

const CONNECTING = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);
const CERTIFICATE =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET|VERIFY|DECODE|DECRYPT)|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA)/;
const NOT_TLS = /^(?:ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_UNSUPPORTED_PROTOCOL|ERR_SSL_\w*HANDSHAKE\w*)$/;
/** The client was closed: it will not be open again. */
const CLOSED = /^UND_ERR_(?:CLOSED|DESTROYED)$/;
const PROXY_REFUSED = /Proxy response \((\d+)\)/;
const DEEPEST_CAUSE = 5;

/** Judges a try to which no whole answer came. */
export function networkFailure(request: StackRequest, thrown: unknown, scrub: Scrub): Failure {
  if (thrown instanceof UnusableAnswer) return failure(request, "protocol", thrown.message, "never", "unknown");
  if (thrown instanceof TimedOut) return failure(request, "unreachable", thrown.message, "if-repeatable", "unknown");
  const problem = problemOf(thrown, scrub);
  const proxyStatus = Number(PROXY_REFUSED.exec(problem.text)?.[1] ?? 0);
  const said = problem.code === "" ? problem.text : `${problem.text} (${problem.code})`;
  if (CERTIFICATE.test(problem.code)) return failure(request, "unreachable", said, "never", "no", CERTIFICATE_HINT);
  if (NOT_TLS.test(problem.code)) return failure(request, "unreachable", said, "never", "no", NOT_TLS_HINT);
  if (CLOSED.test(problem.code)) return failure(request, "unreachable", said, "never", "unknown");
  if (proxyStatus > 0) {
    const said = `the proxy refused the connection (${proxyStatus})`;
    return failure(
      request,
      "unreachable",
      said,
      proxyStatus >= 500 ? "always" : "never",
      "no",
      "check the proxy variables",
    );
  }
  if (problem.connecting) {
    const unconnected = problem.code === "ENOTFOUND" ? "unknown-host" : "refused";
    return { ...failure(request, "unreachable", said, "always", "no"), unconnected };
  }
  return failure(request, "unreachable", said, "if-repeatable", "unknown");
}

const ADDRESS_HINT = "check the address, and that the stack is up; the self-hosted API listens on port 8000";
const CERTIFICATE_HINT = "name the authority that signed the stack's certificate in a CA file";
const NOT_TLS_HINT = "the server does not speak https here: check the scheme and the port of the address";

function failure(
  request: StackRequest,
  code: "unreachable" | "protocol",
  said: string,
  again: Again,
  applied: "no" | "unknown",
  hint: string = hintFor(code).hint ?? ADDRESS_HINT,
): Failure {
  const { method, path, url, writes } = request;
  const message = `${method} ${path} got no usable answer from ${new URL(url).host}: ${said}`;
  const error = new StackError(code, message, {
    method,
    path,
    applied: writes ? applied : "no",
    hint,
    cause: new Error(said),
  });
  return { error, again };
}

function problemOf(thrown: unknown, scrub: Scrub): NetworkProblem {
  const chain = causes(thrown);
  // fetch itself only says "fetch failed"; the reason is the innermost cause that has a code.
  const coded = chain.findLast((error) => typeof codeOf(error) === "string") ?? chain.at(-1);
  const code = codeOf(coded);
  const message = coded instanceof Error ? coded.message : "the request failed";
  const connects = coded instanceof Error && "syscall" in coded && coded.syscall === "connect";
  return {
    code: typeof code === "string" ? printable(code, 60) : "",
    text: printable(scrub(message), 300),
    connecting: CONNECTING.has(String(code)) || connects || message === "bad port",
  };
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

function causes(thrown: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let error = thrown; error !== undefined && chain.length < DEEPEST_CAUSE;) {
    chain.push(error);
    if (error instanceof AggregateError) error = error.errors[0] as unknown;
    else error = error instanceof Error ? error.cause : undefined;
  }
  return chain;
}
