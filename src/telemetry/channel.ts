import { fetch, type Dispatcher } from "undici";
import { StackferryError } from "../core/errors.ts";

/** `exitCode` is that of a run with this stack alone. */
export interface StackEnd {
  readonly stack: string;
  readonly exitCode: number;
  readonly backup?: BackupFigures;
}

export interface BackupFigures {
  readonly archives: number;
  readonly suspect: boolean;
  readonly records?: Readonly<Record<string, number>>;
  readonly bytes?: number;
  /** Counts by kind and change since the last good backup. */
  readonly changes?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Counts from when a run last found the stack equal to the newest good archive. */
  readonly newestGoodAgeSeconds?: number;
  /** Unix seconds. Absent if no archive is good. */
  readonly newestGoodAt?: number;
}

/** No member contains a credential; only `error.message` can name a record. */
export interface RunSummary {
  readonly command: string;
  readonly version: string;
  /** The label of the stack or the target; empty if `stacks` names the stacks. */
  readonly stack: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly exitCode: number;
  /** Only `backup` and `check` fill the list. */
  readonly stacks: readonly StackEnd[];
  readonly records: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly warnings: number;
  readonly error?: { readonly code: string; readonly message: string };
}

/** The methods throw on failure. The caller reports the error as a warning. */
export interface Channel {
  /** A file's path, or the origin of an address, because an address's path can be a token. */
  readonly label: string;
  start?(signal: AbortSignal): Promise<void>;
  end(summary: RunSummary, signal: AbortSignal): Promise<void>;
}

/** Messages do not quote the address, because addresses often contain a token. */
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

/** Pings `URL/start` when the run begins, then `URL` for exit code 0, else `URL/<exit code>`. */
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
      // A token in the address must not be sent to another host.
      redirect: "manual",
      signal,
      dispatcher,
    });
    if (!response.ok) throw new Error(`the response has status ${response.status}`);
  } finally {
    await dispatcher.destroy();
  }
}
