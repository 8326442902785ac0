import { expect, test } from "vitest";
import type { FaultPlan, Sandbox } from "../../../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../../../src/sandbox/start-sandbox.ts";
import { alertOn, call, json, list, markdownTile, record } from "../call.ts";

type Rule = FaultPlan["rules"][number];

const start = (rules: readonly Rule[]) => startSandbox({ variant: "self-hosted", seed: "bare", faults: { rules } });

/** So many alerts, named by their number. */
async function makeAlerts(sandbox: Sandbox, count: number): Promise<void> {
  const dashboard = record(await call(sandbox, "POST", "dashboards", { name: "d", tiles: [markdownTile("t")] }));
  const alert = alertOn(dashboard, 0, sandbox.webhooks[0]?.id ?? "");
  for (let made = 0; made < count; made += 1) await call(sandbox, "POST", "alerts", { ...alert, name: `${made}` });
}

/** All alerts by pages of two, as a client follows them, and the totals it is told. */
async function pages(sandbox: Sandbox) {
  const found: unknown[] = [];
  const metas: unknown[] = [];
  for (let offset = 0; offset < 6; offset += 2) {
    const page = await call(sandbox, "GET", `alerts?limit=2&offset=${offset}`);
    found.push(list(page).map(({ name }) => name));
    metas.push(json(page)["meta"]);
  }
  return { found, metas };
}

const shifted: readonly (readonly [Rule, readonly (readonly string[])[]])[] = [
  [
    { fault: "page-skip" },
    [
      ["0", "1"],
      ["3", "4"],
      ["4", "5"],
    ],
  ],
  [
    { fault: "page-repeat" },
    [
      ["0", "1"],
      ["1", "2"],
      ["4", "5"],
    ],
  ],
  [{ fault: "page-skip", nth: 2 }, [["0", "1"], ["2", "3"], ["5"]]],
  [
    { fault: "page-repeat", times: 2 },
    [
      ["0", "1"],
      ["1", "2"],
      ["3", "4"],
    ],
  ],
];

test.each(shifted)("%j: a next page starts a row off, and says nothing of it", async (rule, expected) => {
  await using sandbox = await start([rule]);
  await makeAlerts(sandbox, 6);
  const { found, metas } = await pages(sandbox);
  expect(found).toEqual(expected);
  expect(metas).toEqual([0, 2, 4].map((offset) => ({ total: 6, limit: 2, offset })));
  expect((await pages(sandbox)).found).toEqual([
    ["0", "1"],
    ["2", "3"],
    ["4", "5"],
  ]);
});
