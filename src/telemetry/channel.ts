import { fetch, type Dispatcher } from "undici";
import { StackferryError } from "../core/errors.ts";

/** The end of a run for one of its stacks, with the exit code that a run with only this stack would have. */
export interface StackEnd {
  readonly stack: string;
  readonly exitCode: number;
  /** Present after a backup or a check. */
  readonly backup?: BackupFigures;
}

export interface BackupFigures {
  readonly archives: number;
  readonly suspect: boolean;
  /** Number of records in the newest archive, by kind. */
  readonly records?: Readonly<Record<string, number>>;
  readonly bytes?: number;
  /** For each kind, the records that were added, removed or changed since the last good backup; absent after a check. */
  readonly changes?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Seconds since a run last found the stack equal to the newest good archive; absent if no archive is good. */
  readonly newestGoodAgeSeconds?: number;
  /** The time at which that run found stack and archive equal, in Unix seconds. */
  readonly newestGoodAt?: number;
}

/** The report of a run: numbers, names and codes. It never contains a credential or the content of a record. */
export interface RunSummary {
  readonly command: string;
  readonly version: string;
  /** The name of the run's stack, as reports show it; empty if the run had no stack. */
  readonly stack: string;
  /** The start of the run, in Unix milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly exitCode: number;
  /** The stacks, if the run had several. */
  readonly stacks: readonly StackEnd[];
  readonly records: Readonly<Record<string, number>>;
  /** The number of records, by action. Records whose action failed count as `failed`. */
  readonly counts: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly warnings: number;
  readonly error?: { readonly code: string; readonly message: string };
}

/** A receiver of run summaries. Its methods throw on failure, and the caller turns the error into a warning. */
export interface Channel {
  /** The channel's name in messages: a path, or an address without the part that could be a token. */
  readonly label: string;
  start?(signal: AbortSignal): Promise<void>;
  end(summary: RunSummary, signal: AbortSignal): Promise<void>;
}

/**
 * Parses the address of a channel. The address often contains a token, so no message quotes it.
 * @param label the flag or variable that contains the address
 * @throws StackferryError `usage`
 */
export function parseChannelUrl(text: string, label: string): URL {
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text)) {
    throw new StackferryError("usage", `${label} must be an http or https address`);
  }
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    throw new StackferryError("usage", `${label} holds a user name or password`, {
      hint: "take it out: a report of a run carries no credential",
    });
  }
  return url;
}

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
