/** How many requests a server took lately. */
export interface SuccessCount {
  /** A request is under way; call the answer when it is over. */
  enter(): () => void;
  /** A request was answered now, other than by a refusal. */
  add(now: number): void;
  /** Requests answered within the window that ends now. */
  count(now: number): number;
  /** When the earliest of those was answered. */
  earliest(now: number): number | undefined;
  /** From now on the window is this long. */
  widen(windowMs: number): void;
  /** When at most `cap - 1` requests are in the window: now, later, or infinite where only an answer can tell. */
  freeAt(cap: number, now: number): number;
}

/** Answers arrive this much apart at most when nothing else is wrong. */
const JITTER_MS = 100;

/**
 * Counts by the time of the answer, and what is under way always: the server counted each request at some time between
 * its sending and its answer, so no window of the server can hold more than is counted here.
 */
export function createSuccessCount(firstWindowMs: number): SuccessCount {
  let windowMs = firstWindowMs;
  let answered: number[] = [];
  let underWay = 0;
  const prune = (now: number): void => {
    answered = answered.filter((at) => at > now - windowMs - JITTER_MS);
  };
  return {
    enter() {
      underWay += 1;
      return () => {
        underWay -= 1;
      };
    },
    add: (now) => void answered.push(now),
    count(now) {
      prune(now);
      return answered.length;
    },
    earliest(now) {
      prune(now);
      return answered[0];
    },
    widen(longerMs) {
      windowMs = longerMs;
    },
    freeAt(cap, now) {
      prune(now);
      const excess = answered.length + underWay - cap;
      if (excess < 0) return now;
      const leaves = answered[excess];
      return leaves === undefined ? Infinity : leaves + windowMs + JITTER_MS;
    },
  };
}
