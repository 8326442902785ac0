import type { SandboxLimit } from "../options.ts";

/** What one request finds in its credential's window. */
interface Take {
  readonly allowed: boolean;
  /** The `RateLimit-*` headers, and `Retry-After` on a refusal; empty where the deployment publishes none. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Limiter {
  take(credential: string): Take;
}

/** One fixed window per credential over all resources, which counts refused requests too (field notes, Rate limits). */
export function createLimiter(limit: Required<SandboxLimit>, now: () => number): Limiter {
  const windows = new Map<string, { endsAt: number; taken: number }>();
  return {
    take(credential) {
      const at = now();
      for (const [key, window] of windows) if (window.endsAt <= at) windows.delete(key);
      const window = windows.get(credential) ?? { endsAt: at + limit.windowMs, taken: 0 };
      windows.set(credential, window);
      window.taken += 1;
      const allowed = window.taken <= limit.requests;
      if (!limit.headers) return { allowed, headers: {} };
      return {
        allowed,
        headers: {
          "RateLimit-Limit": String(limit.requests),
          "RateLimit-Remaining": String(Math.max(0, limit.requests - window.taken)),
          "RateLimit-Reset": seconds(window.endsAt - at),
          // The servers name the whole window here, however little of it is left (recording 110).
          ...(allowed ? {} : { "Retry-After": seconds(limit.windowMs) }),
        },
      };
    },
  };
}

function seconds(milliseconds: number): string {
  return String(Math.ceil(milliseconds / 1000));
}
