import { BlockList, isIP } from "node:net";
import { StackferryError } from "../core/errors.ts";
import type { ProxyEnv } from "../core/ports.ts";
import { isLoopback } from "./options.ts";

export interface Proxy {
  readonly uri: string;
  readonly token?: string;
}

/** Loopback addresses get no proxy: another machine cannot reach them, and must not see the credential. */
export function proxyFor(url: URL, proxyEnv: ProxyEnv | undefined): Proxy | undefined {
  if (proxyEnv === undefined || isLoopback(url) || isExcepted(url, proxyEnv.no_proxy ?? "")) return undefined;
  const { http_proxy: httpProxy, https_proxy: httpsProxy } = proxyEnv;
  if (url.protocol === "https:" && httpsProxy) return parseProxy("https_proxy", httpsProxy);
  return httpProxy ? parseProxy("http_proxy", httpProxy) : undefined;
}

function parseProxy(name: keyof ProxyEnv, value: string): Proxy {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    // The message leaves out the value, which may contain a password.
    throw new StackferryError("config", `${name} is not the address of an http or https proxy`, {
      hint: `set ${name} to http://host:port, or unset it`,
    });
  }
  const { username, password, origin } = url;
  if (username === "" && password === "") return { uri: origin };
  const login = Buffer.concat([percentDecoded(username), Buffer.from(":"), percentDecoded(password)]);
  return { uri: origin, token: `Basic ${login.toString("base64")}` };
}

/** A `%` without two hex digits stays, as in other programs. */
function percentDecoded(text: string): Buffer {
  return Buffer.from(
    text.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
}

/** The rules are those of curl and Go. */
function isExcepted(url: URL, noProxy: string): boolean {
  const host = unbracketed(url.hostname.toLowerCase().replace(/\.$/, ""));
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return noProxy.split(/[,\s]+/).some((entry) => entry !== "" && matches(entry.toLowerCase(), host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const [, network = "", bits = ""] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (network !== "") return isInNetwork(host, unbracketed(network), Number(bits));
  // A bare IPv6 address can end in a colon and digits, which are no port.
  const [, name = entry, onlyPort = port] = isIP(entry) === 0 ? (/^(.+):(\d+)$/.exec(entry) ?? []) : [];
  if (Number(onlyPort) !== Number(port)) return false;
  const address = unbracketed(name);
  const version = isIP(address);
  if (version !== 0) return isInNetwork(host, address, version === 4 ? 32 : 128);
  const domain = name.replace(/^\*?\./, "").replace(/\.$/, "");
  return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
}

function isInNetwork(host: string, network: string, bits: number): boolean {
  const [ofHost, ofNetwork] = [familyOf(host), familyOf(network)];
  if (ofHost === undefined || ofNetwork === undefined || bits > (ofNetwork === "ipv4" ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, bits, ofNetwork);
  return list.check(host, ofHost);
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? "ipv4" : "ipv6";
}

export function unbracketed(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}
