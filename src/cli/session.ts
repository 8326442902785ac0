import type { EventSink, JobEvent } from "../domain/events.ts";
import { StackferryError } from "../domain/errors.ts";
import type { GlobalInput } from "./global-flags.ts";
import type { CliIo } from "./io.ts";
import { createProgress } from "./render/progress.ts";
import { createTheme, usesColour } from "./render/theme.ts";
import type { View } from "./render/theme.ts";
import type { RunFacts } from "./report.ts";
import type { Scrubber } from "./scrubber.ts";

/** One run of one command. */
export interface Session {
  readonly io: CliIo;
  readonly globals: GlobalInput;
  readonly scrubber: Scrubber;
  readonly facts: RunFacts;
  readonly events: EventSink;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** How to show results, on stdout. */
  readonly out: View;
  /** How to show the rest, on stderr. */
  readonly err: View;
  /** A text for people on stderr, above the progress line. */
  say(text: string): void;
  /** Stops listening to signals and ends the progress line. */
  close(): void;
}

/** Begins a run. */
export function createSession(io: CliIo, globals: GlobalInput, scrubber: Scrubber): Session {
  const facts: RunFacts = { outcomes: [], warnings: [], requestCounts: [] };
  const err = viewOf(io, "stderr", globals);
  const progress = createProgress({ output: io.stderr, view: err, now: () => io.now(), ...globals });
  const say = (text: string): void => progress.say(text);
  const { signal, stopListening } = listenForSignals(io, say);
  return {
    io,
    globals,
    scrubber,
    facts,
    signal,
    startedAt: io.now(),
    out: viewOf(io, "stdout", globals),
    err,
    say,
    events: (event) => {
      remember(event, facts);
      progress.show(event);
    },
    close: () => {
      stopListening();
      progress.end();
    },
  };
}

/** How text on that stream is shown. */
export function viewOf(io: CliIo, stream: "stdout" | "stderr", { noColor }: { readonly noColor: boolean }): View {
  return { theme: createTheme(usesColour(io[stream], io.env, noColor)), columns: io[stream].columns };
}

function remember(event: JobEvent, facts: RunFacts): void {
  if (event.type === "outcome") facts.outcomes.push(event.outcome);
  if (event.type === "warning") facts.warnings.push(event.warning);
}

function listenForSignals(io: CliIo, say: (text: string) => void): { signal: AbortSignal; stopListening: () => void } {
  const controller = new AbortController();
  const stopListening = io.onSignal((name) => {
    if (controller.signal.aborted) {
      io.exitNow(130);
      return;
    }
    say(`stackferry: ${name} received: finishing what is under way, then stopping (once more to stop at once)\n`);
    const hint = "run the same command again to go on: what is done already is recognised and left alone";
    controller.abort(new StackferryError("interrupted", `interrupted by ${name}`, { hint }));
  });
  return { signal: controller.signal, stopListening };
}
