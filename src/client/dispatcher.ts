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

/** A connection that times out has sent nothing, so even a create is retried. */
const CONNECT_TIMEOUT_MS = 10_000;
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** @throws StackferryError `config` for an unusable CA file, client certificate or proxy address */
export function createDispatcher(dispatcherOptions: DispatcherOptions): Dispatcher {
  const { baseUrl, ca, clientCertificate, proxyEnv, timeoutMs } = dispatcherOptions;
  const tls = ca === undefined ? {} : { ca: trustedAuthorities(ca) };
  const timeout = Math.min(CONNECT_TIMEOUT_MS, Math.ceil(timeoutMs / 2));
  // NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise switch the check of certificates off.
  const trust = { ...tls, rejectUnauthorized: true, timeout };
  const connect = { ...trust, ...(clientCertificate && presentCertificate(clientCertificate)) };
  // Zero means no limit: the transport limits the time of the attempt.
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
    // Plain http passes an http proxy without a tunnel: most proxies refuse tunnels to ports other than 443.
    proxyTunnel: false,
  });
}

interface ProxyConnections extends Pool.Options {
  readonly connect: buildConnector.connector;
}

/** A TLS 1.3 server refuses a missing client certificate after the handshake, and undici would hide the server's error. */
function keepFirstError(connector: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connector(options, (...result) => {
      const socket = result[1];
      socket?.prependOnceListener("error", () => socket.destroy());
      callback(...result);
    });
  };
}

/** TLS would ignore an unreadable certificate; this function throws. */
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
