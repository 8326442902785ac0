import { fetch, type Dispatcher } from "undici";
import { StackferryError } from "../core/errors.ts";

/** The end of a run for one of its stacks. `exitCode` is that of a run with this stack alone. */
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
  /** By kind: the number of added, removed and changed records since the last good backup. Absent after a check. */
  readonly changes?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Seconds since a run last found the stack equal to the newest good archive. Absent if no archive is good. */
  readonly newestGoodAgeSeconds?: number;
  /** When a run last found the stack equal to the newest good archive, in Unix seconds. Absent if no archive is good. */
  readonly newestGoodAt?: number;
}

/** The report of a run: numbers, names, codes and the error. Contains no credential and no content of a record. */
export interface RunSummary {
  readonly command: string;
  readonly version: string;
  /**
   * The label of the run's stack (of the target, if there is one); empty if the run had no stack, or reports its stacks in `stacks`.
   */
  readonly stack: string;
  /** Start of the run, in Unix milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly exitCode: number;
  /** The stacks of a command that can have several, even if the run had only one. Empty for other commands. */
  readonly stacks: readonly StackEnd[];
  /** Number of records that were done, by kind. */
  readonly records: Readonly<Record<string, number>>;
  /** Number of records by action. Failed and matched records are counted as `failed` and `matched` instead. */
  readonly counts: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly warnings: number;
  readonly error?: { readonly code: string; readonly message: string };
}

/** A receiver of run summaries. Its methods throw on failure. The caller reports the error as a warning. */
export interface Channel {
  /** The channel's name in messages: a path, or the origin of an address, whose path may be a token. */
  readonly label: string;
  start?(signal: AbortSignal): Promise<void>;
  end(summary: RunSummary, signal: AbortSignal): Promise<void>;
}

/**
 * Parses the address of a channel. No message quotes the address, because it often contains a token.
 * @param label the flag or variable with the address
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
 * Returns the channel that pings a health-check service: `URL/start` when the run begins, then `URL` for exit code 0,
 * or `URL/<exit code>`. Keeps the query of the address. The last ping sends the run summary as JSON.
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
