import { pluralize } from "../../core/text/format.ts";
import { stretchWindow, type Delay, type EndRequest, type RequestLimit } from "./limit.ts";

/** The wait is short, because one refusal proves nothing. */
const FIRST_WAIT_MS = 1000;
/** A 429 that asks for no wait must not start a busy loop. */
const MIN_WAIT_MS = 250;
/** If a round's first refusal comes later, the start of the server's window is unknown. */
const MAX_ROUND_MS = 60_000;
const ALMOST = 0.75;
/** From this share on, the limit counts as used up, because other clients may have sent requests, too. */
const USED_UP = 0.6;
/** A server that accepts a smaller share of the limit after a short wait refills a token bucket. */
const REFILLED = 1 / 3;
const FIRST_AT_ONCE = 4;
const CALM_MS = 5000;
/** Number of remembered requests. A larger limit may not be enforced. */
const MAX_LIMIT = 10_000;
/** After this many windows without a refusal, a round may exceed the known limit. */
const CALM_WINDOWS = 4;
const MAX_CALM_WINDOWS = 16;
/** A shorter window counts as 10 s, because the measured window of a token bucket can be short. */
const MIN_CALM_WINDOW_MS = 10_000;

interface Round {
  readonly startedAt: number;
  readonly known: number;
  /** True if the round may exceed the known limit and window. */
  readonly tries: boolean;
  /** The time of the previous round's only refusal, if that refusal asked for a short wait or none. */
  readonly refusedBefore: number | undefined;
  taken: number;
  refusal?: Refusal;
  /** Set for a token bucket: a number of requests, and the time until there is room for them. */
  refill?: Measurement | undefined;
}

interface Refusal {
  readonly since: number;
  readonly sentAt: number;
  readonly at: number;
  readonly isShort: boolean;
}

interface Measurement {
  readonly limit: number;
  readonly windowMs: number;
}

/** Learns a limit that no 429 states. One refusal proves nothing, so two measurements must agree. */
export class LearnedLimit implements RequestLimit {
  #measured: Measurement = { limit: Infinity, windowMs: 0 };
  #isTrusted = false;
  #round: Round = { startedAt: -Infinity, known: Infinity, tries: true, refusedBefore: undefined, taken: 0 };
  #calmSince = 0;
  #patience = CALM_WINDOWS;
  /** Set from a refusal until the server accepts a request again. */
  #blockedUntil: number | undefined;
  #isOpening = false;
  #inFlight = 0;
  #takenAt: number[] = [];

  delay(now: number, requests = 1): Delay | undefined {
    if (this.#isOpening) return { untilMs: Infinity };
    if (this.#blockedUntil !== undefined) {
      if (now >= this.#blockedUntil) return undefined;
      return { untilMs: this.#blockedUntil, reason: "the stack asked the program to slow down (429)" };
    }
    if (this.#round.known === Infinity) return undefined;
    return this.#round.tries ? this.#delayOfTry(now, requests) : this.#delayByLimit(now, requests);
  }

  /** Beyond the limit, requests start one by one for `CALM_MS`, so only one is refused. */
  #delayOfTry(now: number, requests: number): Delay | undefined {
    const { known, taken, startedAt } = this.#round;
    const sent = taken + this.#inFlight + requests;
    const byLimit = sent <= known ? this.#delayByLimit(now, requests) : undefined;
    if (byLimit !== undefined) return byLimit;
    const isSure = this.#isTrusted || now - startedAt >= CALM_MS;
    if (sent <= (isSure ? known : Math.min(known, FIRST_AT_ONCE))) return undefined;
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
      // A request from before the last refusal tells nothing new. The announced limit handles reset times.
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
    const { startedAt, refusal } = this.#round;
    const since = refusal?.since ?? (now - startedAt > MAX_ROUND_MS ? now : startedAt);
    const isShort = refusal === undefined && (retryAfterMs ?? 0) <= FIRST_WAIT_MS;
    this.#round.refusal = { since, sentAt, at: now, isShort };
    this.#round.refill = refusal === undefined ? this.#refillAt(now) : undefined;
    const toEndMs = this.#msToEnd(since, now, refusal !== undefined);
    const waitMs =
      toEndMs === undefined
        ? Math.max(retryAfterMs ?? FIRST_WAIT_MS, this.#round.refill?.windowMs ?? 0)
        : Math.max(retryAfterMs ?? 0, toEndMs);
    this.#blockedUntil = now + Math.max(waitMs, MIN_WAIT_MS);
  }

  #msToEnd(since: number, now: number, isRefusedAgain: boolean): number | undefined {
    const { limit, windowMs } = this.#measured;
    const { taken } = this.#round;
    const knownEnd = this.#endOfRound();
    const isUsedUp = taken >= USED_UP * limit;
    if (now < knownEnd && (isUsedUp || (this.#isTrusted && isRefusedAgain))) return knownEnd - now;
    if (!isRefusedAgain) return undefined;
    // A round covers at most two windows, so `taken` over twice the limit proves the limit wrong.
    const isLate = isUsedUp && taken <= 2 * limit && now < knownEnd + windowMs;
    return isLate ? windowMs / 2 : nextUsualEnd(since, now) - now;
  }

  /** In a token bucket, a short wait makes room for only a few requests. */
  #refillAt(now: number): Measurement | undefined {
    const { refusedBefore, taken } = this.#round;
    const limit = Math.ceil(REFILLED * this.#measured.limit);
    if (limit === Infinity || this.#isTrusted || refusedBefore === undefined) return undefined;
    const refilledMs = now - refusedBefore;
    if (taken === 0 || taken >= limit || refilledMs > MAX_ROUND_MS) return undefined;
    return { limit, windowMs: wholeSeconds((refilledMs / taken) * limit) };
  }

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
      if (round.refill !== undefined) this.#measured = round.refill;
      else if (taken > 0) this.#measure(round, refusal, sentAt);
    }
    const calmMs = this.#patience * Math.max(this.#measured.windowMs, MIN_CALM_WINDOW_MS);
    const tries = !this.#isTrusted || now - this.#calmSince >= calmMs;
    const refusedBefore = refusal?.isShort === true ? refusal.at : undefined;
    this.#round = { startedAt: now, known: this.#measured.limit, tries, refusedBefore, taken: 0 };
  }

  /** The round goes on after a refusal if the server accepted faster than measured. */
  #isUnderWay({ startedAt, taken }: Round, now: number): boolean {
    const { limit, windowMs } = this.#measured;
    return now < this.#endOfRound() && taken / (now - startedAt) > limit / windowMs;
  }

  #measure({ taken, tries }: Round, { since, sentAt }: Refusal, acceptedAt: number): void {
    const { limit } = this.#measured;
    if (this.#isTrusted && tries && taken <= limit) {
      this.#patience = Math.min(2 * this.#patience, MAX_CALM_WINDOWS);
      return;
    }
    const latest = { limit: taken, windowMs: measureWindow(sentAt - since, acceptedAt - since) };
    const before = this.#measured;
    this.#isTrusted = isNear(latest.limit, before.limit) && isNear(latest.windowMs, before.windowMs);
    // A measured limit may be wrong by one request, so small limits that differ by one are averaged.
    const isMean = this.#isTrusted && !isClose(latest.limit, before.limit);
    this.#measured = isMean ? meanOf(latest, before) : latest;
    this.#patience = CALM_WINDOWS;
  }

  #endOfRound(): number {
    return this.#round.startedAt + this.#measured.windowMs;
  }

  #delayByLimit(now: number, requests: number): Delay | undefined {
    const { limit, windowMs } = this.#measured;
    const index = this.#takenAt.length + this.#inFlight + Math.min(requests, limit) - 1 - limit;
    if (index < 0) return undefined;
    const leaving = this.#takenAt[index];
    if (leaving === undefined) return { untilMs: Infinity };
    const untilMs = leaving + windowMs;
    const perWindow = `${pluralize(limit, "request")} per ${Math.round(windowMs / 1000)} s`;
    return untilMs <= now ? undefined : { untilMs, reason: `the stack seems to allow ${perWindow}` };
  }
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1 || isClose(one, other);
}

function isClose(one: number, other: number): boolean {
  return one >= ALMOST * other && other >= ALMOST * one;
}

/** Takes the larger limit, and the window in which this limit has the mean rate of both measurements. */
function meanOf(one: Measurement, other: Measurement): Measurement {
  const limit = Math.max(one.limit, other.limit);
  return { limit, windowMs: (limit * (one.windowMs + other.windowMs)) / (one.limit + other.limit) };
}

function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1000) * 1000;
}

/** Longer windows last whole minutes. */
const USUAL_WINDOWS_MS = [1, 2, 5, 10, 15, 20, 30, 60].map((seconds) => seconds * 1000);
const MINUTE_MS = 60_000;
/** A measured time further above a usual window means a window of another length. */
const MAX_EXCESS = 4 / 3;

function nextUsualEnd(startedAt: number, now: number): number {
  const passedMs = now - startedAt;
  const nextMs = USUAL_WINDOWS_MS.find((ms) => ms > passedMs) ?? (Math.floor(passedMs / MINUTE_MS) + 1) * MINUTE_MS;
  return startedAt + stretchWindow(nextMs);
}

/** The window was not over after `refusedMs`, and was over after `acceptedMs`. */
function measureWindow(refusedMs: number, acceptedMs: number): number {
  const usual = USUAL_WINDOWS_MS.findLast((ms) => ms > refusedMs && ms <= acceptedMs);
  if (usual !== undefined && acceptedMs <= usual * MAX_EXCESS) return usual;
  return Math.max(refusedMs, Math.floor(acceptedMs / 1000) * 1000);
}
