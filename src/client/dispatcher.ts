import { X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { Agent, EnvHttpProxyAgent, type Dispatcher } from "undici";
import { StackferryError } from "../core/errors.ts";
import type { ProxyEnv } from "../core/ports.ts";
import { isLoopback, type ClientSettings } from "./options.ts";

export interface DispatcherOptions extends Pick<ClientSettings, "ca" | "proxyEnv" | "timeoutMs"> {
  readonly baseUrl: URL;
}

/**
 * Maximum time to connect, shorter than the time limit of an attempt. If no connection is made, nothing was sent, so the attempt
 * can be repeated.
 */
const CONNECT_TIMEOUT_MS = 10_000;
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * Creates the connections of one client: kept alive, and through a proxy if the environment names a proxy.
 * @throws StackferryError `config` for certificates or a proxy address that cannot be used
 */
export function createDispatcher({ baseUrl, ca, proxyEnv, timeoutMs }: DispatcherOptions): Dispatcher {
  const tls = ca === undefined ? {} : { ca: trustedAuthorities(ca) };
  const timeout = Math.min(CONNECT_TIMEOUT_MS, Math.ceil(timeoutMs / 2));
  // `rejectUnauthorized` is set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise switch the check of certificates
  // off.
  const connect = { ...tls, rejectUnauthorized: true, timeout };
  // The transport has one time limit for the whole attempt, so undici's own timeouts are off.
  const options = { connect, headersTimeout: 0, bodyTimeout: 0 };
  // A proxy on another machine cannot reach this machine's loopback addresses, and must not see plain text for these addresses.
  if (proxyEnv === undefined || isLoopback(baseUrl)) return new Agent(options);
  return new EnvHttpProxyAgent({
    ...options,
    requestTls: connect,
    proxyTls: connect,
    // Most proxies refuse a tunnel to ports other than 443. So a plain http request is sent to the proxy itself, as other programs
    // do.
    proxyTunnel: false,
    // An unset variable becomes an empty text, because the library reads the environment for an absent value.
    httpProxy: proxyAddress("http_proxy", proxyEnv.http_proxy),
    httpsProxy: proxyAddress("https_proxy", proxyEnv.https_proxy),
    noProxy: proxyEnv.no_proxy ?? "",
  });
}

/**
 * Returns the usual certificates and those of a PEM text. Parses each certificate of the text, because TLS would ignore an
 * unreadable one.
 */
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

function proxyAddress(name: keyof ProxyEnv, value = ""): string {
  if (value === "") return "";
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  // The value may contain a password, so it is not repeated.
  throw new StackferryError("config", `${name} is not the address of an http or https proxy`, {
    hint: `set ${name} to http://host:port, or unset it`,
  });
}
