import type { RunEvent } from "../../core/events.ts";
import type { Outcome } from "../../core/outcome.ts";
import { pluralize } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import { nounOf } from "../../kinds/nouns.ts";

/** Shorter pauses are not told. */
export const MIN_WAIT_MS = 2000;

/** How far the work on one stack has come in its present phase. */
export interface Status {
  phase: string;
  total?: number | undefined;
  /** The unit that the phase counts; undefined if its number does not move. */
  counts?: "requests" | "writes" | undefined;
  /** Number of records that are written or have failed. */
  written: number;
  note: string;
  /** The pause, and its end in Unix milliseconds. */
  pause?: { readonly text: string; readonly until: number } | undefined;
  /** Start of the phase, Unix milliseconds. */
  since: number;
  sent: number;
  steady?: SteadyRate | undefined;
}

export const NO_STATUS: Status = { phase: "", written: 0, note: "", since: 0, sent: 0 };

export function followEvent(event: RunEvent, status: Status, now: number): void {
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
    // Requests that were in flight end within the pause. The rate at its end is that of whole windows.
    if (status.pause !== undefined && now >= status.pause.until) {
      const pauses = (status.steady?.pauses ?? 0) + 1;
      status.steady = { done: doneOf(status), elapsedMs: now - status.since, pauses };
      status.pause = undefined;
    }
  }
}

/** Codes of records that were to be written, and that the run has blocked then. */
const BLOCKED_LATE: readonly unknown[] = ["dependency-failed", "in-use"];

/** Tells whether a write was tried. Records that are matched, kept or not begun do not count. */
function isTriedWrite({ action, code, status }: Outcome): boolean {
  if (action === "blocked") return BLOCKED_LATE.includes(code);
  return (action === "create" || action === "update" || action === "delete") && status !== "planned";
}

function doneOf({ total, counts, sent, written }: Status): number {
  return Math.min(counts === "requests" ? sent : written, total ?? 0);
}

/** Tells whether the phase has a number that moves. */
export function isCounted({ total, counts }: Status): boolean {
  return total !== undefined && counts !== undefined;
}

/** Renders the status. Figures come first, because a long reason for a pause is cut at the end of the line. */
export function statusText(status: Status, now: number): string {
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

/** Describes a wait: its length, its reason, and the time of day when it ends, because people look at a clock. */
export function waitText(
  { reason, waitMs }: { readonly reason: string; readonly waitMs: number },
  now: number,
): string {
  return `waiting ${seconds(waitMs)}: ${reason}, next at ${new Date(now + waitMs).toTimeString().slice(0, 8)}`;
}

export function seconds(ms: number): string {
  return ms < 1000 ? `${Math.max(0, Math.round(ms))} ms` : `${Math.ceil(ms / 1000)} s`;
}

/** The work of a phase, and how far it has come. */
export interface PhaseProgress {
  /** Number of records to write. */
  readonly total: number;
  readonly done: number;
  readonly elapsedMs: number;
  readonly steady?: SteadyRate | undefined;
}

/** The progress when the last pause of a limit ended. A rate that is measured within a burst would be too high. */
export interface SteadyRate {
  readonly done: number;
  readonly elapsedMs: number;
  readonly pauses: number;
}

/** A rate is measured only after this many records or requests, and after MIN_MS milliseconds. */
const MIN_COUNT = 5;
const MIN_MS = 2000;

/** Returns the estimated remaining time: `about 9 min left`; empty if there is no estimate, or if almost nothing is left. */
export function estimateText(progress: PhaseProgress): string {
  const ms = estimateMs(progress);
  if (ms === undefined || ms === 0) return "";
  if (ms < 120_000) return `about ${Math.max(5, Math.ceil(ms / 5000) * 5)} s left`;
  return `about ${Math.ceil(ms / 60_000)} min left`;
}

/** Estimates the remaining time from the rate so far; undefined if nothing is left, or if too little was done to tell. */
export function estimateMs({ total, done, elapsedMs, steady }: PhaseProgress): number | undefined {
  const measured = steady ?? { done, elapsedMs };
  if (measured.done < MIN_COUNT || measured.elapsedMs < MIN_MS || done >= total) return undefined;
  if (steady === undefined) return (total * elapsedMs) / done - elapsedMs;
  // Nothing waits after the last burst.
  const bursts = Math.ceil((total * steady.pauses) / steady.done);
  return Math.max(0, ((bursts - 1) * steady.elapsedMs) / steady.pauses - elapsedMs);
}
