import { StackferryError } from "../core/errors.ts";

/** One stack of a run, with the exit code of a run with only this stack. */
export interface StackEnd {
  readonly stack: string;
  readonly exitCode: number;
  /** Present after a backup or a check. */
  readonly backup?: BackupFigures;
}

/** The state of a stack's backups. */
export interface BackupFigures {
  /** Number of archives that the repository has of the stack. */
  readonly archives: number;
  /** Whether the newest archive is suspect. */
  readonly suspect: boolean;
  /** Number of records in the newest archive, by kind. */
  readonly records?: Readonly<Record<string, number>>;
  /** Kinds with fewer records in the newest archive than in the good one before it, and the number in the older one. */
  readonly shrunkFrom?: Readonly<Record<string, number>>;
  /** Size of the newest archive. */
  readonly bytes?: number;
  /** Seconds since a run last found the stack equal to the newest good archive; absent if there is none. */
  readonly newestGoodAgeSeconds?: number;
}

/** By kind: how many fewer records the newest archive has than the good one before it; 0 if it has as many. */
export function recordsLost({ records = {}, shrunkFrom = {} }: BackupFigures): Readonly<Record<string, number>> {
  const kinds = new Set([...Object.keys(records), ...Object.keys(shrunkFrom)]);
  return Object.fromEntries(
    [...kinds].map((kind) => [kind, Math.max(0, (shrunkFrom[kind] ?? 0) - (records[kind] ?? 0))]),
  );
}

/** The report of a run: numbers, names and codes. It never contains a credential or the content of a record. */
export interface RunSummary {
  readonly command: string;
  /** The program's version. */
  readonly version: string;
  /** The stack of the run, as its reports name it; empty if there was none. */
  readonly stack: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly exitCode: number;
  /** The stacks of a run with several. */
  readonly stacks: readonly StackEnd[];
  /** Processed records, by kind. */
  readonly records: Readonly<Record<string, number>>;
  /** Records by action, or `failed` if the action failed. */
  readonly counts: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly warnings: number;
  readonly error?: { readonly code: string; readonly message: string };
}

/** A receiver of run summaries. It throws when it fails; the caller turns that into a warning. */
export interface Channel {
  /** The name in messages: a path, or an address without the part that could be a token. */
  readonly label: string;
  start?(signal: AbortSignal): Promise<void>;
  end(summary: RunSummary, signal: AbortSignal): Promise<void>;
}

/**
 * Parses the address of a channel. It often contains a token, so no message repeats it.
 * @param what the flag or variable that contains it
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
