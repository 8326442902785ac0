import type { SandboxLimit } from "../options.ts";

/** The limiter's decision on one request. */
interface Take {
  readonly allowed: boolean;
  /** The `RateLimit-*` headers, and `Retry-After` on a refusal; empty if the deployment does not publish them. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Limiter {
  take(credential: string): Take;
}

/** One fixed window per credential for all resources together. Refused requests count as well (docs/api.md#limits). */
export function createLimiter(limit: Required<SandboxLimit>, now: () => number): Limiter {
  const windows = new Map<string, { endsAt: number; taken: number }>();
  return {
    take(credential) {
      const time = now();
      for (const [key, window] of windows) if (window.endsAt <= time) windows.delete(key);
      const window = windows.get(credential) ?? { endsAt: time + limit.windowMs, taken: 0 };
      windows.set(credential, window);
      window.taken += 1;
      const allowed = window.taken <= limit.requests;
      if (!limit.headers) return { allowed, headers: {} };
      return {
        allowed,
        headers: {
          "RateLimit-Limit": String(limit.requests),
          "RateLimit-Remaining": String(Math.max(0, limit.requests - window.taken)),
          "RateLimit-Reset": seconds(window.endsAt - time),
          // The servers send the whole window here, even if only a part of it remains (recording 110).
          ...(allowed ? {} : { "Retry-After": seconds(limit.windowMs) }),
        },
      };
    },
  };
}

function seconds(milliseconds: number): string {
  return String(Math.ceil(milliseconds / 1000));
}
