import { fetch, type Dispatcher } from "undici";
import type { Channel, RunSummary } from "./channel.ts";

/**
 * Returns the channel that pings a health-check service: `URL/start` when the run begins, `URL` when it ends with exit code 0, else
 * `URL/<exit code>`. The query of the address is kept. The ping at the end has a JSON body of numbers and codes, which such
 * services display.
 * @param connect creates the connections of one ping
 */
export function pingChannel(url: URL, connect: () => Dispatcher): Channel {
  return {
    label: url.origin,
    start: (signal) => ping(withPath(url, "start"), undefined, connect, signal),
    end: (summary, signal) => {
      const { exitCode } = summary;
      return ping(exitCode === 0 ? url : withPath(url, String(exitCode)), summary, connect, signal);
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
  connect: () => Dispatcher,
  signal: AbortSignal,
): Promise<void> {
  const dispatcher = connect();
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
