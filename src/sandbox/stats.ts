/** The requests to a sandbox since its start. */
export interface SandboxStats {
  readonly total: number;
  /** Requests refused by the rate limiter. */
  readonly rateLimited: number;
  /** Number of requests by method and route, such as `GET dashboards`, `PUT dashboards/{id}`, `GET unknown`. */
  readonly byRoute: Readonly<Record<string, number>>;
  /** Number of responses by status. Requests that an interceptor left without a response count as `none`. */
  readonly byStatus: Readonly<Record<string, number>>;
}

export type StatsCounter = ReturnType<typeof createStats>;

export function createStats() {
  const byRoute = new Map<string, number>();
  const byStatus = new Map<string, number>();
  let total = 0;
  let rateLimited = 0;
  return {
    /** Counts an arriving request. Returns its number among all requests (`count`) and among those for its route (`routeCount`). */
    arrived: (route: string) => ({ count: (total += 1), routeCount: increment(byRoute, route) }),
    responded: (status: number | undefined) => increment(byStatus, String(status ?? "none")),
    limited: () => (rateLimited += 1),
    read: (): SandboxStats => ({
      total,
      rateLimited,
      byRoute: Object.fromEntries(byRoute),
      byStatus: Object.fromEntries(byStatus),
    }),
  };
}

function increment(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}
