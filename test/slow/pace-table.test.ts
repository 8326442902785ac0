import { expect, test } from "vitest";
import type { LimitedServerOptions } from "../unit/client/support/limited-server.ts";
import { pacedRun, type Neighbour } from "../unit/client/support/paced-run.ts";

/** Number of requests, and seconds. */
const LIMITS = [
  [5, 1],
  [10, 10],
  [60, 10],
  [30, 30],
  [100, 60],
] as const;

const HEADERS: Record<string, Partial<LimitedServerOptions>> = {
  "RateLimit headers": { headers: true },
  "Retry-After: the rest": { retryAfter: "rest" },
  "Retry-After: 1": { retryAfter: "one second" },
  none: {},
};

/** Latencies of up to 400 ms, or of a tenth of the window. */
const uneven = (seconds: number) => (count: number) => 5 + ((count * 7919) % Math.min(396, seconds * 100 - 4));

const DISTURBANCES: Record<string, (seconds: number) => [Partial<LimitedServerOptions>, Neighbour]> = {
  none: () => [{}, "none"],
  "uneven answers": (seconds) => [{ latency: uneven(seconds) }, "none"],
  "stray refusal": () => [{ strayAt: 6 }, "none"],
  "steady client": () => [{}, "steady"],
  "same program": () => [{}, "twin"],
};

/**
 * Refusals of one window at most, by kind of window. A window by the clock may be cut short by the first refusal, so the end of the
 * next one has to be looked for; a bucket has no windows.
 */
const MOST_REFUSALS = { "from a request": 1, "by the clock": 4, sliding: 3, "token bucket": 8 } as const;

const WINDOWS: Record<keyof typeof MOST_REFUSALS, Partial<LimitedServerOptions>> = {
  "from a request": {},
  "by the clock": { aligned: true },
  sliding: { sliding: true },
  "token bucket": { bucket: true },
};

/**
 * Prints the share of the allowed requests that were sent in the five windows after the first refusal, and the number of requests
 * refused from then on: for each limit, kind of window, headers and disturbance.
 */
test("most of the allowed rate is used, whatever the limiter says, and whatever disturbs", async () => {
  const lines = [
    ["limit", "window", "headers", ...Object.keys(DISTURBANCES)],
    ["---", "---", "---"],
  ];
  lines[1]?.push(...Object.keys(DISTURBANCES).map(() => "---:"));
  for (const kind of Object.keys(MOST_REFUSALS) as (keyof typeof MOST_REFUSALS)[])
    for (const [requests, seconds] of LIMITS)
      for (const [name, headers] of Object.entries(HEADERS)) {
        // No limiter is known that announces such a window in RateLimit headers.
        if (headers.headers && (WINDOWS[kind].sliding || WINDOWS[kind].bucket)) continue;
        const cells: string[] = [];
        for (const disturb of Object.values(DISTURBANCES)) {
          const [server, neighbour] = disturb(seconds);
          const options = {
            requests,
            windowMs: seconds * 1000,
            headers: false,
            ...WINDOWS[kind],
            ...headers,
            ...server,
          };
          const { share, refusals, mostInWindow } = await pacedRun(options, neighbour);
          cells.push(`${Math.round(share * 100)} %, ${refusals}`);
          const cell = `${requests} per ${seconds} s, ${kind}, ${name}`;
          expect.soft(share, cell).toBeGreaterThan(0.9);
          expect.soft(mostInWindow, cell).toBeLessThanOrEqual(MOST_REFUSALS[kind]);
        }
        lines.push([`${requests} per ${seconds} s`, kind, name, ...cells]);
      }
  if (process.env["PACE_TABLE"]) process.stdout.write(lines.map((cells) => `| ${cells.join(" | ")} |\n`).join(""));
});
