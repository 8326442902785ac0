import { pluralize } from "../../core/text/format.ts";
import type { Delay, RequestLimit, ReportedLimit } from "./limit.ts";
import type { LimitHeaders } from "./limit-headers.ts";

/** Minimum wait after a 429, so that a 429 that asks for no wait does not start a busy loop. */
const MIN_WAIT_MS = 250;
/** Extra wait: a server that rounds its seconds down still refuses requests at the time that it announced. */
const ROUNDING_MS = 1000;
/** Precision of `RateLimit-Reset`, which is in whole seconds. */
const RESET_STEP_MS = 1000;

/**
 * Applies the limit that the server announces in `RateLimit-*` headers (docs/api.md#limits). Requests in flight count
 * as used. After an exhausted window, a single request, the probe, finds out the limit of the next window. If other
 * clients used the same limit in the previous window, room is left for requests of these clients.
 */
export function createAnnouncedLimit(): RequestLimit {
  const state = { inFlight: 0, blockedUntil: 0, exhausted: false, probe: "none" as Probe };
  const others = createOtherClients();
  const rounding = createRounding();
  let window: AnnouncedWindow | undefined;
  let windowMs: number | undefined;

  const learn = (reported: ReportedLimit, sentAt: number, now: number, wasProbe: boolean): void => {
    const { limits, status } = reported;
    windowMs = wholeWindowMs(reported) ?? windowMs;
    const next = updateWindow(window, limits, sentAt, now);
    if (window && next && next.endsBeforeMs > window.endsBeforeMs) others.endWindow(window.remaining, state.inFlight);
    window = next;
    if (wasProbe) rounding.note(status);
    if (status !== 429) return others.count(window?.remaining ?? 0);
    if (limits.resetMs === undefined) return;
    state.blockedUntil = Math.max(state.blockedUntil, now + Math.max(MIN_WAIT_MS, limits.resetMs + rounding.extraMs()));
    state.probe = "due";
  };

  return {
    delay(now, requests = 1): Delay | undefined {
      if (state.probe === "under way") return { untilMs: Infinity };
      if (now < state.blockedUntil) return { untilMs: state.blockedUntil, reason: reasonOf(window, windowMs) };
      if (window === undefined) return undefined;
      const { limit, remaining } = window;
      const untilMs = window.endsBeforeMs + rounding.extraMs();
      if (now >= untilMs) {
        if (state.exhausted) state.probe = "due";
        state.exhausted = false;
        others.endWindow(remaining, state.inFlight);
        window = undefined;
        return undefined;
      }
      const wanted = Math.min(requests, limit);
      const hasRoom = (own: number): boolean => remaining - others.requestsDuring(own) >= own;
      if (hasRoom(state.inFlight + wanted)) return undefined;
      state.exhausted = true;
      // The server may have counted the requests in flight already. Their responses, which come long before the window
      // ends, may then end the wait. So the user is not told about the wait.
      return hasRoom(wanted) ? { untilMs } : { untilMs, reason: reasonOf(window, windowMs) };
    },
    begin(sentAt) {
      const isProbe = state.probe === "due";
      if (isProbe) state.probe = "under way";
      state.inFlight += 1;
      return (reported, now) => {
        state.inFlight -= 1;
        if (isProbe) state.probe = reported === undefined ? "due" : "none";
        if (reported !== undefined) learn(reported, sentAt, now, isProbe);
      };
    },
  };
}

/** Maximum number of requests that other clients are assumed to send for each request of this client. */
const MAX_PER_OWN = 1;

/**
 * Estimates how many requests other clients under the same limit send. In the last window, counts the requests of other
 * clients between the first and the last request of this client.
 */
function createOtherClients() {
  let own = 0;
  let remainingBefore = 0;
  let perOwn = 0;
  return {
    /**
     * Counts a request of this client.
     * @param remaining number of requests that the window has left after this request
     */
    count(remaining: number): void {
      if (own === 0) remainingBefore = remaining + 1;
      own += 1;
    },
    /** Ends a window that has `remaining` requests left. The server may have counted the `inFlight` requests already. */
    endWindow(remaining: number, inFlight: number): void {
      const others = Math.max(0, remainingBefore - remaining - own - inFlight);
      perOwn = own === 0 ? 0 : Math.min(MAX_PER_OWN, others / own);
      own = 0;
    },
    /** Returns how many requests others may send between the latest response and the arrival of `own` more requests. */
    requestsDuring: (own: number): number => Math.ceil((own + 1) * perOwn),
  };
}

function reasonOf(window: AnnouncedWindow | undefined, windowMs: number | undefined): string {
  if (window === undefined) return "the stack asked the program to wait (429)";
  if (windowMs === undefined) return `the stack's limit of ${pluralize(window.limit, "request")} is used up`;
  return `the stack allows ${pluralize(window.limit, "request")} per ${Math.ceil(windowMs / 1000)} s`;
}

/** Detects a server that rounds its seconds down: such a server refuses most probes. One refused probe proves nothing. */
function createRounding() {
  let refused = 0;
  let accepted = 0;
  let extraMs = 0;
  return {
    note(status: number): void {
      if (status !== 429) accepted += 1;
      else {
        refused += 1;
        extraMs = refused > 1 && refused > accepted ? ROUNDING_MS : 0;
      }
    },
    extraMs: () => extraMs,
  };
}

type Probe = "none" | "due" | "under way";

/**
 * Returns the length of a whole window. Only a refusal (429) states this length (docs/api.md#limits). The reset time in a first
 * response is no substitute: if the server's clock determines when windows start, the reset time is shorter than a window.
 */
function wholeWindowMs({ status, limits: { resetMs, retryAfterMs } }: ReportedLimit): number | undefined {
  if (status !== 429 || resetMs === undefined || retryAfterMs === undefined) return undefined;
  return retryAfterMs >= resetMs ? retryAfterMs : undefined;
}

/** The server's current window. Only bounds of its end are known, because headers state the time in whole seconds, rounded up. */
export interface AnnouncedWindow {
  readonly limit: number;
  /** The smallest value that any response of this window reported. */
  readonly remaining: number;
  readonly endsAfterMs: number;
  readonly endsBeforeMs: number;
}

/** Updates the window by a response to a request sent at `sentAt`. Responses may come in any order. */
export function updateWindow(
  knownWindow: AnnouncedWindow | undefined,
  headers: LimitHeaders,
  sentAt: number,
  now: number,
): AnnouncedWindow | undefined {
  const { limit, remaining, resetMs } = headers;
  if (remaining === undefined || resetMs === undefined) return knownWindow;
  const reported: AnnouncedWindow = {
    limit: limit ?? knownWindow?.limit ?? remaining,
    remaining,
    endsAfterMs: sentAt + resetMs - RESET_STEP_MS,
    endsBeforeMs: now + resetMs,
  };
  if (knownWindow === undefined || reported.endsAfterMs > knownWindow.endsBeforeMs) return reported;
  // A late response of the previous window says nothing about the current window.
  if (reported.endsBeforeMs < knownWindow.endsAfterMs) return knownWindow;
  return {
    limit: reported.limit,
    remaining: Math.min(knownWindow.remaining, reported.remaining),
    endsAfterMs: Math.max(knownWindow.endsAfterMs, reported.endsAfterMs),
    endsBeforeMs: Math.min(knownWindow.endsBeforeMs, reported.endsBeforeMs),
  };
}
