import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Interceptor } from "../../src/sandbox/start-sandbox.ts";
import { recordsOn } from "../support/on-stack.ts";
import { callSandbox } from "../support/read-sandbox.ts";
import { emptySeed } from "../support/program-with-archive.ts";
import { alert, dashboard, hexId, asListedBy, targetIds, archiveIds } from "../support/stack-records.ts";
import { programForTwoStacks } from "../support/program.ts";

const ALERT = hexId("b", 32);
const theirs = dashboard(hexId("b", 16), "Overview", targetIds.source, { tags: ["theirs"] });
const mine = alert(ALERT, "Mine", theirs, targetIds.webhook, { message: "call me" });
const ours = {
  ...emptySeed("a"),
  dashboards: [dashboard(hexId("a", 16), "Overview", archiveIds.source, { tags: ["ours"] })],
};

it("migrate names an alert that the server deletes, and rollback creates it again", async () => {
  const seed = asListedBy("managed", { ...emptySeed("b"), dashboards: [theirs], alerts: [mine] });
  const intercept: Interceptor = async ({ route }, proceed) => {
    const answer = await proceed();
    if (route === "PUT dashboards/{id}") await callSandbox(to, "DELETE", `alerts/${ALERT}`).catch(() => "gone already");
    return answer;
  };
  const source = { variant: "self-hosted", seed: ours } as const;
  await using stacks = await programForTwoStacks(source, { variant: "managed", ids: "hex", seed, intercept });
  const { to, cwd, run, json } = stacks;
  const update = "--on-conflict overwrite --report r.html";
  const wait = { env: { STACKFERRY_CONSISTENCY_WAIT: "300ms" } };
  const document = await json(`migrate --from $FROM --to $TO ${update}`, wait);
  expect(document).toMatchObject({ exitCode: 3, counts: { update: 1, failed: 1 } });
  expect(await readFile(join(cwd, "r.html"), "utf8")).toContain("<b>cascade-loss</b>");
  const { outcomes } = document as { outcomes: { code?: string }[] };
  expect(outcomes.filter(({ code }) => code === "cascade-loss")).toMatchObject([
    { kind: "alerts", name: "Mine", targetId: ALERT, status: "failed" },
  ]);
  expect(await recordsOn(to, "alerts")).toEqual([]);
  const plan = await run("rollback --to $TO --dry-run");
  expect(plan.stdout).toContain("1 to create again, 1 to put back");
  const undone = await run("rollback --to $TO --run 1");
  expect(undone.stdout).toContain("1 created again, 1 put back");
  expect(undone.exitCode).toBe(0);
  const { id: _id, state: _state, ...body } = seed.alerts[0] ?? {};
  expect(await recordsOn(to, "alerts")).toMatchObject([body]);
  expect(await recordsOn(to, "dashboards")).toMatchObject([{ tags: ["theirs"] }]);
});
