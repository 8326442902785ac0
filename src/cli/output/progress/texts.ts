import { pluralize } from "../../../core/text/format.ts";
import type { RunEvent } from "../../../core/events.ts";
import { estimateText } from "./estimate.ts";

/** A phase that begins, and its expected duration if known. */
export function phaseText({ phase, total, requests, limit }: Extract<RunEvent, { type: "phase" }>): string {
  const count = total === undefined ? phase : `${phase} (${total})`;
  const estimate = requests === undefined ? "" : estimateText({ requests, limit, sent: 0, elapsedMs: 0 });
  if (estimate === "" || limit === undefined) return count;
  return `${count}, ${estimate} at ${pluralize(limit.requests, "request")} per ${limit.perMs / 1000} s`;
}

/** The reason why no request is sent, and the time of day until when: people look at a clock, not at a countdown. */
export function waitText(
  { reason, untilMs }: { readonly reason: string; readonly untilMs: number },
  now: number,
): string {
  return `waiting ${seconds(untilMs - now)}: ${reason}, next at ${new Date(untilMs).toTimeString().slice(0, 8)}`;
}

/** A duration for people. */
export function seconds(ms: number): string {
  return ms < 1000 ? `${Math.max(0, Math.round(ms))} ms` : `${Math.ceil(ms / 1000)} s`;
}
