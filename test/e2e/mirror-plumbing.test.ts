import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { startSandbox, type Interceptor, type Sandbox, type SandboxSeed } from "../support/start-sandbox.ts";
import { callSandbox } from "../support/read-sandbox.ts";
import { recordsOn } from "../support/on-stack.ts";
import { programWithBackups } from "../support/program-with-backups.ts";
import { documentOf, type CliRun } from "../support/run-cli.ts";
import { outcomesOf } from "../support/program-with-archive.ts";
import { writeSecretsOf } from "../support/stack-secrets.ts";
import { alert, dashboard, hexId, source, webhook } from "../support/stack-records.ts";
import { programForTwoStacks } from "../support/program.ts";

const KINDS = ["connections", "sources", "webhooks", "saved-searches", "dashboards", "alerts"];
const id = (number: number): string => hexId("a", number);

/**
 * Returns a stack with two records of each kind that can be created: connection, source, webhook, saved search, dashboard and
 * alert.
 */
function seedWithPairs(): SandboxSeed {
  const made = ["Main", "Old"].map((name, index) => {
    const at = (number: number): string => id(16 * (index + 1) + number);
    const board = dashboard(at(4), `${name} board`, at(1));
    const search = { id: at(3), name: `${name} search`, sourceId: at(1), where: "level:error", tags: [] };
    const watching: JsonObject = { source: "saved_search", savedSearchId: at(3), dashboardId: null, tileId: null };
    const logs = {
      ...source(at(1), `${name} logs`, at(0), `logs_${index}`),
      timestampValueExpression: "Timestamp",
      defaultTableSelectExpression: "Body",
    };
    return {
      connections: { id: at(0), name, host: `http://db${index}:8123`, username: "reader" },
      sources: logs,
      webhooks: { ...webhook(at(2), `${name} hook`, "slack"), url: `https://hooks.slack.com/services/T0/${index}` },
      "saved-searches": search,
      dashboards: board,
      alerts: alert(at(5), `${name} alert`, board, at(2), watching),
    };
  });
  return Object.fromEntries(KINDS.map((kind) => [kind, made.map((of) => of[kind as keyof typeof of])]));
}

/** Starts this stack and an empty one, and records deletes on the empty one. `migrate` runs a migration with all secrets. */
async function program() {
  const deletes: string[] = [];
  const intercept: Interceptor = ({ route }, proceed) => {
    if (route.startsWith("DELETE ")) deletes.push(route.slice(7, -5));
    return proceed();
  };
  const stacks = await programForTwoStacks(
    { variant: "self-hosted", seed: seedWithPairs() },
    { variant: "self-hosted", seed: "none", intercept },
  );
  await stacks.run("export --from $FROM --out a.zip");
  await writeSecretsOf(stacks.from, stacks.to, stacks.cwd);
  const fill = "--create all --secrets secrets.yaml --on-conflict overwrite";
  const line = `migrate --from $FROM --to $TO ${fill} --json`;
  return { ...stacks, deletes, migrate: (more = "") => stacks.run(`${line} ${more}`) };
}

async function removeOld({ from }: { readonly from: Sandbox }): Promise<void> {
  for (const kind of KINDS.toReversed()) {
    const [old] = (await recordsOn(from, kind)).filter(({ name }) => name.startsWith("Old"));
    await callSandbox(from, "DELETE", `${kind}/${old?.id}`);
  }
}

const named = async (stack: Sandbox): Promise<string[]> =>
  (await Promise.all(KINDS.map((kind) => recordsOn(stack, kind)))).flat().map(({ name }) => name);
const ofOld = (run: CliRun): unknown[] =>
  outcomesOf(run)
    .filter(({ name }) => name.startsWith("Old"))
    .map(({ kind, action, status, code }) => [kind, action, status, code]);

describe("a mirror of records that --create has created", () => {
  it("deletes them in reverse order of dependence, and a rollback names those that cannot be created again", async () => {
    await using stage = await program();
    const { to, migrate, deletes } = stage;
    const first = await migrate();
    expect(outcomesOf(first).filter(({ action }) => action === "blocked")).toEqual([]);
    expect(first.exitCode, first.stdout).toBe(0);
    expect(await named(to)).toHaveLength(12);
    await removeOld(stage);
    expect((await migrate()).exitCode).toBe(0);
    expect(await named(to)).toHaveLength(12);
    const mirrored = await migrate("--mirror --max-delete 6");
    expect(mirrored.exitCode, mirrored.stdout).toBe(0);
    expect(deletes).toEqual(["alerts", "dashboards", "saved-searches", "webhooks", "sources", "connections"]);
    expect(await named(to)).toEqual(["Main", "Main logs", "Main hook", "Main search", "Main board", "Main alert"]);
    const back = await stage.run(`rollback --to $TO --run ${String(documentOf(mirrored)["run"])} --yes --json`);
    expect(back.exitCode).toBe(3);
    expect(ofOld(back)).toEqual([
      ["connections", "blocked", "failed", "redacted"],
      ["sources", "blocked", "failed", "dependency-blocked"],
      ["saved-searches", "blocked", "failed", "dependency-blocked"],
      ["dashboards", "blocked", "failed", "dependency-blocked"],
      ["alerts", "blocked", "failed", "dead-reference"],
      ["webhooks", "skip", "done", "redacted"],
    ]);
  });
});

it("a mirror of a suspect backup deletes nothing", async () => {
  await using production = await startSandbox({ variant: "self-hosted", seed: "sample" });
  await using staging = await startSandbox({ variant: "self-hosted", seed: "bare" });
  const { run } = await programWithBackups({ production, staging });
  const at = (hour: number) => ({ now: () => Date.UTC(2026, 10, 21, hour) });
  expect((await run("backup production --to place", at(1))).exitCode).toBe(0);
  const restored = await run("restore place/production --to staging --create saved-searches", at(2));
  expect(restored.exitCode).toBe(0);
  const boards = await recordsOn(staging, "dashboards");
  for (const each of (await recordsOn(production, "dashboards")).slice(1)) {
    await callSandbox(production, "DELETE", `dashboards/${each.id}`);
  }
  expect((await run("backup production --to place", at(3))).exitCode).toBe(3);
  for (const [command, flags] of [
    ["restore", "--mirror --max-delete 100%"],
    ["import", "--mirror --max-delete 100%"],
    ["apply", "--mirror --max-delete 100%"],
    ["restore", "--mirror all --max-delete 100"],
  ] as const) {
    const line = `${command} place/production@20261121T030000Z --to staging ${flags} --json`;
    const mirrored = await run(line);
    expect([line, mirrored.exitCode], mirrored.stdout).toEqual([line, 3]);
    const codes = (documentOf(mirrored)["warnings"] as { code: string }[]).map(({ code }) => code);
    expect(codes).toContain("not-mirrored");
    expect(await recordsOn(staging, "dashboards")).toEqual(boards);
  }
});
