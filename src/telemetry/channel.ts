import { StackferryError } from "../core/errors.ts";

/** One stack of a run, with the exit code that a run about it alone would have had. */
export interface StackEnd {
  readonly stack: string;
  readonly exitCode: number;
  /** Of a backup or a check. */
  readonly backup?: BackupFigures;
}

/** How a stack's backups stand. */
export interface BackupFigures {
  /** How many archives the repository has of the stack. */
  readonly archives: number;
  /** Whether the newest archive is suspect. */
  readonly suspect: boolean;
  /** What the newest archive holds, by kind. */
  readonly records?: Readonly<Record<string, number>>;
  /** Kinds of which the newest archive holds less than the good one before it: how many that held. */
  readonly shrunkFrom?: Readonly<Record<string, number>>;
  /** Size of the newest archive. */
  readonly bytes?: number;
  /** Since the stack was last known to equal the newest good archive; absent where there is none. */
  readonly newestGoodAgeSeconds?: number;
}

/** Of each kind in the newest archive: how many records it holds less than the good one before it. 0 where it holds no fewer. */
export function recordsLost({ records = {}, shrunkFrom = {} }: BackupFigures): Readonly<Record<string, number>> {
  const kinds = new Set([...Object.keys(records), ...Object.keys(shrunkFrom)]);
  return Object.fromEntries(
    [...kinds].map((kind) => [kind, Math.max(0, (shrunkFrom[kind] ?? 0) - (records[kind] ?? 0))]),
  );
}

/** What is reported of a run: numbers, names and codes. It never holds a credential or the content of a record. */
export interface RunSummary {
  readonly command: string;
  /** The program's version. */
  readonly version: string;
  /** The stack that the run was about, as its reports name it; empty where there was none. */
  readonly stack: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly exitCode: number;
  /** The stacks of a run about several. */
  readonly stacks: readonly StackEnd[];
  /** Records that were dealt with, by kind. */
  readonly records: Readonly<Record<string, number>>;
  /** Records by what was done with them, `failed` where that failed. */
  readonly counts: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly warnings: number;
  readonly error?: { readonly code: string; readonly message: string };
}

/** A receiver of run summaries. It throws when it fails; the caller makes a warning of that. */
export interface Channel {
  /** For messages: an address without the part that could be a token, or a path. */
  readonly label: string;
  start?(signal: AbortSignal): Promise<void>;
  end(summary: RunSummary, signal: AbortSignal): Promise<void>;
}

/**
 * Reads the address of a channel. It often holds a token, so no message repeats it.
 * @param what the flag or variable that it comes from
 * @throws StackferryError `usage`
 */
export function channelUrl(text: string, what: string): URL {
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text)) {
    throw new StackferryError("usage", `${what} must be an http or https address`);
  }
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    throw new StackferryError("usage", `${what} holds a user name or password`, {
      hint: "take it out: a report of a run carries no credential",
    });
  }
  return url;
}
