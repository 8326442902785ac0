import { pluralize } from "../../core/text/format.ts";
import type { Delay, EndRequest, RequestLimit } from "./limit.ts";

/** The window that the managed service publishes (docs/api.md#limits: 10 requests per 10 s, no headers). */
const PUBLISHED_WINDOW_MS = 10_000;
const MAX_WINDOW_MS = 15 * 60_000;
/** Tolerance: a refusal up to this time after the end of the assumed window does not prove that the window is longer. */
const WINDOW_MARGIN_MS = 1000;
/** Margin for the varying delay of responses, in milliseconds. */
const JITTER_MS = 100;
const MIN_DELAY_MS = 1000;
const MAX_DELAY_MS = 10_000;
/** Number of windows without a refusal after which the limit grows by one. */
const CALM_WINDOWS = 4;

/** The period from a refusal to the next request that the server accepts. */
interface Refusal {
  /** Start of the window in which the server refused. */
  readonly windowStart: number;
  readonly limitBefore: number;
  /** Requests that the server accepted in that window. */
  taken: number;
  count: number;
  blockedUntil: number;
  probing: boolean;
}

/**
 * Learns the limit of a server that sends 429 without stating its limit. After a refusal, nothing is sent for a while. Then a
 * single request, the probe, is repeated until the server accepts it. From then on, the limit is the number of requests that the
 * server accepted in a window before the refusal; a later refusal at most halves the limit. While the server refuses nothing, the
 * limit grows slowly. The server counts a request at some time between the request's start and its response. So this class counts
 * the request from its start until one window after its response.
 */
export class LearnedLimit implements RequestLimit {
  #windowMs = PUBLISHED_WINDOW_MS;
  #limit = Infinity;
  #takenAt: number[] = [];
  #inFlight = 0;
  #calmSince = 0;
  #refusal: Refusal | undefined;
  #refusedAt = -Infinity;

  delay(now: number, requests = 1): Delay | undefined {
    if (this.#refusal?.probing) return { untilMs: Infinity };
    if (this.#refusal && now < this.#refusal.blockedUntil) {
      return { untilMs: this.#refusal.blockedUntil, reason: "the stack asked the program to slow down (429)" };
    }
    return this.#delayByWindow(now, requests);
  }

  begin(sentAt: number): EndRequest {
    const probed = this.#refusal;
    if (probed) probed.probing = true;
    this.#inFlight += 1;
    return (reported, now) => {
      this.#inFlight -= 1;
      if (probed) probed.probing = false;
      if (reported === undefined) return;
      const { status, limits } = reported;
      if (status !== 429) this.#take(sentAt, now);
      // If a request was sent before the last refusal, the refusal of this request tells nothing new. The announced limit handles
      // refusals with a reset time.
      else if (limits.resetMs === undefined && sentAt >= this.#refusedAt) this.#refuse(limits.retryAfterMs, now);
    };
  }

  #take(sentAt: number, now: number): void {
    this.#takenAt.push(now);
    if (this.#refusal === undefined) return;
    if (sentAt >= this.#refusedAt) this.#recover(this.#refusal, now);
    else if (this.#refusal.count === 1) {
      // The request was sent before the refusal came back.
      this.#refusal.taken += 1;
      this.#measure(this.#refusal);
    }
  }

  #refuse(retryAfterMs: number | undefined, now: number): void {
    this.#prune(now);
    this.#refusal ??= {
      windowStart: this.#takenAt[0] ?? now,
      limitBefore: this.#limit,
      taken: this.#takenAt.length,
      count: 0,
      blockedUntil: now,
      probing: false,
    };
    const backoffMs = Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** this.#refusal.count);
    this.#refusal.count += 1;
    this.#refusedAt = now;
    this.#refusal.blockedUntil = now + Math.max(retryAfterMs ?? backoffMs, MIN_DELAY_MS);
    this.#measure(this.#refusal);
  }

  #measure({ taken, limitBefore }: Refusal): void {
    // If the server accepted no request, other clients have used up the limit, and nothing can be learned.
    if (limitBefore === Infinity) this.#limit = taken === 0 ? Infinity : taken;
    else this.#limit = Math.max(1, taken, Math.floor(limitBefore / 2));
  }

  #recover({ windowStart }: Refusal, now: number): void {
    // The server still refused a request when the assumed window was over, so its window is longer.
    if (this.#refusedAt - windowStart > this.#windowMs + WINDOW_MARGIN_MS) {
      this.#windowMs = Math.min(now - windowStart, MAX_WINDOW_MS);
    }
    this.#calmSince = now;
    this.#refusal = undefined;
  }

  #delayByWindow(now: number, requests: number): Delay | undefined {
    let untilMs = this.#roomAt(now, requests);
    const isCalm = this.#refusal === undefined && now - this.#calmSince >= CALM_WINDOWS * this.#windowMs;
    if (untilMs > now && isCalm) {
      this.#limit += 1;
      this.#calmSince = now;
      untilMs = this.#roomAt(now, requests);
    }
    if (untilMs <= now) return undefined;
    if (untilMs === Infinity) return { untilMs };
    const perWindow = `${pluralize(this.#limit, "request")} per ${Math.round(this.#windowMs / 1000)} s`;
    return { untilMs, reason: `the stack seems to allow ${perWindow}` };
  }

  /** Returns the time at which the window has room for so many more requests; infinity if that depends on a response. */
  #roomAt(now: number, requests: number): number {
    this.#prune(now);
    const excess = this.#takenAt.length + this.#inFlight + Math.min(requests, this.#limit) - 1 - this.#limit;
    if (excess < 0) return now;
    const leaving = this.#takenAt[excess];
    return leaving === undefined ? Infinity : leaving + this.#windowMs + JITTER_MS;
  }

  #prune(now: number): void {
    this.#takenAt = this.#takenAt.filter((at) => at > now - this.#windowMs - JITTER_MS);
  }
}
