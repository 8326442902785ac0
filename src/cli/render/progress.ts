import type { JobEvent } from "../../domain/events.ts";
import type { TextOutput } from "../io.ts";
import { fit } from "./fit.ts";
import { printable } from "./printable.ts";
import type { View } from "./theme.ts";

/** What the progress of a run is shown with. */
export interface ProgressOptions {
  readonly output: TextOutput;
  readonly view: View;
  readonly now: () => number;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** Shows events on stderr: one line rewritten on a terminal, a line for each phase elsewhere. */
export interface Progress {
  show(event: JobEvent): void;
  /** Writes a text above the progress line, whether quiet or not. */
  say(text: string): void;
  end(): void;
}

/** Shorter waits are not worth a line of their own in a log. */
const LEAST_WAIT_MS = 2000;
const CLEAR_LINE = "\r\u001b[2K";

/** Progress that has nothing to show yet. */
export function createProgress(options: ProgressOptions): Progress {
  const { output, quiet } = options;
  const live = output.isTTY && !quiet;
  const state = { phase: "", total: undefined as number | undefined, done: 0, note: "", shown: false };
  const clear = (): void => {
    if (state.shown) output.write(CLEAR_LINE);
    state.shown = false;
  };
  const redraw = (): void => {
    if (!live || state.phase === "") return;
    output.write(CLEAR_LINE + fit(statusLine(state), (output.columns ?? 80) - 1));
    state.shown = true;
  };
  const say = (text: string): void => {
    clear();
    output.write(text);
    redraw();
  };
  return {
    say,
    show(event) {
      if (quiet) return;
      follow(event, state, options);
      const text = lineOf(event, options);
      if (text === "") redraw();
      else say(`${text}\n`);
    },
    end() {
      clear();
      state.phase = "";
    },
  };
}

interface State {
  phase: string;
  total: number | undefined;
  done: number;
  note: string;
}

function follow(event: JobEvent, state: State, { now }: ProgressOptions): void {
  if (event.type === "phase") Object.assign(state, { phase: event.phase, total: event.total, done: 0, note: "" });
  if (event.type === "outcome") state.done += 1;
  if (event.type === "listed") state.note = `${event.count} ${event.kind}`;
  if (event.type === "wait") state.note = `waiting ${seconds(event.untilMs - now())}: ${event.reason}`;
  if (event.type === "retry") state.note = `waiting ${seconds(event.inMs)}: ${event.reason}`;
  if (event.type === "request") state.note = state.note.startsWith("waiting") ? "" : state.note;
}

function statusLine({ phase, total, done, note }: State): string {
  const count = total === undefined ? "" : ` ${done}/${total}`;
  return printable(`${phase}${count}${note === "" ? "" : `, ${note}`}`);
}

/** The line an event leaves behind; empty for those that only move the status line. */
function lineOf(event: JobEvent, { output, view, now, verbose }: ProgressOptions): string {
  const { theme } = view;
  switch (event.type) {
    case "warning":
      return theme.notice(printable(`warning: ${event.warning.message}`));
    case "request":
      return verbose
        ? theme.faint(printable(`${event.method} ${event.path} ${event.status} ${Math.round(event.ms)} ms`))
        : "";
    case "retry":
      return verbose || (!output.isTTY && event.inMs > LEAST_WAIT_MS)
        ? theme.faint(printable(`${event.reason}; again in ${seconds(event.inMs)}`))
        : "";
    case "phase":
      return output.isTTY ? "" : printable(event.total === undefined ? event.phase : `${event.phase} (${event.total})`);
    case "listed":
      return output.isTTY ? "" : printable(`  ${event.count} ${event.kind}`);
    case "wait":
      return output.isTTY || event.untilMs - now() <= LEAST_WAIT_MS
        ? ""
        : printable(`waiting ${seconds(event.untilMs - now())}: ${event.reason}`);
    case "outcome":
      return "";
    default:
      return event satisfies never;
  }
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.max(0, Math.round(ms))} ms` : `${Math.ceil(ms / 1000)} s`;
}
