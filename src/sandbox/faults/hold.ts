import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Keeps requests waiting, and releases all of them when the sandbox closes. */
export interface Hold {
  /** Resolves when the client has hung up, or on `release`. */
  readonly untilClosed: (socket: Socket) => Promise<void>;
  /** Resolves to true after `ms` milliseconds, or to false on `release`. */
  readonly pause: (ms: number) => Promise<boolean>;
  /** Ends every wait, including later ones. */
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
      // Rejects only on release.
      return sleep(ms, true, { signal: released.signal }).catch(() => false);
    },
    release() {
      released.abort();
      for (const socket of held) socket.destroy();
    },
  };
}
