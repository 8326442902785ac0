import type { Interceptor } from "../../src/sandbox/options.ts";
import type { EndingSignal } from "./run-program.ts";

/**
 * A moment at which a process is killed: at a request before the stack receives it, when the stack has stored it, or
 * `afterMs` after the response.
 */
export interface RequestKill {
  readonly request: number;
  readonly moment: "before" | "stored" | "answered";
  readonly afterMs: number;
}

/**
 * Tells when the process must be killed, and blocks its requests from that moment on.
 * @param counts returns whether a request is counted; by default, all are
 */
export function createKiller(counts: (request: Parameters<Interceptor>[0]) => boolean = () => true) {
  let seen = 0;
  let isDue = false;
  let kill: RequestKill | undefined;
  const intercept: Interceptor = async (request, proceed) => {
    if (counts(request)) seen += 1;
    if (kill === undefined || (!isDue && (seen < kill.request || !counts(request)))) return proceed();
    const { moment, afterMs } = kill;
    if (!isDue && moment === "answered") {
      const answer = await proceed();
      setTimeout(() => (isDue = true), afterMs);
      return answer;
    }
    if (!isDue && moment === "stored") await proceed();
    isDue = true;
    const { socket } = request;
    await new Promise((closed) => (socket.destroyed ? closed(undefined) : socket.once("close", closed)));
    return undefined;
  };
  return {
    intercept,
    signal: { when: () => isDue, afterMs: 0 } satisfies EndingSignal,
    /** Returns the number of requests that were counted since `aim`. */
    seen: () => seen,
    aim(next: RequestKill | undefined) {
      [seen, isDue, kill] = [0, false, next];
    },
  };
}
