import { connect } from "node:tls";
import { StackError } from "../core/errors.ts";
import { singleLine, type CredentialMask } from "./error-body.ts";
import { CUT_HINT, HINT_BY_CODE, MAX_TRIES_FOR_DAMAGED, type Failure } from "./failures.ts";
import { UnusableResponseError } from "./response-bytes.ts";
import type { StackRequest } from "./request.ts";
import { unbracketed } from "./proxy.ts";
import { tlsFaultOf, tlsReason } from "./tls-failure.ts";
import { BrokenBodyError, TimedOutError, type Transport } from "./transport.ts";

const CONNECTING = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);
const CLIENT_CLOSED = /^UND_ERR_(?:CLOSED|DESTROYED)$/;
/** undici's messages for a proxy that refuses a tunnel (https) or a request (http). */
const PROXY_REFUSED = /Proxy (?:response|Authentication Required) \((\d+)\)/;
const MAX_CAUSES = 5;

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed before the answer was complete",
  UND_ERR_SOCKET: "the connection was closed before the answer was complete",
  UND_ERR_CONNECT_TIMEOUT: "the host did not answer in time",
  ENOTFOUND: "no host has this name",
  EAI_AGAIN: "the host's name could not be looked up",
};

const ADDRESS_HINT =
  "check the address, with http or https, and that the stack is up; the self-hosted API listens on port 8000";
const NOT_HTTP = "HTTPParserError";
const NOT_HTTP_HINT =
  "check the port of the address; a server, or a gateway in front of it, that speaks HTTP/2 only has to offer HTTP/1.1, too";
const CLOSED: ReadonlySet<unknown> = new Set(["ECONNRESET", "UND_ERR_SOCKET"]);
const CLOSED_HINT =
  "check the address, and that the stack is up; a gateway may also close connections without a client certificate that it accepts (clientCertificateFile)";
const TLS_EXPECTED_HINT = "write https:// in the stack's address";
const DAMAGED_BODY = /^(?:Z_|ERR__ERROR_)/;
/** The error message of `fetch` for a port of another service, such as mail. */
const REFUSED_PORT = "bad port";
const PORT_HINT =
  "Node's fetch never connects to this port, because another service owns it: use another port, or a proxy";
const PROXY_HINT = "check the proxy variables";

interface Diagnosis extends Pick<Failure, "retry" | "maxTries" | "connectionFailure"> {
  readonly text: string;
  readonly applied: "no" | "unknown";
  readonly hint?: string;
}

export function networkFailure(request: StackRequest, thrown: unknown, maskCredentials: CredentialMask): Failure {
  const { method, path, url, writes } = request;
  const { text, applied, hint = ADDRESS_HINT, ...consequences } = diagnose(thrown, maskCredentials);
  const message = `${method} ${path} got no usable answer from ${new URL(url).host}: ${text}`;
  const details = { method, path, applied: writes ? applied : "no", hint, cause: new Error(text) } as const;
  const code = thrown instanceof UnusableResponseError ? "protocol" : "unreachable";
  return { error: new StackError(code, message, details), ...consequences };
}

function diagnose(thrown: unknown, maskCredentials: CredentialMask): Diagnosis {
  if (thrown instanceof UnusableResponseError) {
    return { text: `the answer ${thrown.message}`, retry: "never", applied: "unknown", hint: HINT_BY_CODE.protocol };
  }
  if (thrown instanceof TimedOutError) return { text: thrown.message, retry: "if-repeatable", applied: "unknown" };
  if (thrown instanceof TlsExpectedError) {
    return { text: thrown.message, retry: "never", applied: "no", hint: TLS_EXPECTED_HINT };
  }
  const { name, code, text: problem, connecting } = problemOf(thrown, maskCredentials);
  const text = code === "" ? problem : `${WORDS[code] ?? tlsReason(problem)} (${code})`;
  const refusal = refusalOf(code, problem);
  if (refusal !== undefined) return { applied: "no", ...refusal };
  if (name === NOT_HTTP) {
    const consequences = { retry: "if-repeatable", applied: "unknown", connectionFailure: "not-http" } as const;
    return { text: "the server did not answer in HTTP/1.1", ...consequences, hint: NOT_HTTP_HINT };
  }
  if (CLIENT_CLOSED.test(code)) return { text, retry: "never", applied: "unknown" };
  if (thrown instanceof BrokenBodyError) {
    const consequences = { retry: "if-repeatable", applied: "unknown", maxTries: MAX_TRIES_FOR_DAMAGED } as const;
    const fault = DAMAGED_BODY.test(code) ? `the compressed answer was cut or damaged (${code})` : text;
    return { text: fault, ...consequences, hint: CUT_HINT };
  }
  if (!connecting && CLOSED.has(code)) {
    const consequences = { retry: "if-repeatable", applied: "unknown", connectionFailure: "closed" } as const;
    return { text, ...consequences, hint: CLOSED_HINT };
  }
  if (!connecting) return { text, retry: "if-repeatable", applied: "unknown" };
  return { text, retry: "always", applied: "no", connectionFailure: code === "ENOTFOUND" ? "unknown-host" : "refused" };
}

/** After these faults, the server has not carried out the request. */
function refusalOf(code: string, problem: string): Omit<Diagnosis, "applied"> | undefined {
  const fault = tlsFaultOf(code, problem);
  if (fault !== undefined) return { ...fault, retry: "never" };
  if (problem === REFUSED_PORT) {
    return { text: "Node's fetch refuses to connect to this port", retry: "never", hint: PORT_HINT };
  }
  const proxyStatus = Number(PROXY_REFUSED.exec(problem)?.[1] ?? 0);
  if (proxyStatus === 0) return undefined;
  const retry = proxyStatus >= 500 ? "always" : "never";
  return { text: `the proxy refused the connection (${proxyStatus})`, retry, hint: PROXY_HINT };
}

/** The result shares no object with the error: undici's errors may contain bytes of the traffic. */
function problemOf(thrown: unknown, maskCredentials: CredentialMask) {
  const causes = causesOf(thrown);
  // `fetch` reports only "fetch failed". The innermost cause with a code has the reason.
  const cause = causes.findLast((error) => typeof codeOf(error) === "string") ?? causes.at(-1);
  const code = codeOf(cause);
  const message = cause instanceof Error ? cause.message : "the request failed";
  const isConnect = cause instanceof Error && "syscall" in cause && cause.syscall === "connect";
  return {
    name: cause instanceof Error ? cause.name : "",
    code: typeof code === "string" ? singleLine(code, 60) : "",
    text: singleLine(maskCredentials(message), 300),
    connecting: CONNECTING.has(String(code)) || isConnect,
  };
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

function causesOf(thrown: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let error = thrown; error !== undefined && causes.length < MAX_CAUSES;) {
    causes.push(error);
    if (error instanceof AggregateError) error = error.errors[0] as unknown;
    else error = error instanceof Error ? error.cause : undefined;
  }
  return causes;
}

class TlsExpectedError extends Error {}

/** Short, because a server that speaks TLS answers the handshake at once. */
const PROBE_MS = 3000;

/** A server that expects TLS closes a plain connection, as a restarting server does. A handshake tells the two apart. */
export function withTlsProbe(transport: Transport, url: URL): Transport {
  let wasReached = false;
  let probe: Promise<boolean> | undefined;
  return async function* (...attempt) {
    try {
      const response = yield* transport(...attempt);
      wasReached = true;
      return response;
    } catch (error) {
      if (!wasReached && isAnsweredWrongly(error) && (await (probe ??= speaksTls(url)))) {
        throw new TlsExpectedError("the server speaks https here");
      }
      throw error;
    }
  };
}

function isAnsweredWrongly(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return false;
  return cause.name === NOT_HTTP || CLOSED.has(codeOf(cause));
}

function speaksTls(url: URL): Promise<boolean> {
  const host = unbracketed(url.hostname);
  const port = Number(url.port === "" ? 80 : url.port);
  return new Promise((resolve) => {
    // The probe sends no data, so any certificate will do.
    const socket = connect({ host, port, rejectUnauthorized: false, timeout: PROBE_MS });
    const end = (isTls: boolean): void => {
      socket.destroy();
      resolve(isTls);
    };
    socket.once("secureConnect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("close", () => end(false));
    // A server that refuses the handshake by an alert speaks TLS, too.
    socket.once("error", ({ message }) => end(message.includes("SSL alert number")));
  });
}
