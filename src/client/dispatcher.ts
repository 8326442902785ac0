import { X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { Agent, Pool, ProxyAgent, buildConnector, type Dispatcher } from "undici";
import { StackferryError } from "../core/errors.ts";
import { presentCertificate } from "./gateway.ts";
import type { ClientSettings } from "./options.ts";
import { proxyFor } from "./proxy.ts";

export interface DispatcherOptions extends Pick<ClientSettings, "ca" | "clientCertificate" | "proxyEnv" | "timeoutMs"> {
  readonly baseUrl: URL;
}

/** Connecting has its own, shorter time limit: if connecting fails, nothing was sent, so a retry is safe. */
const CONNECT_TIMEOUT_MS = 10_000;
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * Creates the connections to one address. They are kept alive, and go through a proxy if `proxyEnv` names one.
 * @throws StackferryError `config` for a CA file, a client certificate or a proxy address that cannot be used
 */
export function createDispatcher(dispatcherOptions: DispatcherOptions): Dispatcher {
  const { baseUrl, ca, clientCertificate, proxyEnv, timeoutMs } = dispatcherOptions;
  const tls = ca === undefined ? {} : { ca: trustedAuthorities(ca) };
  const timeout = Math.min(CONNECT_TIMEOUT_MS, Math.ceil(timeoutMs / 2));
  // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise switch the check of certificates off.
  const trust = { ...tls, rejectUnauthorized: true, timeout };
  const connect = { ...trust, ...(clientCertificate && presentCertificate(clientCertificate)) };
  // The transport has one time limit for the whole attempt, so undici's own timeouts are off.
  const options = { headersTimeout: 0, bodyTimeout: 0 };
  const proxy = proxyFor(baseUrl, proxyEnv);
  if (proxy === undefined) return new Agent({ ...options, connect: keepFirstError(buildConnector(connect)) });
  return new ProxyAgent({
    ...options,
    ...proxy,
    factory: (origin, { connect: tunnel, ...rest }: ProxyConnections) =>
      new Pool(origin, { ...rest, connect: keepFirstError(tunnel) }),
    requestTls: connect,
    // The client certificate is for the stack, not for the proxy.
    proxyTls: trust,
    // Most proxies refuse a tunnel to ports other than 443, so a plain http request is sent to the proxy itself.
    proxyTunnel: false,
  });
}

interface ProxyConnections extends Pool.Options {
  readonly connect: buildConnector.connector;
}

/**
 * Closes a connection at its first error. With TLS 1.3, a server refuses a missing client certificate after the handshake. If the
 * connection stayed open, undici would replace the server's error by an error that says only that the connection was closed.
 */
function keepFirstError(connector: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connector(options, (...result) => {
      const socket = result[1];
      socket?.prependOnceListener("error", () => socket.destroy());
      callback(...result);
    });
  };
}

/** Parses each certificate of `ca`, because TLS would ignore an unreadable certificate. Adds Node's root certificates. */
function trustedAuthorities(ca: string): string[] {
  const certificates = ca.match(PEM_CERTIFICATE) ?? [];
  try {
    for (const certificate of certificates) new X509Certificate(certificate).toString();
  } catch {
    throw unusableCa("holds a certificate that cannot be read");
  }
  if (certificates.length === 0) throw unusableCa("holds no certificate");
  return [...rootCertificates, ...certificates];
}

function unusableCa(problem: string): StackferryError {
  return new StackferryError("config", `the CA file ${problem}`, {
    hint: "give a file with certificates in PEM form (-----BEGIN CERTIFICATE-----)",
  });
}
