import type { Heard } from "../attempt.ts";

/** Why nothing may start now, and until when. */
export interface Hold {
  /** Unix milliseconds; infinite where only an answer still to come can end it. */
  readonly untilMs: number;
  /** In plain words; absent where the wait is too short to speak of. */
  readonly reason?: string;
}

/** Told how a request ended; without `heard` where no answer came. */
export type EndRequest = (heard: Heard | undefined, now: number) => void;

/** One limit on when requests may start. The pacer asks all of them. */
export interface Limit {
  /** The hold in force, if there is one. */
  hold(now: number): Hold | undefined;
  /** A request starts now. */
  begin(now: number): EndRequest;
}
