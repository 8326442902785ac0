import { createInterface } from "node:readline";

/** Somewhere to write text, and what is known of it. */
export interface TextOutput {
  write(text: string): void;
  readonly isTTY: boolean;
  /** Width of the terminal; undefined where there is none. */
  readonly columns: number | undefined;
}

/** Everything of the process that the command line uses. Tests replace it. */
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

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The real process. */
export function processIo(): CliIo {
  return {
    stdout: output(process.stdout),
    stderr: output(process.stderr),
    stdin: {
      get isTTY() {
        return process.stdin.isTTY;
      },
      readLine,
    },
    env: process.env,
    cwd: process.cwd(),
    now: Date.now,
    onSignal(listener) {
      for (const signal of SIGNALS) process.on(signal, listener);
      return () => {
        for (const signal of SIGNALS) {
          process.off(signal, listener);
          // A signal that comes when all is done ends the process as the run has ended, not as one that was killed.
          process.on(signal, () => process.exit(process.exitCode ?? 130));
        }
      };
    },
    exitNow: (code) => process.exit(code),
  };
}

function output(stream: NodeJS.WriteStream): TextOutput {
  // `stackferry … | head` closes the pipe early. That is no failure.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  return {
    write: (text) => void stream.write(text),
    get isTTY() {
      return stream.isTTY;
    },
    get columns() {
      // A terminal that does not know its width says 0.
      return stream.isTTY ? stream.columns || undefined : undefined;
    },
  };
}

async function readLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line;
    return "";
  } finally {
    lines.close();
  }
}
