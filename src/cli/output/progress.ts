import type { RunEvent } from "../../core/events.ts";
import { counted } from "../../core/text/plural.ts";
import { printable } from "../../core/text/printable.ts";
import { nounOf } from "../../kinds/id-spaces.ts";
import type { TextOutput } from "../program/io.ts";
import { fit } from "./table.ts";
import type { OutputOptions } from "./theme.ts";

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
const LEAST_WAIT_MS = 2000;
const CLEAR_LINE = "\r\u001b[2K";

/** Progress that has nothing to show yet. */
export function createProgress(options: ProgressOptions): Progress {
  const { output, quiet } = options;
  const live = output.isTTY && !quiet;
  const state: State & { shown: boolean } = { ...NOTHING, shown: false };
  const clear = (): void => {
    if (state.shown) output.write(CLEAR_LINE);
    state.shown = false;
  };
  const redraw = (): void => {
    if (!live || state.phase === "") return;
    output.write(CLEAR_LINE + fit(statusLine(state, options.now()), (output.columns ?? 80) - 1));
    state.shown = true;
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
  /** Unix milliseconds. */
  since: number;
  sent: number;
  work: Work | undefined;
}

const NOTHING: State = { phase: "", total: undefined, done: 0, note: "", since: 0, sent: 0, work: undefined };

function follow(event: RunEvent, state: State, { now }: ProgressOptions): void {
  if (event.type === "phase") {
    const { phase, total, requests, limit } = event;
    Object.assign(state, { ...NOTHING, phase, total, since: now() });
    state.work = requests === undefined ? undefined : { requests, limit };
  }
  if (event.type === "outcome") state.done += 1;
  if (event.type === "listed") state.note = counted(event.count, nounOf(event.kind));
  if (event.type === "wait") state.note = waitText(event, now());
  if (event.type === "retry") state.note = `waiting ${seconds(event.inMs)}: ${event.reason}`;
  if (event.type === "request") state.sent += 1;
  if (event.type === "request") state.note = state.note.startsWith("waiting") ? "" : state.note;
}

function statusLine({ phase, total, done, note, since, sent, work }: State, now: number): string {
  const count = total === undefined ? "" : ` ${done}/${total}`;
  const elapsedMs = now - since;
  const left = work === undefined ? "" : estimateText({ ...work, sent, elapsedMs });
  const parts = [note, left, rateText(sent, elapsedMs)].filter((part) => part !== "");
  return printable([`${phase}${count}`, ...parts].join(", "));
}

/** The line an event leaves behind; empty for those that only move the status line. */
function lineOf(event: RunEvent, { output, display, now, verbose }: ProgressOptions): string {
  const { theme } = display;
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
      return output.isTTY ? "" : printable(phaseText(event));
    case "listed":
      return output.isTTY ? "" : printable(`  ${counted(event.count, nounOf(event.kind))}`);
    case "wait":
      return output.isTTY || event.untilMs - now() <= LEAST_WAIT_MS ? "" : printable(waitText(event, now()));
    case "outcome":
      return "";
    default:
      return event satisfies never;
  }
}

function phaseText({ phase, total, requests, limit }: Extract<RunEvent, { type: "phase" }>): string {
  const count = total === undefined ? phase : `${phase} (${total})`;
  const left = requests === undefined ? "" : estimateText({ requests, limit, sent: 0, elapsedMs: 0 });
  if (left === "" || limit === undefined) return count;
  return `${count}, ${left} at ${counted(limit.requests, "request")} per ${limit.perMs / 1000} s`;
}

/** Why nothing is sent, and until when by the clock on the wall: people look at that, not at a countdown. */
function waitText({ reason, untilMs }: { readonly reason: string; readonly untilMs: number }, now: number): string {
  return `waiting ${seconds(untilMs - now)}: ${reason}, next at ${new Date(untilMs).toTimeString().slice(0, 8)}`;
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.max(0, Math.round(ms))} ms` : `${Math.ceil(ms / 1000)} s`;
}

/** What a phase has to do, as far as it is known when it begins. */
export interface Work {
  readonly requests: number;
  readonly limit: { readonly requests: number; readonly perMs: number } | undefined;
}

/** How far it is. */
export interface Pace extends Work {
  readonly sent: number;
  readonly elapsedMs: number;
}

/** Fewer or quicker requests than these say nothing of how fast the rest will be. */
const LEAST_SENT = 5;
const LEAST_MS = 2000;

/** `about 9 min left`; empty where nothing honest can be said, or nothing will have to wait. */
export function estimateText(pace: Pace): string {
  const ms = estimateMs(pace);
  if (ms === undefined || ms === 0) return "";
  if (ms < 60_000) return `about ${Math.max(5, Math.ceil(ms / 5000) * 5)} s left`;
  return `about ${Math.ceil(ms / 60_000)} min left`;
}

/**
 * How long the rest takes: as long as the limit makes it wait, or as the requests so far took, whichever is longer. A stack
 * that has taken more than the limit allows is not held to it any more.
 */
export function estimateMs({ requests, limit, sent, elapsedMs }: Pace): number | undefined {
  const left = Math.max(0, requests - sent);
  const byPace = sent >= LEAST_SENT && elapsedMs >= LEAST_MS ? (left * elapsedMs) / sent : undefined;
  if (limit === undefined) return byPace;
  const windows = Math.floor(elapsedMs / limit.perMs) + 1;
  if (sent > windows * limit.requests) return byPace;
  const wholeMs = (Math.ceil((sent + left) / limit.requests) - 1) * limit.perMs;
  return Math.max(0, wholeMs - elapsedMs, byPace ?? 0);
}

/** `8.2 requests/s`, or for a slow stack per minute; empty before it is known. */
export function rateText(sent: number, elapsedMs: number): string {
  if (sent < LEAST_SENT || elapsedMs < LEAST_MS) return "";
  const perSecond = (sent * 1000) / elapsedMs;
  return perSecond >= 1 ? `${perSecond.toFixed(1)} requests/s` : `${Math.round(perSecond * 60)} requests/min`;
}
