import { nextWindow } from "./announced-window.ts";
import type { AnnouncedWindow } from "./announced-window.ts";
import type { Heard } from "../attempt.ts";
import type { Hold, Limit } from "./limit.ts";

/** A 429 that says "wait no time at all" must not start a race. */
const LEAST_WAIT_MS = 250;
/** Waited on top once a server has answered 429 at the very moment it had named: it rounds its seconds down. */
const ROUNDING_MS = 1000;

/**
 * The limit that the server announces in `RateLimit-*` headers (field notes, Rate limits): what it says remains is never
 * exceeded, every request under way counted, and after a window was used up one request finds out what the next one offers.
 */
export function createAnnouncedLimit(): Limit {
  const state = { inFlight: 0, blockedUntil: 0, extraMs: 0, held: false, probe: "none" as Probe };
  let window: AnnouncedWindow | undefined;
  let windowMs: number | undefined;

  const reason = (): string => {
    if (window === undefined) return "the stack asked to wait (429)";
    if (windowMs === undefined) return `the stack's limit of ${window.limit} requests is used up`;
    return `the stack allows ${window.limit} requests per ${Math.ceil(windowMs / 1000)} s`;
  };

  const hear = (heard: Heard, sentAt: number, now: number, wasProbe: boolean): void => {
    const { limits, status } = heard;
    windowMs = wholeWindowMs(heard) ?? windowMs;
    window = nextWindow(window, limits, sentAt, now);
    if (status !== 429 || limits.resetMs === undefined) return;
    if (wasProbe) state.extraMs = ROUNDING_MS;
    state.blockedUntil = Math.max(state.blockedUntil, now + Math.max(LEAST_WAIT_MS, limits.resetMs + state.extraMs));
    state.probe = "due";
  };

  return {
    hold(now): Hold | undefined {
      if (state.probe === "under way") return { untilMs: Infinity };
      if (now < state.blockedUntil) return { untilMs: state.blockedUntil, reason: reason() };
      if (window !== undefined && now >= window.endsBeforeMs + state.extraMs) {
        if (state.held) state.probe = "due";
        state.held = false;
        window = undefined;
      }
      if (window === undefined || window.remaining > state.inFlight) return undefined;
      state.held = true;
      const untilMs = window.endsBeforeMs + state.extraMs;
      // What is under way may have been counted already: its answer will tell, long before the window ends.
      return window.remaining > 0 ? { untilMs } : { untilMs, reason: reason() };
    },
    begin(sentAt) {
      const isProbe = state.probe === "due";
      if (isProbe) state.probe = "under way";
      state.inFlight += 1;
      return (heard, now) => {
        state.inFlight -= 1;
        if (isProbe) state.probe = heard === undefined ? "due" : "none";
        if (heard !== undefined) hear(heard, sentAt, now, isProbe);
      };
    },
  };
}

type Probe = "none" | "due" | "under way";

/** How long a window is. No header says so, but two answers show it: the first of a window, and a refusal (field notes). */
function wholeWindowMs({ status, limits }: Heard): number | undefined {
  const { limit, remaining, resetMs, retryAfterMs } = limits;
  if (limit !== undefined && remaining !== undefined && remaining >= limit - 1) return resetMs;
  return status === 429 && resetMs !== undefined ? retryAfterMs : undefined;
}
