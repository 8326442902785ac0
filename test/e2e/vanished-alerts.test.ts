import { EventEmitter } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import type { Sandbox, SandboxVariant } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { backupFixture } from "../support/backup-fixture.ts";
import { readSandbox } from "../support/read-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { source, webhook } from "../support/stack-records.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const sources = [source("5".repeat(24), "Logs", "c".repeat(24))];
const webhooks = [webhook("e".repeat(24), "On call")];
const MANAGED_ID = "b1b1b1b1-b1b1-4b1b-8b1b-b1b1b1b1b1b1";
const ALERT = "a".repeat(24);
const ids = (variant: SandboxVariant): { dashboard: string; alert: string } =>
  variant === "managed"
    ? { dashboard: MANAGED_ID, alert: MANAGED_ID.replace("b1", "a1") }
    : { dashboard: "b".repeat(24), alert: ALERT };

/** A dashboard with a chart and a text. */
const board = (id: string, tags: string[]): JsonObject => ({
  id,
  name: "Overview",
  tags,
  filters: [],
  tiles: [
    {
      id: "1".repeat(24),
      name: "Requests",
      x: 0,
      y: 0,
      w: 8,
      h: 4,
      config: {
        displayType: "line",
        fillNulls: true,
        sourceId: "5".repeat(24),
        select: [{ aggFn: "count", where: "", whereLanguage: "lucene" }],
      },
    },
    {
      id: "2".repeat(24),
      name: "Notes",
      x: 8,
      y: 0,
      w: 8,
      h: 4,
      config: { displayType: "markdown", markdown: "# Hi" },
    },
  ],
});

const alertOn = (variant: SandboxVariant, tileId: string): JsonObject => ({
  id: ids(variant).alert,
  name: "Mine",
  message: "call me",
  source: "tile",
  dashboardId: ids(variant).dashboard,
  tileId,
  threshold: 5,
  thresholdType: "above",
  interval: "5m",
  channel: { type: "webhook", webhookId: "e".repeat(24) },
  // A managed stack takes and shows the one channel alone.
  ...(variant === "self-hosted" && { channels: [{ type: "webhook", webhookId: "e".repeat(24) }] }),
});

async function deleteAlert(to: Sandbox, id: string): Promise<void> {
  const { apiKey, keyId, keySecret } = to;
  const authorization = apiKey === undefined ? `Basic ${btoa(`${keyId}:${keySecret}`)}` : `Bearer ${apiKey}`;
  const base = apiKey === undefined ? `${to.stack}/obsstack` : `${to.url}/api/v2`;
  await fetch(`${base}/alerts/${id}`, { method: "DELETE", headers: { authorization } });
}

/** An archive of a changed dashboard, and a target that has it with an alert on one tile. @param signals stop the run at the first update */
async function stage(variant: SandboxVariant, tileId: string, takesAway: boolean, signals?: EventEmitter) {
  const from = await startSandbox({
    variant: "self-hosted",
    seed: { sources, webhooks, dashboards: [board("d".repeat(24), ["ours"])] },
  });
  const dashboards = [board(ids(variant).dashboard, ["theirs"])];
  let stopped = false;
  const stop = (): void => {
    if (!stopped) signals?.emit("signal", "SIGINT");
    stopped = true;
  };
  const to: Sandbox = await startSandbox({
    variant,
    seed: { sources, webhooks, dashboards, alerts: [alertOn(variant, tileId)] },
    intercept: async ({ route }, proceed) => {
      const answer = await proceed();
      if (takesAway && route === "PUT dashboards/{id}") await deleteAlert(to, ids(variant).alert);
      if (route === "PUT dashboards/{id}") stop();
      return answer;
    },
  });
  const [env, cwd] = [sandboxEnv(from, to), temporaryFolder()];
  const run = (args: readonly string[]) => runCli(args, { env, cwd, ...(signals && { signals }) });
  await run(["export", "--from", from.stack, "--out", "a.zip", "--quiet"]);
  const close = async (): Promise<void> => {
    await from.close();
    await to.close();
  };
  return { from, to, cwd, run, [Symbol.asyncDispose]: close };
}

describe.each(["self-hosted", "managed"] as const)("on a %s target", (variant) => {
  const update = ["--on-conflict", "update", "--consistency-wait", "300ms", "--journal", "j"];

  it.each(["import", "migrate"] as const)(
    "%s names an alert that the server takes away, and rollback brings it back",
    async (command) => {
      await using bench = await stage(variant, "1".repeat(24), true);
      const { from, to, cwd, run } = bench;
      const what = command === "import" ? ["a.zip"] : ["--from", from.stack];
      const document = documentOf(
        await run([command, ...what, "--to", to.stack, ...update, "--report", "r.html", "--json"]),
      );
      expect(document).toMatchObject({ exitCode: 3, counts: { update: 1, failed: 1 } });
      expect(await readFile(join(cwd, "r.html"), "utf8")).toContain("1 alert could not be written (vanished)");
      const { outcomes } = document as { outcomes: { code?: string }[] };
      expect(outcomes.filter(({ code }) => code === "vanished")).toMatchObject([
        { kind: "alerts", name: "Mine", targetId: ids(variant).alert, status: "failed" },
      ]);
      expect(await readSandbox(to, "alerts")).toEqual([]);
      const plan = await run(["rollback", "j", "--to", to.stack, "--dry-run"]);
      expect(plan.stdout).toContain("1 to put back, 1 to bring back");
      const undone = await run(["rollback", "j", "--to", to.stack]);
      expect(undone.stdout).toContain("1 put back, 1 brought back");
      expect(undone.exitCode).toBe(0);
      const { id: _id, ...mine } = alertOn(variant, "1".repeat(24));
      expect(await readSandbox(to, "alerts")).toMatchObject([mine]);
      expect(await readSandbox(to, "dashboards")).toMatchObject([{ tags: ["theirs"] }]);
    },
  );

  it("a run that is stopped at the update names it all the same", async () => {
    const signals = new EventEmitter();
    await using bench = await stage(variant, "1".repeat(24), true, signals);
    const { to, run } = bench;
    const args = ["import", "a.zip", "--to", to.stack, ...update];
    const stopped = await run(args);
    expect(stopped.exitCode).toBe(130);
    expect(stopped.stdout + stopped.stderr).toContain("vanished: the alert was on the target before");
    const undone = await run(["rollback", "j", "--to", to.stack]);
    expect(undone.stdout).toContain("1 put back, 1 brought back");
    expect(await readSandbox(to, "alerts")).toHaveLength(1);
  });

  it("does not update a dashboard with an alert on a tile that takes none", async () => {
    await using bench = await stage(variant, "2".repeat(24), false);
    const { to, run } = bench;
    const args = ["import", "a.zip", "--to", to.stack, ...update];
    const dry = documentOf(await run([...args, "--dry-run", "--json"]));
    expect(dry).toMatchObject({ exitCode: 3, counts: { blocked: 1 } });
    const done = await run(args);
    expect(done.exitCode).toBe(3);
    expect(done.stdout).toContain("would-delete-alerts");
    expect(done.stdout).toContain("Mine");
    expect(await readSandbox(to, "alerts")).toHaveLength(1);
  });

  it("says nothing of alerts that stay", async () => {
    await using bench = await stage(variant, "1".repeat(24), false);
    const { to, run } = bench;
    expect((await run(["import", "a.zip", "--to", to.stack, ...update])).exitCode).toBe(0);
    expect(await readSandbox(to, "alerts")).toHaveLength(1);
  });
});

it("restore names it, too", async () => {
  await using bench = await stage("self-hosted", "1".repeat(24), true);
  const { run } = await backupFixture({ from: bench.from, to: bench.to });
  expect((await run("backup from --to place")).exitCode).toBe(0);
  const args = "restore place/from --to to --on-conflict update --consistency-wait 300ms --journal j --json";
  const document = documentOf(await run(args));
  expect(document).toMatchObject({ exitCode: 3, counts: { update: 1, failed: 1 } });
  expect(JSON.stringify(document["outcomes"])).toContain('"code":"vanished"');
});
