import { pluralize } from "../../core/text/format.ts";
import type { RunEvent } from "../../core/events.ts";
import type { Outcome, Warning } from "../../core/outcome.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { printableText } from "../../core/text/printable.ts";
import type { TextOutput } from "../program/io.ts";
import type { OutputOptions } from "./terminal.ts";
import { fitText } from "../../core/text/fit-width.ts";

export interface ProgressOptions {
  readonly output: TextOutput;
  readonly display: OutputOptions;
  readonly now: () => number;
  readonly quiet: boolean;
}

export interface Progress {
  show(event: RunEvent): void;
  /** Prints above the progress line, even with `--quiet`. */
  say(text: string): void;
  end(isInterrupted?: boolean): void;
}

/** Without a terminal, the next progress line waits 30 s; a pause of 30 s or more does not. */
const LINE_EVERY_MS = 30_000;
/** The line is redrawn even without events, because pauses end and the remaining time shrinks. */
const REDRAW_MS = 1000;
const CLEAR_LINE = "\r\u001b[2K";

/** Without a terminal, shorter waits have no line, and shorter retries only with `--verbose`. */
const MIN_WAIT_MS = 2000;

interface Status {
  phase: string;
  total?: number | undefined;
  /** Undefined if the phase counts nothing. */
  counts?: "requests" | "writes" | undefined;
  /** The number of planned writes that have ended, with or without success. */
  written: number;
  note: string;
  /** `until` is in Unix milliseconds. */
  pause?: { readonly text: string; readonly until: number } | undefined;
  /** Unix milliseconds. */
  since: number;
  sent: number;
  steady?: SteadyRate | undefined;
}

const NO_STATUS: Status = { phase: "", written: 0, note: "", since: 0, sent: 0 };

export function createProgress(options: ProgressOptions): Progress {
  const { output, quiet } = options;
  const live = output.isTTY && !quiet;
  const statuses = createStatuses();
  const lastLines: LastLines = new Map();
  let isLineVisible = false;
  let timer: ReturnType<typeof setInterval> | undefined;
  const clear = (): void => {
    if (isLineVisible) output.write(CLEAR_LINE);
    isLineVisible = false;
  };
  const redraw = (): void => {
    const line = live ? statuses.line(options.now(), (output.columns ?? 80) - 1) : "";
    if (line === "") return;
    output.write(CLEAR_LINE + line);
    isLineVisible = true;
    timer ??= setInterval(() => isLineVisible && redraw(), REDRAW_MS).unref();
  };
  const say = (text: string): void => {
    clear();
    output.write(text);
    // Before a question, an empty text removes the line. A redraw would erase the typed answer.
    if (text.endsWith("\n")) redraw();
  };
  return {
    say,
    show(event) {
      if (quiet && event.type !== "warning") return;
      const now = options.now();
      statuses.follow(event, now);
      const progress = statuses.countOf(event, now);
      // A terminal needs no periodic lines, because the progress line shows the same.
      const line =
        logLine(event, options) ?? (output.isTTY ? undefined : periodicLine(event, progress, lastLines, now));
      if (line === undefined) redraw();
      else say(`${withName(event.stack, line)}\n`);
    },
    end(isInterrupted = false) {
      // An interrupted run leaves its last line, which shows its progress.
      if (isInterrupted && isLineVisible) output.write("\n");
      else clear();
      isLineVisible = false;
      clearInterval(timer);
      statuses.clear();
    },
  };
}

type LastLines = Map<string, { readonly at: number; readonly pauseUntil: number }>;

function periodicLine(event: RunEvent, progress: string, told: LastLines, now: number): string | undefined {
  const stack = event.stack ?? "";
  const last = told.get(stack) ?? { at: event.type === "wait" ? -LINE_EVERY_MS : now, pauseUntil: 0 };
  if (!told.has(stack) && event.type !== "wait") told.set(stack, last);
  if (event.type === "phase") told.set(stack, { ...last, at: now });
  const isDue = now - last.at >= LINE_EVERY_MS;
  if (event.type === "wait") {
    const until = now + event.waitMs;
    const isNew = event.waitMs >= MIN_WAIT_MS && now >= last.pauseUntil;
    if (!isNew || (!isDue && event.waitMs < LINE_EVERY_MS)) return undefined;
    told.set(stack, { at: now, pauseUntil: until });
    return progress === "" ? printableText(waitText(event, now)) : progress;
  }
  if (!isDue || progress === "") return undefined;
  told.set(stack, { ...last, at: now });
  return progress;
}

function warningText({ message, pointer = "" }: Warning): string {
  return message.includes(pointer) ? message : `${message} (${pointer})`;
}

function journalText({ path, records }: Extract<RunEvent, { type: "journal" }>): string {
  if (records === undefined) return "no journal yet";
  return `journal ${path ?? "in memory"} knows ${records === 0 ? "no records" : pluralize(records, "record")}`;
}

function logLine(event: RunEvent, { display: { theme, verbose }, output }: ProgressOptions): string | undefined {
  const faint = (text: string): string => theme.faint(printableText(text));
  switch (event.type) {
    case "warning":
      return theme.notice(printableText(`warning: ${warningText(event.warning)}`));
    case "request":
      return verbose === true
        ? faint(`${event.method} ${event.path} ${event.status} ${Math.round(event.ms)} ms`)
        : undefined;
    case "retry":
      if (verbose !== true && (output.isTTY || event.inMs < MIN_WAIT_MS)) return undefined;
      return faint(`${event.reason}; again in ${seconds(event.inMs)}`);
    case "phase":
      return event.total === 0 || output.isTTY ? undefined : printableText(phaseText(event));
    case "journal":
      return faint(journalText(event));
    case "listed":
    case "wait":
    case "outcome":
      return undefined;
    default:
      return event satisfies never;
  }
}

/** An event without a stack belongs to a run with one stack, or to no stack. */
function createStatuses() {
  // The stack with the latest event is the last.
  const stacks = new Map<string, Status>();
  return {
    follow(event: RunEvent, now: number): void {
      const stack = event.stack ?? "";
      const status = stacks.get(stack) ?? { ...NO_STATUS };
      followEvent(event, status, now);
      if (status.phase === "") return;
      stacks.delete(stack);
      stacks.set(stack, status);
    },
    line(now: number, width: number): string {
      const present = [...stacks];
      const latest = present.at(-1);
      // Work without a stack never overlaps with work on stacks, so the latest event decides.
      const counted =
        latest?.[0] === "" ? undefined : present.findLast(([name, status]) => name !== "" && isCounted(status));
      const [stack, status] = counted ?? latest ?? ["", NO_STATUS];
      return fitText(withName(stack, statusText(status, now)), width);
    },
    countOf({ stack = "" }: RunEvent, now: number): string {
      const status = stacks.get(stack);
      return status === undefined || !isCounted(status) ? "" : statusText(status, now);
    },
    clear: () => stacks.clear(),
  };
}

function withName(stack: string | undefined, text: string): string {
  return stack === undefined || stack === "" ? text : `${printableText(stack)}: ${text}`;
}

function phaseText({ phase, total }: Extract<RunEvent, { type: "phase" }>): string {
  return total === undefined ? phase : `${phase} (${total})`;
}

function followEvent(event: RunEvent, status: Status, now: number): void {
  if (event.type === "phase") {
    const { phase, total, counts } = event;
    Object.assign(status, { ...NO_STATUS, pause: undefined, steady: undefined, phase, total, counts, since: now });
  }
  if (event.type === "outcome" && isTriedWrite(event.outcome)) status.written += 1;
  if (event.type === "listed") status.note = pluralize(event.count, nounOf(event.kind));
  if (event.type === "wait") status.pause = { text: waitText(event, now), until: now + event.waitMs };
  if (event.type === "retry")
    status.pause = { text: `waiting ${seconds(event.inMs)}: ${event.reason}`, until: now + event.inMs };
  if (event.type === "request") {
    status.sent += 1;
    // Requests in flight may end during a pause, so the rate is measured at the first request after it.
    if (status.pause !== undefined && now >= status.pause.until) {
      const pauses = (status.steady?.pauses ?? 0) + 1;
      status.steady = { done: doneOf(status), elapsedMs: now - status.since, pauses };
      status.pause = undefined;
    }
  }
}

/** Codes of planned writes that the run blocked later. */
const BLOCKED_LATE: readonly unknown[] = ["dependency-failed", "in-use"];

function isTriedWrite({ action, code, status }: Outcome): boolean {
  if (action === "blocked") return BLOCKED_LATE.includes(code);
  return (action === "create" || action === "update" || action === "delete") && status !== "planned";
}

function doneOf({ total, counts, sent, written }: Status): number {
  return Math.min(counts === "requests" ? sent : written, total ?? 0);
}

function isCounted({ total, counts }: Status): boolean {
  return total !== undefined && counts !== undefined;
}

/** Figures come first, because a long reason for a pause is cut at the end of the line. */
function statusText(status: Status, now: number): string {
  const { phase, total, note, pause, since, steady } = status;
  if (phase === "") return "";
  const done = doneOf(status);
  const elapsedMs = now - since;
  const counted = isCounted(status);
  const count = total === undefined ? "" : counted ? ` ${done}/${total}` : ` (${total})`;
  const estimate = counted ? estimateText({ total: total ?? 0, done, elapsedMs, steady }) : "";
  const waiting = pause !== undefined && pause.until > now ? pause.text : "";
  const parts = [note, estimate, waiting].filter((part) => part !== "");
  return printableText([`${phase}${count}`, ...parts].join(", "));
}

/** Shows the time of day when the wait ends, because people look at a clock. */
function waitText({ reason, waitMs }: { readonly reason: string; readonly waitMs: number }, now: number): string {
  return `waiting ${seconds(waitMs)}: ${reason}, next at ${new Date(now + waitMs).toTimeString().slice(0, 8)}`;
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.max(0, Math.round(ms))} ms` : `${Math.ceil(ms / 1000)} s`;
}

interface PhaseProgress extends Pick<Status, "steady"> {
  readonly total: number;
  readonly done: number;
  readonly elapsedMs: number;
}

/** The progress at the end of the last pause. A rate within a burst would be too high. */
interface SteadyRate {
  readonly done: number;
  readonly elapsedMs: number;
  readonly pauses: number;
}

/** A rate is measured after at least this many records or requests, and this many milliseconds. */
const MIN_COUNT = 5;
const MIN_MS = 2000;

export function estimateText(progress: PhaseProgress): string {
  const ms = estimateMs(progress);
  if (ms === undefined || ms === 0) return "";
  if (ms < 120_000) return `about ${Math.max(5, Math.ceil(ms / 5000) * 5)} s left`;
  return `about ${Math.ceil(ms / 60_000)} min left`;
}

/** Undefined if nothing is left, or if too little was done for an estimate. */
export function estimateMs({ total, done, elapsedMs, steady }: PhaseProgress): number | undefined {
  const measured = steady ?? { done, elapsedMs };
  if (measured.done < MIN_COUNT || measured.elapsedMs < MIN_MS || done >= total) return undefined;
  if (steady === undefined) return (total * elapsedMs) / done - elapsedMs;
  // After the last burst of requests there is no pause.
  const bursts = Math.ceil((total * steady.pauses) / steady.done);
  return Math.max(0, ((bursts - 1) * steady.elapsedMs) / steady.pauses - elapsedMs);
}
