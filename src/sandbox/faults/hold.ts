import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What keeps requests waiting, and lets go of all of them when the sandbox closes. */
export interface Hold {
  /** Resolves when the client has hung up, or `release` did. */
  readonly untilClosed: (socket: Socket) => Promise<void>;
  /** Resolves to true after `ms` milliseconds, on `release` to false. */
  readonly pause: (ms: number) => Promise<boolean>;
  /** Ends every wait, also those still to come. */
  readonly release: () => void;
}

export function createHold(): Hold {
  const held = new Set<Socket>();
  const released = new AbortController();
  return {
    untilClosed(socket) {
      if (released.signal.aborted) socket.destroy();
      if (socket.destroyed) return Promise.resolve();
      held.add(socket);
      return new Promise((resolve) => {
        socket.once("close", () => {
          held.delete(socket);
          resolve();
        });
      });
    },
    pause(ms) {
      // Rejects on release alone.
      return sleep(ms, true, { signal: released.signal }).catch(() => false);
    },
    release() {
      released.abort();
      for (const socket of held) socket.destroy();
    },
  };
}
