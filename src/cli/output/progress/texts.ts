import { counted } from "../../../core/text/plural.ts";
import type { RunEvent } from "../../../core/events.ts";
import { estimateText } from "./estimate.ts";

/** A phase that begins, and how long it will take as far as that is known. */
export function phaseText({ phase, total, requests, limit }: Extract<RunEvent, { type: "phase" }>): string {
  const count = total === undefined ? phase : `${phase} (${total})`;
  const left = requests === undefined ? "" : estimateText({ requests, limit, sent: 0, elapsedMs: 0 });
  if (left === "" || limit === undefined) return count;
  return `${count}, ${left} at ${counted(limit.requests, "request")} per ${limit.perMs / 1000} s`;
}

/** Why nothing is sent, and until when by the clock on the wall: people look at that, not at a countdown. */
export function waitText(
  { reason, untilMs }: { readonly reason: string; readonly untilMs: number },
  now: number,
): string {
  return `waiting ${seconds(untilMs - now)}: ${reason}, next at ${new Date(untilMs).toTimeString().slice(0, 8)}`;
}

/** A span for people. */
export function seconds(ms: number): string {
  return ms < 1000 ? `${Math.max(0, Math.round(ms))} ms` : `${Math.ceil(ms / 1000)} s`;
}
