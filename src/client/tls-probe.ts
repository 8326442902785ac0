import { connect } from "node:tls";
import { CLOSED, NOT_HTTP } from "./network-failure.ts";
import { unbracketed } from "./proxy.ts";
import { TlsExpectedError } from "./tls-failure.ts";
import type { Transport } from "./transport.ts";

/** Maximum time of the probe, in milliseconds: a server that speaks TLS answers the greeting at once. */
const PROBE_MS = 3000;

/**
 * Wraps the transport to a plain http address. A port for https closes a connection that begins in plain http, as a server that
 * restarts does. So if the stack has never responded, the first failure is followed by a probe, a TLS handshake without a request.
 */
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

/** Tells whether a connection was made, but closed without an answer, or answered in another protocol. */
function isAnsweredWrongly(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return false;
  const code = "code" in cause ? cause.code : undefined;
  return cause.name === NOT_HTTP || CLOSED.has(code);
}

function speaksTls(url: URL): Promise<boolean> {
  const host = unbracketed(url.hostname);
  const port = Number(url.port === "" ? 80 : url.port);
  return new Promise((resolve) => {
    // The probe sends nothing, so it need not know whose certificate it is.
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
