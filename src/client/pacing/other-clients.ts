/**
 * Estimates how many requests other clients of the same limit send, from the last window: between the first and the last of the own
 * requests there.
 */
export interface OtherClients {
  /** Counts an own request, after which the window has so many requests left. */
  count(remaining: number): void;
  /** Ends a window that has so many requests left. `inFlight` requests may be counted already. */
  endWindow(remaining: number, inFlight: number): void;
  /** Returns how many requests others may send until so many own requests have arrived. */
  requestsDuring(own: number): number;
}

/** Others are taken to send at most as many requests as this client while it sends. */
const MAX_PER_OWN = 1;

export function createOtherClients(): OtherClients {
  let own = 0;
  let remainingBefore = 0;
  let perOwn = 0;
  return {
    count(remaining) {
      if (own === 0) remainingBefore = remaining + 1;
      own += 1;
    },
    endWindow(remaining, inFlight) {
      const others = Math.max(0, remainingBefore - remaining - own - inFlight);
      perOwn = own === 0 ? 0 : Math.min(MAX_PER_OWN, others / own);
      own = 0;
    },
    // The latest response does not count what others sent just after it.
    requestsDuring: (own) => Math.ceil((own + 1) * perOwn),
  };
}
