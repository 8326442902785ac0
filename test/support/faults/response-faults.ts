import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { CONTENT_TYPES, envelopeOf, Refusal } from "../../../src/sandbox/http/envelope.ts";
import type { InterceptedRequest, SandboxLimit, SandboxOptions } from "../../../src/sandbox/options.ts";
import { RESPONSE_FAULTS, type FaultRule, type Schedule } from "./fault-plan.ts";
import { setTimeout as sleep } from "node:timers/promises";

type Outcome = Promise<Response | undefined>;

const SLOW_MS = 200;

/**
 * Creates the interceptor for the faults of the response. The first rule that triggers handles the request. `release` ends every
 * request that a fault holds; from then on, no request is held.
 */
export function createResponseFaults(schedule: Schedule, options: SandboxOptions) {
  const hold = createHold();
  const substitute = createSubstitutes(options);
  const intercept = async ({ route, socket }: InterceptedRequest, proceed: () => Outcome): Outcome => {
    const rule = schedule.takeDueRules(RESPONSE_FAULTS, route).find(({ trigger }) => trigger())?.rule;
    if (rule === undefined) return proceed();
    if (rule.fault === "slow") {
      if (await hold.pause(rule.ms ?? SLOW_MS)) return proceed();
      socket.destroy();
      return undefined;
    }
    const commits = rule.fault === "truncated" || rule.fault.endsWith("-after");
    const response = commits ? await proceed() : undefined;
    // Another interceptor has handled the socket, so there is no response to change.
    if (commits && response === undefined) return undefined;
    const other = substitute(rule);
    if (other !== undefined) return other;
    if (response !== undefined && rule.fault === "truncated") await truncateResponse(response, socket);
    else if (rule.fault.startsWith("reset")) socket.resetAndDestroy();
    else await hold.untilClosed(socket);
    return undefined;
  };
  return { intercept, release: hold.release };
}

// The published limit of a self-hosted server, for a sandbox without a limit of its own (docs/api.md#limits).
const LIMIT: SandboxLimit = { requests: 100, windowMs: 60_000 };

/** The response of a proxy when the stack behind it is down. */
const BAD_GATEWAY = `<html>
<head><title>502 Bad Gateway</title></head>
<body>
<center><h1>502 Bad Gateway</h1></center>
<hr><center>nginx</center>
</body>
</html>
`;

/**
 * Creates a function that returns the response that a fault sends; undefined if the fault cuts off or truncates the stack's own
 * response instead.
 */
function createSubstitutes({ variant, limit = LIMIT }: SandboxOptions) {
  const { requests, windowMs, headers: publishes = variant === "self-hosted" } = limit;
  const limitHeaders = {
    "RateLimit-Limit": String(requests),
    "RateLimit-Remaining": "0",
    // As on the servers, Retry-After states the whole window (recording 110). The actual wait is short, because tests run often.
    "RateLimit-Reset": "1",
    "Retry-After": String(Math.ceil(windowMs / 1000)),
  };
  const refusalResponse = (refusal: Refusal, extraHeaders: Readonly<Record<string, string>> = {}): Response => {
    const { status, headers, body } = envelopeOf(variant).refusal(refusal, randomUUID());
    return new Response(body, { status, headers: { ...headers, ...extraHeaders } });
  };
  return (rule: FaultRule): Response | undefined => {
    switch (rule.fault) {
      case "429": {
        const refusal = new Refusal(429, "Too many requests, please try again later.", "html");
        return refusalResponse(refusal, (rule.headers ?? publishes) ? limitHeaders : {});
      }
      case "500":
      case "500-after":
        return refusalResponse(new Refusal(500, "Something went wrong :("));
      case "html-502":
      case "html-502-after":
        return new Response(BAD_GATEWAY, { status: 502, headers: { "Content-Type": CONTENT_TYPES.html } });
      default:
        return undefined;
    }
  };
}

/** Writes all headers of a response and half of its body, then ends the connection. */
async function truncateResponse(response: Response, socket: Socket): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const headerEntries = [...response.headers].filter(([name]) => name !== "content-length");
  const headers = headerEntries.map(([name, value]) => `${name}: ${value}\r\n`);
  // Half of an empty body is the whole body, so a declared length of 1 makes it too short.
  const length = `content-length: ${Math.max(1, body.length)}\r\n`;
  socket.write(
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ""}\r\n${headers.join("")}${length}\r\n`,
  );
  socket.write(body.subarray(0, Math.floor(body.length / 2)));
  // The connection is closed only after everything is written: a reset would discard data that the client has not read yet.
  socket.destroySoon();
}

/** Makes requests wait, and releases all of them when the sandbox closes. */
function createHold() {
  const heldSockets = new Set<Socket>();
  const releaseController = new AbortController();
  return {
    /** Resolves when the client has closed the connection, or on `release`. */
    untilClosed(socket: Socket): Promise<void> {
      if (releaseController.signal.aborted) socket.destroy();
      if (socket.destroyed) return Promise.resolve();
      heldSockets.add(socket);
      return new Promise((resolve) => {
        socket.once("close", () => {
          heldSockets.delete(socket);
          resolve();
        });
      });
    },
    /** Resolves to true after `ms` milliseconds, or to false on `release`; `sleep` rejects only then. */
    pause: (ms: number): Promise<boolean> => sleep(ms, true, { signal: releaseController.signal }).catch(() => false),
    /** Ends all present waits. Later waits end at once. */
    release: (): void => {
      releaseController.abort();
      for (const socket of heldSockets) socket.destroy();
    },
  };
}
