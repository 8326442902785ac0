import { counted } from "../../../core/text/plural.ts";
import { nounOf } from "../../../kinds/id-spaces.ts";
import type { RunEvent } from "../../../core/events.ts";
import type { Warning } from "../../../core/outcome.ts";
import { printable } from "../../../core/text/printable.ts";
import type { TextOutput } from "../../program/io.ts";
import type { OutputOptions } from "../terminal/theme.ts";
import { createStatuses, withName } from "./status.ts";
import { phaseText, seconds, waitText } from "./texts.ts";

/** What the progress of a run is shown with. */
export interface ProgressOptions {
  readonly output: TextOutput;
  readonly display: OutputOptions;
  readonly now: () => number;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** Shows events on stderr: one line rewritten on a terminal, a line for each phase elsewhere. */
export interface Progress {
  show(event: RunEvent): void;
  /** Writes a text above the progress line, whether quiet or not. */
  say(text: string): void;
  end(): void;
}

/** Shorter waits are not worth a line of their own in a log. */
const MIN_WAIT_MS = 2000;
/** A stack that is waited for again and again is told of once in this time: the log is for the rest, too. */
const WAIT_EVERY_MS = 60_000;
const CLEAR_LINE = "\r\u001b[2K";

/** Progress that has nothing to show yet. */
export function createProgress(options: ProgressOptions): Progress {
  const { output, quiet } = options;
  const live = output.isTTY && !quiet;
  const statuses = createStatuses();
  const waits: Waits = new Map();
  let shown = false;
  const clear = (): void => {
    if (shown) output.write(CLEAR_LINE);
    shown = false;
  };
  const redraw = (): void => {
    const line = live ? statuses.line(options.now(), (output.columns ?? 80) - 1) : "";
    if (line === "") return;
    output.write(CLEAR_LINE + line);
    shown = true;
  };
  const say = (text: string): void => {
    clear();
    output.write(text);
    // A question ends without a line break. A redraw would erase what is typed after it.
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

/** By stack: when a wait was last written down, Unix milliseconds. */
type Waits = Map<string, number>;

function isToldAlready(event: RunEvent, waits: Waits, now: number): boolean {
  if (event.type !== "wait" || event.untilMs - now <= MIN_WAIT_MS) return false;
  const stack = event.stack ?? "";
  const last = waits.get(stack);
  if (last !== undefined && now - last < WAIT_EVERY_MS) return true;
  waits.set(stack, now);
  return false;
}

/** The line an event leaves behind; empty for those that only move the status line. */
function lineOf(event: RunEvent, options: ProgressOptions): string {
  const text = textOf(event, options);
  return text === "" ? "" : withName(event.stack, text);
}

/** What is warned of, and where in the record it is. */
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
        : printable(`${event.stack === undefined ? "  " : ""}${counted(event.count, nounOf(event.kind))}`);
    case "wait":
      return output.isTTY || event.untilMs - now() <= MIN_WAIT_MS ? "" : printable(waitText(event, now()));
    case "outcome":
      return "";
    default:
      return event satisfies never;
  }
}
