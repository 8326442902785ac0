import { pluralize } from "../../core/text/format.ts";
import { nounOf } from "../../kinds/nouns.ts";
import type { RunEvent } from "../../core/events.ts";
import type { Warning } from "../../core/outcome.ts";
import { printableText } from "../../core/text/printable.ts";
import type { TextOutput } from "../program/io.ts";
import { estimateText, rateText, type PhaseWork } from "./estimate.ts";
import type { OutputOptions } from "./terminal.ts";
import { fitText } from "../../core/text/fit-width.ts";

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
      const line = isToldAlready(event, waits, options.now()) ? undefined : logLine(event, options);
      if (line === undefined) redraw();
      else say(`${withName(event.stack, line)}\n`);
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
  if (event.type !== "wait" || event.waitMs <= MIN_WAIT_MS) return false;
  const stack = event.stack ?? "";
  const last = waits.get(stack);
  if (last !== undefined && now - last < WAIT_EVERY_MS) return true;
  waits.set(stack, now);
  return false;
}

/** Returns the warning's message, followed by the JSON pointer if the message does not name the place. */
function warningText({ message, pointer = "" }: Warning): string {
  return message.includes(pointer) ? message : `${message} (${pointer})`;
}

/** Says which journal a run uses, and how many records it knows. */
function journalText({ path, records }: Extract<RunEvent, { type: "journal" }>): string {
  if (records === 0) return "no journal yet";
  return `journal ${path ?? "in memory"} knows ${pluralize(records, "record")}`;
}

/** Returns the line that an event leaves in the log, if any. On a terminal, the status line shows phases, lists and waits instead. */
function logLine(event: RunEvent, { display: { theme }, output, now, verbose }: ProgressOptions): string | undefined {
  const faint = (text: string): string => theme.faint(printableText(text));
  const offTerminal = (text: string): string | undefined => (output.isTTY ? undefined : printableText(text));
  switch (event.type) {
    case "warning":
      return theme.notice(printableText(`warning: ${warningText(event.warning)}`));
    case "request":
      if (!verbose) return undefined;
      return faint(`${event.method} ${event.path} ${event.status} ${Math.round(event.ms)} ms`);
    case "retry":
      if (!verbose && (output.isTTY || event.inMs <= MIN_WAIT_MS)) return undefined;
      return faint(`${event.reason}; again in ${seconds(event.inMs)}`);
    case "phase":
      return offTerminal(phaseText(event));
    case "listed":
      return offTerminal(`${event.stack === undefined ? "  " : ""}${pluralize(event.count, nounOf(event.kind))}`);
    case "wait":
      return event.waitMs > MIN_WAIT_MS ? offTerminal(waitText(event, now())) : undefined;
    case "journal":
      return faint(journalText(event));
    case "outcome":
      return undefined;
    default:
      return event satisfies never;
  }
}

interface Status {
  phase: string;
  total?: number;
  done: number;
  note: string;
  /** The reason why no request is being sent; empty if requests are sent. */
  waiting: string;
  /** Start of the phase, Unix milliseconds. */
  since: number;
  sent: number;
  work?: PhaseWork;
}

const NOTHING: Status = { phase: "", done: 0, note: "", waiting: "", since: 0, sent: 0 };

const SEPARATOR = " · ";
/** Minimum columns per stack. If there is too little room, only the stacks with the latest events are shown. */
const MIN_WIDTH = 24;

/** Creates the progress of all stacks. Events without a stack name belong to a run with one stack. */
function createStatuses() {
  // The stacks are kept in the order of their latest events, the most recent last.
  const stacks = new Map<string, Status>();
  return {
    follow(event: RunEvent, now: number): void {
      const stack = event.stack ?? "";
      const status = stacks.get(stack) ?? { ...NOTHING };
      followOne(event, status, now);
      if (status.phase === "") return;
      stacks.delete(stack);
      stacks.set(stack, status);
    },
    /** Returns the progress of all stacks in one line of the given width; empty before the first event. */
    line(now: number, width: number): string {
      const most = Math.max(1, Math.floor((width + SEPARATOR.length) / (MIN_WIDTH + SEPARATOR.length)));
      // An empty stack name stands for work of the run itself. Such work never overlaps with work on stacks, so the line shows only
      // the later of the two.
      const moving = [...stacks];
      const isRunWork = moving.at(-1)?.[0] === "";
      const visibleStatuses = moving
        .filter(([stack]) => (stack === "") === isRunWork)
        .slice(-most)
        .toSorted(byName);
      const share = Math.floor(
        (width - SEPARATOR.length * (visibleStatuses.length - 1)) / Math.max(1, visibleStatuses.length),
      );
      const cells = visibleStatuses.map(([stack, status]) => fitText(withName(stack, statusText(status, now)), share));
      return cells.join(SEPARATOR);
    },
    clear: () => stacks.clear(),
  };
}

function withName(stack: string | undefined, text: string): string {
  return stack === undefined || stack === "" ? text : `${printableText(stack)}: ${text}`;
}

function byName([left]: readonly [string, Status], [right]: readonly [string, Status]): number {
  return left < right ? -1 : 1;
}

function followOne(event: RunEvent, status: Status, now: number): void {
  if (event.type === "phase") {
    const { phase, total, requests, limit } = event;
    const work = requests === undefined ? undefined : { requests, limit };
    Object.assign(status, { ...NOTHING, phase, total, since: now, work });
  }
  if (event.type === "outcome") status.done += 1;
  if (event.type === "listed") status.note = pluralize(event.count, nounOf(event.kind));
  if (event.type === "wait") status.waiting = waitText(event, now);
  if (event.type === "retry") status.waiting = `waiting ${seconds(event.inMs)}: ${event.reason}`;
  if (event.type === "request") {
    status.sent += 1;
    status.waiting = "";
  }
}

/** Renders the progress of one stack. Figures come first, because a long reason for waiting is cut at the end of the line. */
function statusText({ phase, total, done, note, waiting, since, sent, work }: Status, now: number): string {
  const count = total === undefined ? "" : ` ${done}/${total}`;
  const elapsedMs = now - since;
  const estimate = work === undefined ? "" : estimateText({ ...work, sent, elapsedMs });
  const parts = [note, estimate, rateText(sent, elapsedMs), waiting].filter((part) => part !== "");
  return printableText([`${phase}${count}`, ...parts].join(", "));
}

/** Describes a phase that begins, with its expected duration if that is known. */
function phaseText({ phase, total, requests, limit }: Extract<RunEvent, { type: "phase" }>): string {
  const count = total === undefined ? phase : `${phase} (${total})`;
  const estimate = requests === undefined ? "" : estimateText({ requests, limit, sent: 0, elapsedMs: 0 });
  if (estimate === "" || limit === undefined) return count;
  return `${count}, ${estimate} at ${pluralize(limit.requests, "request")} per ${limit.perMs / 1000} s`;
}

/** Describes a wait: its length, its reason, and the time of day when it ends, because people look at a clock. */
function waitText({ reason, waitMs }: { readonly reason: string; readonly waitMs: number }, now: number): string {
  return `waiting ${seconds(waitMs)}: ${reason}, next at ${new Date(now + waitMs).toTimeString().slice(0, 8)}`;
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.max(0, Math.round(ms))} ms` : `${Math.ceil(ms / 1000)} s`;
}
