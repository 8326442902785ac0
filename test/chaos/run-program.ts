import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { withYes } from "../support/with-yes.ts";

const SLOW_DISK = resolve(import.meta.dirname, "slow-disk.js");
/** The built program. */
export const PROGRAM = resolve(import.meta.dirname, "../../bin/stackferry.js");

/** How a process of the program ended. */
export interface ProgramEnd {
  /** Null if the process was killed. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Interval of the checks for the moment of the kill, in milliseconds. */
const POLL_MS = 2;

/** Returns the environment variables that slow down the disk. */
export function slowDisk(ms: number): Record<string, string> {
  return ms === 0 ? {} : { NODE_OPTIONS: `--import ${SLOW_DISK}`, CHAOS_DISK_MS: String(ms) };
}

/** When a running process gets a signal, and which one; by default SIGKILL. */
export interface EndingSignal {
  readonly when: () => boolean;
  readonly afterMs: number;
  readonly signal?: NodeJS.Signals;
}

/** Runs the built program in a process of its own. */
export function runProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
  kill?: EndingSignal,
): Promise<ProgramEnd> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [PROGRAM, ...withYes(args)], {
      cwd,
      // A killed program does not delete its temporary files.
      env: { PATH: process.env["PATH"], TMPDIR: temporaryFolder(), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const text = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text.stdout += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text.stderr += chunk));
    const timer = setInterval(() => {
      if (!kill?.when()) return;
      clearInterval(timer);
      setTimeout(() => child.kill(kill.signal ?? "SIGKILL"), kill.afterMs);
    }, POLL_MS);
    child.on("error", failed);
    child.on("close", (exitCode) => {
      clearInterval(timer);
      done({ exitCode, ...text });
    });
  });
}
