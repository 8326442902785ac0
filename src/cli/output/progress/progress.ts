import { pluralize } from "../../../core/text/format.ts";
import { nounOf } from "../../../kinds/registry.ts";
import type { RunEvent } from "../../../core/events.ts";
import type { Warning } from "../../../core/outcome.ts";
import { printable } from "../../../core/text/printable.ts";
import type { TextOutput } from "../../program/io.ts";
import type { OutputOptions } from "../terminal/theme.ts";
import { createStatuses, withName, phaseText, seconds, waitText } from "./status.ts";

/** The display settings of a run's progress. */
export interface ProgressOptions {
  readonly output: TextOutput;
  readonly display: OutputOptions;
  readonly now: () => number;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** Shows events on stderr: one line rewritten in place on a terminal, a line for each phase elsewhere. */
export interface Progress {
  show(event: RunEvent): void;
  /** Prints a text above the progress line, even with `--quiet`. */
  say(text: string): void;
  end(): void;
}

/** Shorter waits are not logged. */
const MIN_WAIT_MS = 2000;
/** At most one wait per stack is logged in this interval, so that the log stays readable. */
const WAIT_EVERY_MS = 60_000;
const CLEAR_LINE = "\r\u001b[2K";

/** Creates the progress display, empty at first. */
export function createProgress(options: ProgressOptions): Progress {
  const { output, quiet } = options;
  const live = output.isTTY && !quiet;
  const statuses = createStatuses();
  const waits: Waits = new Map();
  let isLineVisible = false;
  const clear = (): void => {
    if (isLineVisible) output.write(CLEAR_LINE);
    isLineVisible = false;
  };
  const redraw = (): void => {
    const line = live ? statuses.line(options.now(), (output.columns ?? 80) - 1) : "";
    if (line === "") return;
    output.write(CLEAR_LINE + line);
    isLineVisible = true;
  };
  const say = (text: string): void => {
    clear();
    output.write(text);
    // A question ends without a line break, so a redraw would erase the answer that is being typed.
    if (text.endsWith("\n")) redraw();
  };
  return {
    say,
    show(event) {
      if (quiet && event.type !== "warning") return;
      statuses.follow(event, options.now());
      const text = isToldAlready(event, waits, options.now()) ? "" : lineOf(event, options);
      if (text === "") redraw();
      else say(`${text}\n`);
    },
    end() {
      clear();
      statuses.clear();
    },
  };
}

/** By stack: when a wait was last logged, in Unix milliseconds. */
type Waits = Map<string, number>;

function isToldAlready(event: RunEvent, waits: Waits, now: number): boolean {
  if (event.type !== "wait" || event.untilMs - now <= MIN_WAIT_MS) return false;
  const stack = event.stack ?? "";
  const last = waits.get(stack);
  if (last !== undefined && now - last < WAIT_EVERY_MS) return true;
  waits.set(stack, now);
  return false;
}

/** Returns the line that an event leaves in the log; empty for events that change only the status line. */
function lineOf(event: RunEvent, options: ProgressOptions): string {
  const text = textOf(event, options);
  return text === "" ? "" : withName(event.stack, text);
}

/** Returns the warning's message, followed by the JSON pointer if the message does not name the place. */
function warningText({ message, pointer = "" }: Warning): string {
  return message.includes(pointer) ? message : `${message} (${pointer})`;
}

function textOf(event: RunEvent, { output, display, now, verbose }: ProgressOptions): string {
  const { theme } = display;
  switch (event.type) {
    case "warning":
      return theme.notice(printable(`warning: ${warningText(event.warning)}`));
    case "request":
      return verbose
        ? theme.faint(printable(`${event.method} ${event.path} ${event.status} ${Math.round(event.ms)} ms`))
        : "";
    case "retry":
      return verbose || (!output.isTTY && event.inMs > MIN_WAIT_MS)
        ? theme.faint(printable(`${event.reason}; again in ${seconds(event.inMs)}`))
        : "";
    case "phase":
      return output.isTTY ? "" : printable(phaseText(event));
    case "listed":
      return output.isTTY
        ? ""
        : printable(`${event.stack === undefined ? "  " : ""}${pluralize(event.count, nounOf(event.kind))}`);
    case "wait":
      return output.isTTY || event.untilMs - now() <= MIN_WAIT_MS ? "" : printable(waitText(event, now()));
    case "outcome":
      return "";
    default:
      return event satisfies never;
  }
}
