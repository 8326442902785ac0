import { setMaxListeners } from "node:events";
import { StackferryError } from "../../core/errors.ts";
import type { EventSink } from "../../core/events.ts";
import type { RunState } from "../output/document.ts";
import { printableText } from "../../core/text/printable.ts";
import { createProgress } from "../output/progress.ts";
import { createTheme, usesColour, type OutputOptions } from "../output/terminal.ts";
import type { GlobalInput } from "./flags.ts";
import type { Prompts } from "./prompts.ts";
import type { CliIo, OutputScrubber } from "./io.ts";

export interface Session {
  readonly io: CliIo;
  /** The words of the command line, without the name of the program. */
  readonly words: readonly string[];
  readonly globals: GlobalInput;
  readonly outputScrubber: OutputScrubber;
  /** The credentials for stacks, repositories and proxies. */
  readonly credentials: readonly string[];
  /** Also removes the credentials from everything that is printed later. */
  addCredentials(...credentials: readonly string[]): void;
  readonly runState: RunState;
  readonly events: EventSink;
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly prompts: Prompts;
  readonly resultDisplay: OutputOptions;
  /** For texts on stderr, which are not results. */
  readonly messageDisplay: OutputOptions;
  /** Prints on stderr, above the progress line. */
  say(text: string): void;
  /** Like `say`, but silent with `--quiet`; for texts that report no problem. */
  note(text: string): void;
  close(): void;
}

export function createSession(
  words: readonly string[],
  io: CliIo,
  globals: GlobalInput,
  outputScrubber: OutputScrubber,
): Session {
  const runState: RunState = { outcomes: [], warnings: [], requestCounts: [] };
  const err = outputOptionsOf(io, "stderr", globals);
  const progress = createProgress({ output: io.stderr, display: err, now: () => io.now(), quiet: globals.quiet });
  const say = (text: string): void => progress.say(text);
  const { signal, stopListening } = listenForSignals(io, say);
  const credentials: string[] = [];
  return {
    io,
    words,
    globals,
    outputScrubber,
    credentials,
    addCredentials: (...added) => {
      const unknown = added.filter((credential) => !credentials.includes(credential));
      outputScrubber.add(...unknown);
      credentials.push(...unknown);
    },
    runState,
    signal,
    startedAt: io.now(),
    prompts: belowProgress(io.stdin.prompts, say),
    resultDisplay: outputOptionsOf(io, "stdout", globals),
    messageDisplay: err,
    say,
    note: globals.quiet ? () => {} : say,
    events: (event) => {
      if (event.type === "outcome") runState.outcomes.push(event.outcome);
      if (event.type === "warning") runState.warnings.push(event.warning);
      progress.show(event);
    },
    close: () => {
      stopListening();
      progress.end(signal.aborted);
    },
  };
}

/** Removes the progress line first, because a question would be drawn behind it. */
function belowProgress(prompts: Prompts, say: (text: string) => void): Prompts {
  return {
    text: (...question) => (say(""), prompts.text(...question)),
    choose: (...question) => (say(""), prompts.choose(...question)),
  };
}

export function outputOptionsOf(
  io: CliIo,
  stream: "stdout" | "stderr",
  { noColor, verbose = false }: { readonly noColor: boolean; readonly verbose?: boolean },
): OutputOptions {
  return { theme: createTheme(usesColour(io[stream], io.env, noColor)), columns: io[stream].columns, verbose };
}

function listenForSignals(io: CliIo, say: (text: string) => void): { signal: AbortSignal; stopListening: () => void } {
  const controller = new AbortController();
  // Node warns of many listeners, and every request in flight adds one.
  setMaxListeners(0, controller.signal);
  const stopListening = io.onSignal((name) => {
    if (controller.signal.aborted) {
      // A closed terminal can send SIGHUP twice: once itself, and once through its shell.
      if (name !== "SIGHUP") io.exitNow(130);
      return;
    }
    say(
      `stackferry: ${name} received: finishing the writes in flight, then stopping (send it again to stop at once)\n`,
    );
    const hint = "run the same command again to finish the rest; finished records stay as they are";
    controller.abort(new StackferryError("interrupted", `interrupted by ${name}`, { hint }));
  });
  return { signal: controller.signal, stopListening };
}

export function canAsk({ io }: Session): boolean {
  return io.stdin.isTTY && io.stderr.isTTY;
}

export function refuseUnconfirmed(
  { yes, dryRun, plan }: { readonly yes: boolean; readonly dryRun: boolean; readonly plan?: string | undefined },
  session: Session,
): void {
  if (yes || dryRun || plan !== undefined || canAsk(session)) return;
  throw new StackferryError("usage", "there is no terminal to ask on, so nothing was written or removed", {
    hint: "add --yes to go on without being asked, or --dry-run to see what would be done",
  });
}

/** Asks for the whole word "yes": keys pressed before the question must not confirm it. */
export async function confirm(question: string, { prompts, signal }: Session): Promise<void> {
  const isAnswer = (typed: string): boolean => ["yes", "no", "n"].includes(typed.toLowerCase());
  const problemOf = (typed: string): string | undefined => (isAnswer(typed) ? undefined : "type yes to go on, or no");
  const message = `${printableText(question)} Only "yes" goes on.`;
  const answer = await prompts.text({ message, otherwise: "no", problemOf }, signal);
  if (answer.toLowerCase() === "yes") return;
  throw new StackferryError("declined", "stopped before anything was written or removed", {
    hint: "--yes does not ask",
  });
}
