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
const MIN_SENT = 5;
const MIN_MS = 2000;

/** `about 9 min left`; empty where nothing is known, or nothing will have to wait. */
export function estimateText(pace: Pace): string {
  const ms = estimateMs(pace);
  if (ms === undefined || ms === 0) return "";
  if (ms < 60_000) return `about ${Math.max(5, Math.ceil(ms / 5000) * 5)} s left`;
  return `about ${Math.ceil(ms / 60_000)} min left`;
}

/**
 * How long the rest takes: as long as the limit makes it wait, or longer where the stack is slower than that. Undefined where no
 * limit is known, and where the stack has taken more than the limit allows: then it is not the stack's limit.
 */
export function estimateMs({ requests, limit, sent, elapsedMs }: Pace): number | undefined {
  if (limit === undefined) return undefined;
  const windows = Math.floor(elapsedMs / limit.perMs) + 1;
  if (sent > windows * limit.requests) return undefined;
  const left = Math.max(0, requests - sent);
  const wholeMs = (Math.ceil((sent + left) / limit.requests) - 1) * limit.perMs;
  const byPace = sent >= MIN_SENT && elapsedMs >= MIN_MS ? (left * elapsedMs) / sent : 0;
  return Math.max(0, wholeMs - elapsedMs, byPace);
}

/** `8.2 requests/s`, or for a slow stack per minute; empty before it is known. */
export function rateText(sent: number, elapsedMs: number): string {
  if (sent < MIN_SENT || elapsedMs < MIN_MS) return "";
  const perSecond = (sent * 1000) / elapsedMs;
  return perSecond >= 1 ? `${perSecond.toFixed(1)} requests/s` : `${Math.round(perSecond * 60)} requests/min`;
}
