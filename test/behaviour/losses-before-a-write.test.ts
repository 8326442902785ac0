import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { JsonObject } from "../support/import-stage.ts";
import { importStage } from "../support/import-stage.ts";
import { memoryStack } from "../support/memory-stack.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { alert, dashboard, hexId, records, source, webhook } from "../support/stack-records.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

type Outcome = Readonly<Record<"kind" | "action" | "code", string>>;

const LOSSES = ["left-out", "not-stored", "not-kept"];
const LOGS = hexId("a", 1);
const connections = [{ id: hexId("c", 1), name: "Main", host: "http://db:8123", username: "reader" }];

/**
 * A newer stack has members of its own, and `to` is a target that refuses or drops them.
 * @param there what the target has of the dashboard already
 */
async function pair(to: Partial<SandboxOptions>, there?: JsonObject) {
  const seed = { connections, sources: [source(LOGS, "Logs", hexId("c", 1))] };
  const board = dashboard(hexId("a", 16), "Board", LOGS, { tags: [] });
  const present = there === undefined ? {} : { dashboards: [{ ...board, ...there }] };
  const intercept: SandboxOptions["intercept"] = async ({ route }, proceed) => {
    const answer = await proceed();
    if (!route.startsWith("GET dashboards") || answer === undefined || answer.status !== 200) return answer;
    const text = (await answer.text()).replaceAll('"displayType":', '"mood":"calm","displayType":');
    return new Response(text, { status: 200, headers: { "content-type": "application/json" } });
  };
  const from = await startSandbox({ variant: "self-hosted", seed: { ...seed, dashboards: [board] }, intercept });
  const ids = to.variant === "managed" ? ({ ids: "hex" } as const) : {};
  const { connections: _managed, ...listed } = seed;
  const given = { ...(to.variant === "managed" ? listed : seed), ...present };
  const target = await startSandbox({ variant: "self-hosted", ...ids, seed: given, ...to });
  const words = ["migrate", "--from", from.stack, "--to", target.stack, "--consistency-wait", "1ms", "--json"];
  return {
    run: async (...flags: readonly string[]) => {
      const document = documentOf(await runCli([...words, ...flags], { env: sandboxEnv(from, target) }));
      const warnings = document["warnings"] as readonly { code: string; pointer?: string }[];
      return {
        exitCode: document["exitCode"],
        losses: warnings.filter(({ code }) => LOSSES.includes(code)),
        outcomes: (document["outcomes"] as readonly Outcome[]).filter(({ kind }) => kind === "dashboards"),
      };
    },
    dashboards: () => target.stored().dashboards,
    async [Symbol.asyncDispose]() {
      await from.close();
      await target.close();
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
    expect(run.losses).toEqual(dry.losses);
    expect(stacks.dashboards()).toHaveLength(1);
  });

  it("is told once where the target is asked before a run that writes", async () => {
    await using stacks = await pair(to);
    const run = await stacks.run("--yes", "--validate", "always");
    expect(run.losses.map(({ pointer }) => pointer)).toContain("/tiles/0/config/mood");
    expect(run.losses.filter((loss) => loss.code === "not-stored").length).toBeLessThanOrEqual(1);
  });
});

describe.each([
  ["a managed one refuses by name", { variant: "managed", strict: true }, "left-out"],
  ["a managed one drops", { variant: "managed" }, "not-stored"],
  ["a self-hosted one, of an older release than the source, drops", { variant: "self-hosted" }, "not-stored"],
] as const)("an update with a member that the target does not know: %s", (_, to, code) => {
  const update = ["--on-conflict", "update"];
  const pointer = "/tiles/0/config/mood";
  /** Nothing is known of an earlier run. */
  const anew = (): string[] => ["--journal", join(temporaryFolder(), "a.journal")];

  it("is told by a dry run as by the run", async () => {
    await using stacks = await pair(to, { tags: ["theirs"] });
    const before = stacks.dashboards();
    const dry = await stacks.run("--dry-run", ...update);
    expect(dry).toMatchObject({ exitCode: 0, losses: [{ code, pointer }], outcomes: [{ action: "update" }] });
    expect(stacks.dashboards()).toEqual(before);
    const run = await stacks.run("--yes", ...update);
    expect(run.losses).toEqual(dry.losses);
    expect(stacks.dashboards()).toMatchObject([{ tags: [] }]);
  });

  it("is not written again by a run that knows of no other, which says what is not kept", async () => {
    await using stacks = await pair(to, { tags: ["theirs"] });
    await stacks.run("--yes", ...update, ...anew());
    const before = stacks.dashboards();
    for (const flags of [["--dry-run"], ["--yes"]]) {
      const again = await stacks.run(...flags, ...update, ...anew());
      expect(again.losses).toMatchObject([{ code: "not-kept", pointer }]);
      expect(again).toMatchObject({ exitCode: 0, outcomes: [{ action: "unchanged", code: "not-kept" }] });
    }
    expect(stacks.dashboards()).toEqual(before);
  });

  it("is written where the source has changed besides", async () => {
    await using stacks = await pair(to, { tags: ["theirs"] });
    const run = await stacks.run("--yes", ...update, ...anew());
    expect(run.outcomes).toMatchObject([{ action: "update" }]);
  });
});

describe("an update of a kind that no target can be asked about", () => {
  const theirs = dashboard(hexId("b", 16), "Board", hexId("b", 1));
  const ours = dashboard(hexId("a", 16), "Board", LOGS);
  const hooks = (letter: "a" | "b"): JsonObject[] => [webhook(hexId(letter, 2), "oncall")];
  const archive = records({
    dashboards: [ours],
    alerts: [1, 2].map((number) =>
      alert(hexId("a", 32 + number), `Alert ${number}`, ours, hexId("a", 2), { temper: 1 }),
    ),
    sources: [source(LOGS, "Logs", hexId("c", 1))],
    webhooks: hooks("a"),
  });
  const run = (members: JsonObject) => {
    const alerts = [1, 2].map((number) =>
      alert(hexId("b", 32 + number), `Alert ${number}`, theirs, hexId("b", 2), { threshold: 4, ...members }),
    );
    const sources = [source(hexId("b", 1), "Logs", hexId("c", 1))];
    const stack = memoryStack({ dashboards: [theirs], alerts, sources, webhooks: hooks("b") });
    return importStage(stack).run(archive, { onConflict: "update" });
  };

  it("says of a member that no record of the target shows that it may not be kept, once for all", async () => {
    const { plan } = await run({});
    expect(plan.warnings).toMatchObject([{ code: "may-not-keep", pointer: "/temper" }]);
    expect(plan.warnings[0]?.message).toMatch(/"Alert 1".*"Alert 2"/);
  });

  it("says nothing where one of them shows it", async () => {
    expect((await run({ temper: 2 })).plan.warnings).toEqual([]);
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
