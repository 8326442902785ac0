import type { RateLimit } from "../../core/ports.ts";

/** The work of a phase, and how far it has come. */
export interface PhaseProgress {
  /** Number of records to write. */
  readonly total: number;
  readonly done: number;
  /** Expected number of requests of the phase, and the stack's rate limit, as far as they are known at its start. */
  readonly requests?: number | undefined;
  readonly limit?: RateLimit | undefined;
  readonly sent: number;
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

/**
 * Estimates the remaining time from the windows of the rate limit and from the measured rate: the longer of both. Undefined if
 * neither is known.
 */
export function estimateMs(progress: PhaseProgress): number | undefined {
  const estimates = [msByLimit(progress), msByRate(progress)].filter((ms) => ms !== undefined);
  return estimates.length === 0 ? undefined : Math.max(0, ...estimates);
}

/** Undefined if the stack has allowed more requests than the limit, because then the limit is wrong. */
function msByLimit({ total, done, requests = total, limit, sent, elapsedMs }: PhaseProgress): number | undefined {
  if (limit === undefined) return undefined;
  const windows = Math.floor(elapsedMs / limit.perMs) + 1;
  if (sent > windows * limit.requests) return undefined;
  const perRecord = done < MIN_COUNT ? requests / Math.max(1, total) : sent / done;
  const whole = sent + (total - done) * perRecord;
  return (Math.ceil(whole / limit.requests) - 1) * limit.perMs - elapsedMs;
}

function msByRate({ total, done, elapsedMs, steady }: PhaseProgress): number | undefined {
  const measured = steady ?? { done, elapsedMs };
  if (measured.done < MIN_COUNT || measured.elapsedMs < MIN_MS || done >= total) return undefined;
  if (steady === undefined) return (total * elapsedMs) / done - elapsedMs;
  // Nothing waits after the last burst.
  const bursts = Math.ceil((total * steady.pauses) / steady.done);
  return ((bursts - 1) * steady.elapsedMs) / steady.pauses - elapsedMs;
}

/** Returns the rate: `8.2 requests/s`, or requests per minute for a slow stack; empty until enough requests were sent. */
export function rateText(sent: number, elapsedMs: number): string {
  if (sent < MIN_COUNT || elapsedMs < MIN_MS) return "";
  const perSecond = (sent * 1000) / elapsedMs;
  return perSecond >= 1 ? `${perSecond.toFixed(1)} requests/s` : `${Math.round(perSecond * 60)} requests/min`;
}
