import { pluralize } from "../../core/text/format.ts";
import type { Delay, RequestLimit, ReportedLimit } from "./limit.ts";
import type { LimitHeaders } from "./limit-headers.ts";

/** A 429 that asks for no wait must not start a busy loop. */
const MIN_WAIT_MS = 250;
/** A server that rounds its seconds down still refuses requests at the announced time. */
const ROUNDING_MS = 1000;
const RESET_STEP_MS = 1000;

/** After an exhausted window, a single request, the probe, finds out the next window's limit (docs/api.md#limits). */
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
      // Responses in flight may end the wait long before the window ends, so the user hears nothing.
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

/** Assumes at most one request of other clients for each own request. */
const MAX_PER_OWN = 1;

function createOtherClients() {
  let own = 0;
  let remainingBefore = 0;
  let perOwn = 0;
  return {
    count(remaining: number): void {
      if (own === 0) remainingBefore = remaining + 1;
      own += 1;
    },
    /** The server may have counted own requests in flight, so these do not count as requests of other clients. */
    endWindow(remaining: number, inFlight: number): void {
      const others = Math.max(0, remainingBefore - remaining - own - inFlight);
      perOwn = own === 0 ? 0 : Math.min(MAX_PER_OWN, others / own);
      own = 0;
    },
    /** Expected requests of other clients between the latest response and the arrival of `own` more requests. */
    requestsDuring: (own: number): number => Math.ceil((own + 1) * perOwn),
  };
}

function reasonOf(window: AnnouncedWindow | undefined, windowMs: number | undefined): string {
  if (window === undefined) return "the stack asked the program to wait (429)";
  if (windowMs === undefined) return `the stack's limit of ${pluralize(window.limit, "request")} is used up`;
  return `the stack allows ${pluralize(window.limit, "request")} per ${Math.ceil(windowMs / 1000)} s`;
}

/** A server that rounds down refuses most probes. One refused probe proves nothing. */
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

/** Only a 429 states the length of the whole window, as `Retry-After` (docs/api.md#limits). */
function wholeWindowMs({ status, limits: { resetMs, retryAfterMs } }: ReportedLimit): number | undefined {
  if (status !== 429 || resetMs === undefined || retryAfterMs === undefined) return undefined;
  return retryAfterMs >= resetMs ? retryAfterMs : undefined;
}

/** Headers state whole seconds, rounded up, so only bounds of the end are known. */
export interface AnnouncedWindow {
  readonly limit: number;
  readonly remaining: number;
  readonly endsAfterMs: number;
  readonly endsBeforeMs: number;
}

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
