import { describe, expect, test } from "vitest";
import { startSandbox, type Sandbox, type SandboxOptions } from "../support/start-sandbox.ts";
import { runLive, type LiveRun } from "./run-live.ts";
import type { FullRule } from "./rule.ts";
import { RULES } from "./topics.ts";

const WINDOW_MS = 60_000;
/** The rules of two topics only, so that these tests stay quick. */
const SOME = RULES.filter(({ topic }) => topic === "alert-updates" || topic === "lists");
const OWN = {
  connections: [{ id: "6b00000000000000000000c0", name: "Default", host: "http://db:8123", username: "default" }],
  sources: [
    {
      id: "6b00000000000000000000d0",
      name: "Logs",
      kind: "log",
      connection: "6b00000000000000000000c0",
      from: { databaseName: "default", tableName: "logs" },
      timestampValueExpression: "Timestamp",
      defaultTableSelectExpression: "Timestamp",
    },
  ],
};

const AT = "2026-11-01T10:00:00.000Z";
/** A record of each kind that shows that a stack is in use. */
const THEIRS = {
  dashboards: { tiles: [] },
  alerts: { state: "OK" },
  webhooks: { service: "generic", createdAt: AT, updatedAt: AT },
  "saved-searches": { sourceId: OWN.sources[0]?.id },
};

/** Starts a fresh installation whose clock advances when the run waits. */
async function freshStack(options: Partial<SandboxOptions> = {}) {
  let now = Date.now();
  const waits: number[] = [];
  const limit = { requests: 100, windowMs: WINDOW_MS };
  const sandbox = await startSandbox({ variant: "self-hosted", seed: OWN, limit, now: () => now, ...options });
  const sleep = async (milliseconds: number): Promise<void> => {
    waits.push(milliseconds);
    now += milliseconds;
  };
  const run = (rules: readonly FullRule[], more: Partial<LiveRun> = {}) =>
    runLive({
      url: sandbox.url,
      key: sandbox.apiKey ?? "",
      force: false,
      rules,
      sleep,
      tell: () => undefined,
      ...more,
    });
  return { sandbox, run, waits };
}

/** Returns the ids and names of the stack's records. */
function heldBy(sandbox: Sandbox): unknown {
  return Object.fromEntries(
    Object.entries(sandbox.stored()).map(([kind, records]) => [kind, records.map(({ id, name }) => ({ id, name }))]),
  );
}

describe("conformance rules on a live stack", () => {
  test("keep to its rate limit and leave a fresh installation as it was", async () => {
    const { sandbox, run, waits } = await freshStack();
    await using _ = sandbox;
    const before = heldBy(sandbox);
    expect(await run(SOME)).toEqual({ held: SOME.length, failed: [], left: 0 });
    expect(heldBy(sandbox)).toEqual(before);
    const { rateLimited, total } = sandbox.stats();
    expect(rateLimited).toBe(0);
    expect(waits).toHaveLength(Math.floor((total - 1) / 100));
    expect(Math.max(...waits)).toBeLessThanOrEqual(WINDOW_MS);
  });

  test("wait as long as RateLimit-Reset says if another client used the budget up", async () => {
    const { sandbox, run, waits } = await freshStack({ limit: { requests: 30, windowMs: WINDOW_MS } });
    await using _ = sandbox;
    const [rule] = SOME;
    await Promise.all(
      Array.from({ length: 30 }, () =>
        fetch(`${sandbox.url}/api/v2/team`, { headers: { authorization: `Bearer ${sandbox.apiKey}` } }),
      ),
    );
    expect(await run(rule === undefined ? [] : [rule])).toMatchObject({ held: 1, failed: [] });
    expect(sandbox.stats().rateLimited).toBe(1);
    expect(waits[0]).toBe(WINDOW_MS);
  });

  test.each(["dashboards", "alerts", "webhooks", "saved-searches"] as const)(
    "are not tried on a stack that holds %s, unless the caller allows it",
    async (kind) => {
      const seed = { ...OWN, [kind]: [{ id: "6b00000000000000000000e0", name: "Theirs", ...THEIRS[kind] }] };
      const { sandbox, run } = await freshStack({ seed });
      await using _ = sandbox;
      const before = heldBy(sandbox);
      const rules = RULES.filter(({ topic }) => topic === "paging");
      await expect(run(rules)).rejects.toThrow(`the stack holds 1 ${kind}`);
      expect(heldBy(sandbox)).toEqual(before);
      const alone = rules.filter((rule) => rule.alone);
      const forced = await run(rules, { force: true });
      expect(forced).toMatchObject({ failed: [], left: alone.length });
      expect(heldBy(sandbox)).toEqual(before);
    },
  );

  test("reports a rule that fails and deletes the records that the rule created", async () => {
    const { sandbox, run } = await freshStack();
    await using _ = sandbox;
    const before = heldBy(sandbox);
    const [rule] = SOME;
    if (rule === undefined) throw new Error("no rule");
    const { failed, held } = await run([{ ...rule, members: { threshold: -1 } }, rule]);
    expect(held).toBe(1);
    expect(failed).toEqual([expect.stringContaining("threshold is 100, not -1")]);
    expect(heldBy(sandbox)).toEqual(before);
  });

  test("leaves a stack as it was if it fails in the middle", async () => {
    let asked = 0;
    const { sandbox, run } = await freshStack({
      intercept: async ({ method, route }, proceed) => {
        asked += method === "POST" && route === "POST webhooks" ? 1 : 0;
        return asked === 3 && method === "POST" ? new Response("gone", { status: 503 }) : proceed();
      },
    });
    await using _ = sandbox;
    const before = heldBy(sandbox);
    await expect(run(SOME)).rejects.toThrow("cannot be made: 503");
    expect(heldBy(sandbox)).toEqual(before);
  });

  test("refuses a server that is not a stack", async () => {
    const { sandbox, run } = await freshStack();
    await using _ = sandbox;
    await expect(run(SOME, { key: "another" })).rejects.toThrow("GET dashboards answers 401");
  });
});
