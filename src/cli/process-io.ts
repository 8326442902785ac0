import { createInterface } from "node:readline";
import type { CliIo, TextOutput } from "./io.ts";

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
        for (const signal of SIGNALS) process.off(signal, listener);
      };
    },
    exitNow: (code) => process.exit(code),
  };
}

function output(stream: NodeJS.WriteStream): TextOutput {
  // `stackferry … | head` closes the pipe early; that is the reader's choice and no failure of ours.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  return {
    write: (text) => void stream.write(text),
    get isTTY() {
      return stream.isTTY;
    },
    get columns() {
      return stream.isTTY ? stream.columns : undefined;
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
