import { isatty } from "node:tty";
import type { ProxyEnv } from "../../core/ports.ts";
import { terminalPrompts, type Prompts } from "./prompts.ts";
import { withoutLineEnd } from "../../core/text/encoding.ts";
import { credentialForms } from "../../redaction/credentials.ts";

export interface TextOutput {
  write(text: string): void;
  readonly isTTY: boolean;
  /** Undefined if the output is no terminal, or the width is unknown. */
  readonly columns: number | undefined;
}

/** Tests replace these parts of the process. */
export interface CliIo {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly stdin: {
    readonly isTTY: boolean;
    readonly prompts: Prompts;
  };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  now(): number;
  /** Listens until the returned function is called. */
  onSignal(listener: (signal: string) => void): () => void;
  exitNow(code: number): void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export function processIo(): CliIo {
  return {
    stdout: output(process.stdout),
    stderr: output(process.stderr),
    stdin: {
      get isTTY() {
        return process.stdin.isTTY;
      },
      prompts: terminalPrompts,
    },
    env: process.env,
    cwd: process.cwd(),
    now: Date.now,
    onSignal(listener) {
      for (const signal of SIGNALS) process.on(signal, listener);
      endByHangupWithoutTerminal();
      return () => {
        for (const signal of SIGNALS) {
          process.off(signal, listener);
          // A signal that arrives after the run has ended must not change the exit code.
          process.on(signal, () => process.exit(process.exitCode ?? 130));
        }
      };
    },
    exitNow: (code) => process.exit(code),
  };
}

/** If the terminal is gone, Node would try to reset the terminal, fail, and abort with a core dump. */
function endByHangupWithoutTerminal(): void {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  const end = (): void => {
    if (terminals.every((descriptor) => isatty(descriptor))) return;
    process.removeAllListeners("SIGHUP");
    process.kill(process.pid, "SIGHUP");
  };
  process.once("SIGHUP", () => process.once("exit", end));
}

/** A run whose output is lost must not report success. */
function failEnd(code: number): void {
  if (code === 0 || code === 10) process.exitCode = 1;
}

function output(stream: NodeJS.WriteStream): TextOutput {
  let lost = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // `stackferry … | head` closes the pipe early, which is no failure. Nobody could read a report about stderr.
    if (error.code === "EPIPE" || stream !== process.stdout) return;
    if (lost) return;
    lost = true;
    process.once("exit", failEnd);
    process.stderr.write(`stackferry: the output cannot be written: ${error.message}\n  the run itself went on\n`);
  });
  return {
    write: (text) => void stream.write(text),
    get isTTY() {
      return stream.isTTY;
    },
    get columns() {
      // A terminal of unknown width reports 0.
      return stream.isTTY ? stream.columns || undefined : undefined;
    },
  };
}

/** Lower case takes precedence, as in other programs. Undefined without a proxy. */
export function readProxyEnv(env: Readonly<Record<string, string | undefined>>): ProxyEnv | undefined {
  const names = ["http_proxy", "https_proxy", "no_proxy"] as const;
  const variables = names.flatMap((name) => {
    const value = env[name] || env[name.toUpperCase()];
    return value ? [[name, value] as const] : [];
  });
  const proxies = variables.filter(([name]) => name !== "no_proxy");
  return proxies.length === 0 ? undefined : Object.fromEntries(variables);
}

export interface OutputScrubber {
  add(...secrets: readonly string[]): void;
  scrub(text: string): string;
}

const MARK = "«credential»";

export function createOutputScrubber(): OutputScrubber {
  const forms = new Set<string>();
  return {
    add(...secrets) {
      for (const secret of secrets) for (const form of credentialForms(secret)) forms.add(form);
    },
    // The longest secret is replaced first, because a secret can contain another one.
    scrub: (text) =>
      [...forms].sort((a, b) => b.length - a.length).reduce((cleaned, form) => cleaned.replaceAll(form, MARK), text),
  };
}

function scrubbedOutput(output: TextOutput, outputScrubber: OutputScrubber): TextOutput {
  return {
    write: (text) => output.write(outputScrubber.scrub(text)),
    get isTTY() {
      return output.isTTY;
    },
    get columns() {
      return output.columns;
    },
  };
}

export function createScrubbedIo(
  io: CliIo,
  command: string,
): { readonly io: CliIo; readonly outputScrubber: OutputScrubber } {
  const outputScrubber = createOutputScrubber();
  // A sandbox prints its keys on purpose, and the environment may already have these keys.
  if (command !== "sandbox") outputScrubber.add(...environmentSecrets(io.env));
  const [stdout, stderr] = [scrubbedOutput(io.stdout, outputScrubber), scrubbedOutput(io.stderr, outputScrubber)];
  return { io: { ...io, stdout, stderr }, outputScrubber };
}

const NAMES = /^STACKFERRY_(?:.+_)?(?:API_KEY|KEY_ID|KEY_SECRET|PASSPHRASE)$/;

/** Unused secrets are included, because a crash can print any variable. */
export function environmentSecrets(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => (NAMES.test(name) && value ? [withoutLineEnd(value)] : []));
}
