import { EventEmitter } from "node:events";
import { homedir } from "node:os";
import { join } from "node:path";
import { main } from "../../src/cli/main.ts";
import type { CliIo } from "../../src/cli/program/io.ts";
import { answeredPrompts } from "./answered-prompts.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { withYes } from "./with-yes.ts";

/** The process of a run. By default it has no terminal, an empty environment and a new folder. */
export interface RunCliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Makes stdin and stderr terminals. The answers are given one after another. */
  readonly terminal?: {
    readonly columns: number;
    readonly answers?: readonly string[];
    /** If false, the answers come through a pipe. */
    readonly stdin?: boolean;
  };
  readonly now?: () => number;
  /** If true, the arguments are used as they are: without an added `--yes` and without the short wait for lagging lists. */
  readonly exactly?: boolean;
  /** Emits "signal" with the name of a signal. */
  readonly signals?: EventEmitter;
  /** Called with each text that is written to stdout. */
  readonly onStdout?: (text: string) => void;
  /** Called with each text that is written to stderr. */
  readonly onStderr?: (text: string) => void;
}

/** The result of a run. */
export interface CliRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly cwd: string;
  /** The exit code of `exitNow`, if the run called it. */
  readonly endedAtOnce: number | undefined;
}

/** Returns the folder in which the runs of a test file keep the key that seals journals. */
export const stateHome = (): string => join(homedir(), ".runs");

/**
 * Returns the environment, unless it says otherwise with a state folder, and with the shortest wait for lagging lists, because those
 * of a sandbox do not lag. `env` may be a Proxy, so it is not copied.
 */
function withDefaults(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const defaults = new Map([
    ["XDG_STATE_HOME", stateHome()],
    ["STACKFERRY_CONSISTENCY_WAIT", "1ms"],
  ]);
  return new Proxy(env, { get: (given, name) => given[String(name)] ?? defaults.get(String(name)) });
}

/** Runs the program in this process. */
export async function runCli(args: readonly string[], options: RunCliOptions = {}): Promise<CliRun> {
  const cwd = options.cwd ?? temporaryFolder();
  const signals = options.signals ?? new EventEmitter();
  const written = { stdout: "", stderr: "" };
  const isTTY = options.terminal !== undefined;
  let endedAtOnce: number | undefined;
  const output = (name: "stdout" | "stderr", see?: (text: string) => void): CliIo["stdout"] => ({
    write(text) {
      written[name] += text;
      see?.(text);
    },
    isTTY,
    columns: options.terminal?.columns,
  });
  const io: CliIo = {
    stdout: output("stdout", options.onStdout),
    stderr: output("stderr", options.onStderr),
    stdin: {
      isTTY: options.terminal?.stdin ?? isTTY,
      prompts: answeredPrompts(options.terminal?.answers ?? [], (text) => (written.stderr += text)),
    },
    env: withDefaults(options.env ?? {}),
    cwd,
    now: options.now ?? Date.now,
    onSignal(listener) {
      signals.on("signal", listener);
      return () => signals.off("signal", listener);
    },
    exitNow: (code) => {
      endedAtOnce = code;
    },
  };
  const words = options.exactly === true || isTTY ? args : withYes(args);
  const exitCode = await main(words, io);
  return { exitCode, ...written, cwd, endedAtOnce };
}

/** Returns the JSON document of a run with `--json`. Throws if stdout contains anything else. */
export function documentOf(run: CliRun): Record<string, unknown> {
  const parsed: unknown = JSON.parse(run.stdout);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new Error("stdout is no JSON object");
  return { ...parsed };
}
