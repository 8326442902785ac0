/** How one stack of a run fared: the exit code that a run about it alone would have had. */
export interface StackEnd {
  readonly stack: string;
  readonly exitCode: number;
}

/** What is told of a run: numbers, names and codes. Never a credential, never what a record holds. */
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
  /** How each stack fared, in a run about several. */
  readonly stacks: readonly StackEnd[];
  /** Records that were dealt with, by kind. */
  readonly records: Readonly<Record<string, number>>;
  /** Records by what was done with them, `failed` where that failed. */
  readonly counts: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly warnings: number;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Somewhere to tell of a run. What goes wrong is thrown; whoever tells decides that it does not matter to the run. */
export interface Channel {
  /** For messages: an address without the part that could be a token, or a path. */
  readonly label: string;
  start?(signal: AbortSignal): Promise<void>;
  end(summary: RunSummary, signal: AbortSignal): Promise<void>;
}
