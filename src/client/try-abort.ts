/** Ends a try: when its time is over, or when the caller takes it back. */
export interface TryAbort {
  readonly signal: AbortSignal;
  /** The time until `startClock` does not count. */
  stopClock(): void;
  startClock(): void;
  timedOut(): boolean;
  done(): void;
}

/** Begins the time of a try. @param outer the caller's own signal */
export function abortAfter(timeoutMs: number, outer: AbortSignal | undefined): TryAbort {
  const controller = new AbortController();
  let timedOut = false;
  let leftMs = timeoutMs;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  const startClock = (): void => {
    since = performance.now();
    timer = setTimeout(() => {
      timedOut = true;
      controller.abort();
    }, leftMs);
  };
  const stopClock = (): void => {
    clearTimeout(timer);
    leftMs = Math.max(0, leftMs - (performance.now() - since));
  };
  const stop = (): void => controller.abort();
  outer?.addEventListener("abort", stop, { once: true });
  if (outer?.aborted) stop();
  startClock();
  return {
    signal: controller.signal,
    stopClock,
    startClock,
    timedOut: () => timedOut,
    done: () => {
      clearTimeout(timer);
      outer?.removeEventListener("abort", stop);
    },
  };
}
