import { EnvHttpProxyAgent, fetch } from "undici";
import type { ProxyEnv } from "../core/ports.ts";
import type { Channel, RunSummary } from "./channel.ts";

/**
 * Returns the channel that pings a health-check service: `URL/start` when the run begins, `URL` when it ends with exit code 0, else
 * `URL/<exit code>`. The query of the address is kept. The ping at the end has a JSON body of numbers and codes, which such
 * services display.
 */
export function pingChannel(url: URL, proxies: ProxyEnv | undefined): Channel {
  return {
    label: url.origin,
    start: (signal) => ping(withPath(url, "start"), undefined, proxies, signal),
    end: (summary, signal) => {
      const { exitCode } = summary;
      return ping(exitCode === 0 ? url : withPath(url, String(exitCode)), summary, proxies, signal);
    },
  };
}

function withPath(url: URL, suffix: string): URL {
  const longer = new URL(url);
  longer.pathname = `${url.pathname.replace(/\/+$/, "")}/${suffix}`;
  return longer;
}

async function ping(
  url: URL,
  summary: RunSummary | undefined,
  proxies: ProxyEnv | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { http_proxy: httpProxy = "", https_proxy: httpsProxy = "", no_proxy: noProxy = "" } = proxies ?? {};
  // An unset variable becomes an empty text, because the library would read absent values from the environment.
  const proxy = { httpProxy, httpsProxy, noProxy, proxyTunnel: false };
  // Explicit, because otherwise NODE_TLS_REJECT_UNAUTHORIZED=0 would turn off certificate checks.
  const checked = { rejectUnauthorized: true };
  const dispatcher = new EnvHttpProxyAgent({ ...proxy, connect: checked, requestTls: checked, proxyTls: checked });
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      ...(summary !== undefined && { body: JSON.stringify(summary) }),
      // An address with a token must not be sent to another host.
      redirect: "manual",
      signal,
      dispatcher,
    });
    if (!response.ok) throw new Error(`the response has status ${response.status}`);
  } finally {
    await dispatcher.destroy();
  }
}
