import { describe, expect, it } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { dashboard, hexId, source } from "../support/stack-records.ts";

const LOGS = hexId("a", 1);
const connections = [{ id: hexId("c", 1), name: "Main", host: "http://db:8123", username: "reader" }];

/** A newer stack has members of its own, and `to` is a target that refuses or drops them. */
async function pair(to: Partial<SandboxOptions>) {
  const seed = { connections, sources: [source(LOGS, "Logs", hexId("c", 1))] };
  const board = dashboard(hexId("a", 16), "Board", LOGS, { tags: [] });
  const intercept: SandboxOptions["intercept"] = async ({ route }, proceed) => {
    const answer = await proceed();
    if (!route.startsWith("GET dashboards") || answer === undefined || answer.status !== 200) return answer;
    const text = (await answer.text()).replaceAll('"displayType":', '"mood":"calm","displayType":');
    return new Response(text, { status: 200, headers: { "content-type": "application/json" } });
  };
  const from = await startSandbox({ variant: "self-hosted", seed: { ...seed, dashboards: [board] }, intercept });
  const ids = to.variant === "managed" ? ({ ids: "hex" } as const) : {};
  const { connections: _managed, ...listed } = seed;
  const given = to.variant === "managed" ? listed : seed;
  const there = await startSandbox({ variant: "self-hosted", ...ids, seed: given, ...to });
  const words = ["migrate", "--from", from.stack, "--to", there.stack, "--list-lag", "1ms", "--json"];
  return {
    run: async (...flags: readonly string[]) => {
      const document = documentOf(await runCli([...words, ...flags], { env: sandboxEnv(from, there) }));
      const warnings = document["warnings"] as readonly { code: string; pointer?: string }[];
      return {
        exitCode: document["exitCode"],
        losses: warnings.filter(({ code }) => code === "left-out" || code === "not-stored"),
      };
    },
    dashboards: () => there.stored().dashboards,
    async [Symbol.asyncDispose]() {
      await from.close();
      await there.close();
    },
  };
}

describe.each([
  ["refuses by name", { variant: "managed", strict: true }, "left-out"],
  ["drops without a word", { variant: "managed" }, "not-stored"],
] as const)("a member that a managed target %s", (_, to, code) => {
  it("is told by a dry run as by the run", async () => {
    await using stacks = await pair(to);
    const dry = await stacks.run("--dry-run");
    expect(dry).toMatchObject({ exitCode: 0, losses: [{ code, pointer: "/tiles/0/config/mood" }] });
    expect(stacks.dashboards()).toEqual([]);
    const run = await stacks.run("--yes");
    expect(run).toEqual(dry);
    expect(stacks.dashboards()).toHaveLength(1);
  });

  it("is told once where the target is asked before a run that writes", async () => {
    await using stacks = await pair(to);
    const run = await stacks.run("--yes", "--validate", "always");
    expect(run.losses.map(({ pointer }) => pointer)).toContain("/tiles/0/config/mood");
    expect(run.losses.filter((loss) => loss.code === "not-stored").length).toBeLessThanOrEqual(1);
  });
});

describe("a dry run onto a target that keeps everything", () => {
  it("tells of no loss", async () => {
    const board = dashboard(hexId("a", 16), "Board", LOGS, { tags: [] });
    const seed = { connections, sources: [source(LOGS, "Logs", hexId("c", 1))] };
    await using from = await startSandbox({ variant: "self-hosted", seed: { ...seed, dashboards: [board] } });
    await using to = await startSandbox({ variant: "self-hosted", seed });
    const words = ["migrate", "--from", from.stack, "--to", to.stack, "--dry-run", "--json"];
    expect(documentOf(await runCli(words, { env: sandboxEnv(from, to) }))).toMatchObject({ exitCode: 0, warnings: [] });
  });
});
