import type { AnnouncedRate } from "../core/ports.ts";
import type { LimitHeaders } from "./pacing/limit-headers.ts";

/**
 * Returns the rate that the stack announces, after one more response. The reset time is the rest of a window. It is the whole
 * window only if nobody had sent a request in it before this client, so if the window has no more requests than the client has sent.
 * @param sent number of requests that this client has sent
 */
export function announcedRateAfter(
  known: AnnouncedRate | undefined,
  { limit, remaining, resetMs }: LimitHeaders,
  sent: number,
): AnnouncedRate | undefined {
  if (limit === undefined || limit < 1) return known;
  const isWholeWindow = remaining !== undefined && limit - remaining <= sent;
  const windowMs = isWholeWindow ? Math.max(resetMs ?? 0, known?.windowMs ?? 0) : (known?.windowMs ?? 0);
  return { requests: limit, ...(windowMs > 0 && { windowMs }) };
}
