/** Somewhere to write text, and what is known of it. */
export interface TextOutput {
  write(text: string): void;
  readonly isTTY: boolean;
  /** Width of the terminal; undefined where there is none. */
  readonly columns: number | undefined;
}

/** Everything of the process that the command line touches, so that tests can stand in for it. */
export interface CliIo {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly stdin: {
    readonly isTTY: boolean;
    /** The next line without its end; empty at the end of input. */
    readLine(): Promise<string>;
  };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Unix milliseconds. */
  now(): number;
  /** Calls `listener` for each SIGINT and SIGTERM until the returned function is called. */
  onSignal(listener: (signal: string) => void): () => void;
  /** Ends the process at once. */
  exitNow(code: number): void;
}
