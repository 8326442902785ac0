import type { Heard } from "../attempt.ts";
import type { Hold, Limit } from "./limit.ts";
import { createSuccessCount } from "./success-count.ts";

/** The window that the managed service publishes (field notes: 10 requests per 10 s, no headers). */
const PUBLISHED_WINDOW_MS = 10_000;
const LONGEST_WINDOW_MS = 15 * 60_000;
/** A refusal this shortly after the window's end says nothing of a longer one. */
const MARGIN_MS = 1000;
const FIRST_HOLD_MS = 1000;
const LONGEST_HOLD_MS = 10_000;
/** A limit learned below this was probably used up by others, so it is tried upward faster, until that proves wrong. */
const SMALL = 4;
/** Windows without a 429 before one request more is tried; doubled each time that was too many. */
const FIRST_PATIENCE = 6;
const LONGEST_PATIENCE = 48;

/**
 * The limit of a server that answers 429 without saying what it allows. It is learned: hold, then let one request try; from
 * then on no more in a window than the server took before it refused, and one more after some windows without a refusal.
 * A server that still refuses when the published window is over has a longer one, which ends when it takes a request again.
 */
export function createLearnedLimit(): Limit {
  const taken = createSuccessCount(PUBLISHED_WINDOW_MS);
  const state = {
    windowMs: PUBLISHED_WINDOW_MS,
    windowFrom: Infinity,
    cap: Infinity,
    patience: FIRST_PATIENCE,
    tested: false,
    heldSince: -Infinity,
    holdUntil: -Infinity,
    refusals: 0,
    probe: "none" as "none" | "due" | "under way",
    calmSince: 0,
    reached: false,
  };

  // Nothing taken yet is no reason to stop: one may always try.
  const cap = (): number => Math.max(1, state.cap);

  const refuse = (waitMs: number | undefined, now: number): void => {
    state.refusals += 1;
    if (state.refusals === 1) {
      state.windowFrom = taken.earliest(now) ?? now;
      state.cap = Math.max(0, Math.min(state.cap - 1, taken.count(now)));
      if (state.tested) state.patience = Math.min(LONGEST_PATIENCE, state.patience * 2);
      state.tested = false;
    }
    const doubled = Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** (state.refusals - 1));
    Object.assign(state, { heldSince: now, holdUntil: now + Math.max(waitMs ?? doubled, FIRST_HOLD_MS) });
    Object.assign(state, { probe: "due", calmSince: now, reached: false });
  };

  const recover = (now: number): void => {
    const sinceMs = now - state.windowFrom;
    // Were it over at the last refusal, that would have been taken.
    if (state.refusals > 1 && state.heldSince - state.windowFrom > state.windowMs + MARGIN_MS) {
      state.windowMs = Math.min(sinceMs, LONGEST_WINDOW_MS);
      taken.widen(state.windowMs);
    }
    state.refusals = 0;
  };

  const succeed = (sentAt: number, now: number): void => {
    taken.add(now);
    if (sentAt < state.heldSince) {
      // Sent in the same breath as the one refused, and taken: the server allows that much more.
      if (state.refusals === 1) state.cap += 1;
      return;
    }
    if (state.refusals > 0) recover(now);
    const hopeful = cap() < SMALL && state.patience === FIRST_PATIENCE;
    if (!state.reached || now - state.calmSince < (hopeful ? state.windowMs : state.windowMs * state.patience)) return;
    Object.assign(state, { cap: hopeful ? cap() * 2 : cap() + 1, tested: true });
    Object.assign(state, { calmSince: now, reached: false });
  };

  const hear = ({ status, limits }: Heard, sentAt: number, now: number): void => {
    if (status !== 429) succeed(sentAt, now);
    // One burst is one refusal, however many of its requests were refused.
    else if (limits.resetMs === undefined && sentAt >= state.heldSince) refuse(limits.retryAfterMs, now);
  };

  return {
    hold(now): Hold | undefined {
      if (state.probe === "under way") return { untilMs: Infinity };
      if (now < state.holdUntil) return { untilMs: state.holdUntil, reason: "the stack asked to slow down (429)" };
      const freeAt = taken.freeAt(cap(), now);
      if (freeAt <= now) return undefined;
      state.reached = true;
      const reason = `the stack seems to allow ${cap()} requests per ${Math.round(state.windowMs / 1000)} s`;
      return freeAt === Infinity ? { untilMs: freeAt } : { untilMs: freeAt, reason };
    },
    begin(sentAt) {
      const isProbe = state.probe === "due";
      if (isProbe) state.probe = "under way";
      const leave = taken.enter();
      return (heard, now) => {
        leave();
        if (isProbe) state.probe = heard === undefined ? "due" : "none";
        if (heard !== undefined) hear(heard, sentAt, now);
      };
    },
  };
}
