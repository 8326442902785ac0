import { pluralize } from "../../core/text/format.ts";
import { stretchWindow, type Delay, type EndRequest, type RequestLimit } from "./limit.ts";
import { measureWindow, nextUsualEnd } from "./usual-windows.ts";

/** Wait after a first refusal that does not state a wait. It is short, because one refusal may mean nothing. */
const FIRST_WAIT_MS = 1000;
/** Minimum wait after a refusal, so that a 429 that asks for no wait does not start a busy loop. */
const MIN_WAIT_MS = 250;
/** If more time than this passed before a round was first refused, the start of its window is unknown. */
const MAX_ROUND_MS = 60_000;
/** Two numbers are close if one is at least this part of the other. */
const ALMOST = 0.75;
/** Beyond the known number, requests are sent at once again when the server has accepted single ones for this time. */
const CALM_MS = 5000;
/** Larger limits are not learned. */
const MAX_LIMIT = 10_000;
/** Number of windows without a refusal after which a round tries more. It doubles with each try that is refused. */
const CALM_WINDOWS = 4;
const MAX_CALM_WINDOWS = 16;
/** Shorter windows are taken for as long as this. The window that is measured at a token bucket is as short as the wait. */
const MIN_CALM_WINDOW_MS = 10_000;

/** A window of the server, as far as the client can tell. It begins with the request that is accepted after the former window. */
interface Round {
  readonly startedAt: number;
  /** Number of requests that the server probably accepts. */
  readonly known: number;
  /** Whether the round may go beyond this number. */
  readonly tries: boolean;
  taken: number;
  refusal?: Refusal;
}

interface Refusal {
  readonly since: number;
  readonly sentAt: number;
  readonly at: number;
}

interface Measurement {
  readonly limit: number;
  readonly windowMs: number;
}

/**
 * Learns the limit of a server that sends 429 without stating its limit. A round that was refused is measured: how many requests
 * the server accepted, and how long it took until it accepted again. One refusal may mean nothing, so the next round goes beyond
 * this number, with one request at a time until none was refused for some seconds. Once two rounds in a row agree, the client
 * repeats what was accepted: a request follows one window after the request that is a whole limit before it. Now and then a round
 * tries more.
 */
export class LearnedLimit implements RequestLimit {
  #measured: Measurement = { limit: Infinity, windowMs: 0 };
  /** The measurements of the last two refused rounds, the later one first. */
  #history: readonly Measurement[] = [];
  /** Whether the measurement agrees with an earlier one. */
  #isTrusted = false;
  #round: Round = { startedAt: -Infinity, known: Infinity, tries: true, taken: 0 };
  #calmSince = 0;
  #patience = CALM_WINDOWS;
  /** Set from a refusal until the server accepts a request again. */
  #blockedUntil: number | undefined;
  #isOpening = false;
  #inFlight = 0;
  /** Times at which the server accepted the latest requests. */
  #takenAt: number[] = [];

  delay(now: number, requests = 1): Delay | undefined {
    if (this.#isOpening) return { untilMs: Infinity };
    if (this.#blockedUntil !== undefined) {
      if (now >= this.#blockedUntil) return undefined;
      return { untilMs: this.#blockedUntil, reason: "the stack asked the program to slow down (429)" };
    }
    const { known, tries, taken } = this.#round;
    if (!tries) return this.#delayByLimit(now, requests);
    const sent = taken + this.#inFlight;
    if (sent + requests <= known) return undefined;
    // Beyond the known number, one request at a time finds out the limit, so that only one is refused.
    const beyondSince = taken > known ? this.#takenAt.at(known - taken) : undefined;
    const isCalm = beyondSince !== undefined && now - beyondSince >= CALM_MS;
    return isCalm || this.#inFlight === 0 ? undefined : { untilMs: Infinity };
  }

  begin(sentAt: number): EndRequest {
    // A single request finds out whether the window is over.
    const opens = this.#blockedUntil !== undefined || (!this.#round.tries && sentAt >= this.#endOfRound());
    if (opens) this.#isOpening = true;
    this.#inFlight += 1;
    return (reported, now) => {
      this.#inFlight -= 1;
      if (opens) this.#isOpening = false;
      if (reported === undefined) return;
      const { status, limits } = reported;
      if (this.#round.startedAt === -Infinity) this.#round = { ...this.#round, startedAt: now };
      if (status !== 429) this.#take(opens, sentAt, now);
      // If a request was sent before the last refusal, the refusal of this request tells nothing new. The announced limit handles
      // refusals with a reset time.
      else if (limits.resetMs === undefined && sentAt > (this.#round.refusal?.at ?? -Infinity)) {
        this.#refuse(limits.retryAfterMs, sentAt, now);
      }
    };
  }

  #take(opens: boolean, sentAt: number, now: number): void {
    if (opens) this.#open(sentAt, now);
    this.#round.taken += 1;
    this.#takenAt.push(now);
    if (this.#takenAt.length > 2 * MAX_LIMIT) this.#takenAt = this.#takenAt.slice(-MAX_LIMIT);
  }

  #refuse(retryAfterMs: number | undefined, sentAt: number, now: number): void {
    const { startedAt, taken, refusal } = this.#round;
    const since = refusal?.since ?? (now - startedAt > MAX_ROUND_MS ? now : startedAt);
    this.#round.refusal = { since, sentAt, at: now };
    const knownEnd = this.#endOfRound();
    const { limit, windowMs } = this.#measured;
    const isUsedUp = taken >= ALMOST * limit;
    let waitMs = retryAfterMs ?? FIRST_WAIT_MS;
    if (now < knownEnd && (isUsedUp || (this.#isTrusted && refusal !== undefined))) {
      waitMs = Math.max(retryAfterMs ?? 0, knownEnd - now);
    } else if (refusal !== undefined) {
      // A window that is used up and not over at its measured end is over soon after it. A round lies in at most two windows.
      const isLate = isUsedUp && taken <= 2 * limit && now < knownEnd + windowMs;
      const moreMs = isLate ? windowMs / 2 : nextUsualEnd(since, now) - now;
      waitMs = Math.max(retryAfterMs ?? 0, moreMs);
    }
    this.#blockedUntil = now + Math.max(waitMs, MIN_WAIT_MS);
  }

  /** Called when the server has accepted the request that finds out whether the window is over. */
  #open(sentAt: number, now: number): void {
    const round = this.#round;
    const { refusal, taken } = round;
    this.#blockedUntil = undefined;
    if (refusal !== undefined) {
      if (this.#isUnderWay(round, sentAt)) {
        this.#round = { ...round, known: taken, tries: true, refusal: undefined };
        return;
      }
      this.#calmSince = now;
      if (taken > 0) this.#measure(round, refusal, sentAt);
    }
    const calmMs = this.#patience * Math.max(this.#measured.windowMs, MIN_CALM_WINDOW_MS);
    const tries = !this.#isTrusted || now - this.#calmSince >= calmMs;
    this.#round = { startedAt: now, known: this.#measured.limit, tries, taken: 0 };
  }

  /** Tells whether a refusal meant nothing: the window is not over, and more was accepted than its limit allows in this time. */
  #isUnderWay({ startedAt, taken }: Round, now: number): boolean {
    const { limit, windowMs } = this.#measured;
    return now < this.#endOfRound() && ALMOST * (taken / (now - startedAt)) > limit / windowMs;
  }

  #measure({ taken, tries }: Round, { since, sentAt }: Refusal, acceptedAt: number): void {
    const { limit } = this.#measured;
    if (this.#isTrusted && tries && taken <= limit) {
      this.#patience = Math.min(2 * this.#patience, MAX_CALM_WINDOWS);
      return;
    }
    const latest = { limit: taken, windowMs: measureWindow(sentAt - since, acceptedAt - since) };
    const [last, lastButOne] = this.#history;
    const isRepeated = agree(latest, last);
    // Behind some limiters, two rounds alternate: together they are the limit.
    const alternate = !isRepeated && agree(latest, lastButOne) ? last : undefined;
    this.#measured = alternate === undefined ? latest : add(latest, alternate);
    this.#isTrusted = isRepeated || alternate !== undefined;
    this.#history = this.#isTrusted || last === undefined ? [this.#measured] : [latest, last];
    this.#patience = CALM_WINDOWS;
  }

  #endOfRound(): number {
    return this.#round.startedAt + stretchWindow(this.#measured.windowMs);
  }

  #delayByLimit(now: number, requests: number): Delay | undefined {
    const { limit, windowMs } = this.#measured;
    const index = this.#takenAt.length + this.#inFlight + Math.min(requests, limit) - 1 - limit;
    if (index < 0) return undefined;
    const leaving = this.#takenAt[index];
    if (leaving === undefined) return { untilMs: Infinity };
    const untilMs = leaving + stretchWindow(windowMs);
    const perWindow = `${pluralize(limit, "request")} per ${Math.round(windowMs / 1000)} s`;
    return untilMs <= now ? undefined : { untilMs, reason: `the stack seems to allow ${perWindow}` };
  }
}

function agree(one: Measurement, other: Measurement | undefined): boolean {
  return other !== undefined && isClose(one.limit, other.limit) && isClose(one.windowMs, other.windowMs);
}

function isClose(one: number, other: number): boolean {
  return one >= ALMOST * other && other >= ALMOST * one;
}

function add(one: Measurement, other: Measurement): Measurement {
  return { limit: one.limit + other.limit, windowMs: one.windowMs + other.windowMs };
}
