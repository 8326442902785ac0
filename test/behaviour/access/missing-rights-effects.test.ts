import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getOrMake } from "../../../src/core/collections.ts";
import { startSandbox, type SandboxOptions, type SandboxVariant } from "../../support/start-sandbox.ts";
import { programWithBackups } from "../../support/program-with-backups.ts";
import { documentOf } from "../../support/run-cli.ts";
import { programFor, programForTwoStacks, sandboxEnv, type Program } from "../../support/program.ts";
import { outcomesOf, type ReportedOutcome } from "../../support/program-with-archive.ts";

/** By variant: the sample and its archive, which the tests import again and again. */
const samples = new Map<SandboxVariant, ReturnType<typeof exportSample>>();

async function exportSample(variant: SandboxVariant) {
  await using stack = await startSandbox({ variant, seed: "sample" });
  const { cwd, run } = programFor({ FROM: stack }, sandboxEnv(stack));
  expect((await run("export --from $FROM --out a.zip")).exitCode).toBe(0);
  return { archive: join(cwd, "a.zip"), stored: stack.stored() };
}

/** Starts a target that has the connections, sources, webhooks and searches of the sample, beside the archive of the sample. */
async function importing(variant: SandboxVariant, target: Partial<SandboxOptions>) {
  const { archive, stored } = await getOrMake(samples, variant, () => exportSample(variant));
  const { dashboards: _dashboards, alerts: _alerts, ...seed } = stored;
  const to = await startSandbox({ variant, seed, ...target });
  const program = programFor({ TO: to }, sandboxEnv(to));
  await copyFile(archive, join(program.cwd, "a.zip"));
  return { ...program, to };
}

const run = (stacks: Program, more = "") => stacks.run(`import a.zip --to $TO --yes --json ${more}`.trim());

/** Counts outcomes by kind, and by their code or action. */
function tally(outcomes: readonly ReportedOutcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind, action, status, code } of outcomes) {
    if (action === "skip") continue;
    const key = `${kind} ${status === "done" ? action : (code ?? action)}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

describe("a target whose key may not read one kind", () => {
  it.each([
    ["managed", "webhooks", { "alerts forbidden": 14, "dashboards create": 9 }],
    ["managed", "saved-searches", { "alerts forbidden": 2, "alerts create": 12, "dashboards create": 9 }],
    ["self-hosted", "saved-searches", { "alerts forbidden": 2, "alerts create": 12, "dashboards create": 9 }],
  ] as const)("on a %s target has only the records blocked that need its %s", async (variant, kind, expected) => {
    await using stacks = await importing(variant, { forbidden: [kind] });
    const imported = await run(stacks);
    expect(imported.exitCode, imported.stdout).toBe(3);
    expect(tally(outcomesOf(imported))).toEqual(expected);
    expect(documentOf(imported)["warnings"]).toContainEqual({
      code: "forbidden",
      message: expect.stringMatching(/cannot be read: GET .* was answered 403: Forbidden; the key needs /),
    });
  });

  it("creates no record of that kind, because the target may have it", async () => {
    await using stacks = await importing("self-hosted", { forbidden: ["connections"], seed: {} });
    const imported = await run(stacks, "--create connections,sources --dry-run");
    const codes = outcomesOf(imported).filter(({ action }) => action === "blocked");
    expect(imported.exitCode).toBe(3);
    expect(codes.find(({ kind }) => kind === "connections")).toMatchObject({ code: "forbidden" });
    expect(codes.find(({ kind }) => kind === "sources")).toMatchObject({ code: "dependency-blocked" });
  });

  it.each([
    ["managed", "dashboards"],
    ["managed", "alerts"],
    ["managed", "sources"],
    ["self-hosted", "webhooks"],
    ["self-hosted", "sources"],
  ] as const)("on a %s target cannot plan without its %s", async (variant, kind) => {
    await using stacks = await importing(variant, { forbidden: [`GET ${kind}`] });
    const imported = documentOf(await run(stacks));
    expect(imported).toMatchObject({ exitCode: 5, error: { code: "forbidden" } });
  });
});

describe("a target whose key may not write one kind", () => {
  it("writes the others, and asks for the right once", async () => {
    await using stacks = await importing("self-hosted", { forbidden: ["POST alerts"] });
    const imported = await run(stacks, "--concurrency 1");
    expect(imported.exitCode).toBe(3);
    expect(tally(outcomesOf(imported))).toEqual({ "alerts forbidden": 14, "dashboards create": 9 });
    // Two writes are under way at a time, so at most two are refused.
    expect(stacks.to.stats().byRoute["POST alerts"]).toBeLessThanOrEqual(2);
    const again = documentOf(await run(stacks, "--dry-run"));
    expect(again).toMatchObject({ counts: { create: 14, unchanged: 9 } });
  });

  it("sends every record if something in front of the stack refuses one", async () => {
    const page = "<html><body>Blocked by the firewall</body></html>";
    let refused = 0;
    await using stacks = await importing("self-hosted", {
      intercept: ({ route, routeCount }, proceed) => {
        if (route !== "POST alerts" || routeCount !== 1) return proceed();
        refused += 1;
        return new Response(page, { status: 403, headers: { "Content-Type": "text/html" } });
      },
    });
    const imported = await run(stacks);
    expect([imported.exitCode, refused]).toEqual([3, 1]);
    expect(tally(outcomesOf(imported))).toEqual({
      "alerts create": 13,
      "alerts forbidden": 1,
      "dashboards create": 9,
    });
  });
});

describe("a restore test", () => {
  interface Tested {
    readonly ok: boolean;
    readonly standIns: readonly { readonly kind: string; readonly id: string; readonly message: string }[];
    readonly unread: readonly object[];
  }
  async function testedBackup(...forbidden: string[]) {
    await using stack = await startSandbox({ variant: "managed", seed: "sample", forbidden });
    const { json } = await programWithBackups({ cloud: stack });
    await json("backup cloud --to place");
    const { exitCode, restoreTests } = await json("check place --restore-test");
    const [tested] = restoreTests as [Tested];
    return { exitCode, ...tested, kinds: new Set(tested.standIns.map(({ kind }) => kind)), stored: stack.stored() };
  }

  it("names each stand-in for records that the API does not list", async () => {
    const { standIns, kinds, ...tested } = await testedBackup();
    expect(tested).toMatchObject({ exitCode: 0, ok: true, unread: [] });
    expect(kinds).toEqual(new Set(["connections"]));
    expect(standIns[0]?.message).toMatch(/^a stand-in for the connection \S+, /);
  });

  it("fails if the backup lacks a kind that the key may not read, and names each stand-in", async () => {
    const { standIns, kinds, stored, ...tested } = await testedBackup("webhooks");
    expect(tested).toMatchObject({ exitCode: 3, ok: false, unread: [{ kind: "webhooks", code: "forbidden" }] });
    expect(kinds).toEqual(new Set(["connections", "webhooks"]));
    const hooks = standIns.filter(({ kind }) => kind === "webhooks").map(({ id }) => id);
    const known = new Set(stored.webhooks.map(({ id }) => id));
    expect(hooks.length).toBeGreaterThan(0);
    expect(hooks.filter((id) => !known.has(id))).toEqual([]);
  });
});

describe("a source whose key may not read one kind", () => {
  it("is migrated without it, and the run is incomplete", async () => {
    await using source = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const { alerts: _alerts, "saved-searches": searches, ...rest } = source.stored();
    const { dashboards: _dashboards, ...seed } = rest;
    await using stacks = await programForTwoStacks(
      { variant: "self-hosted", seed: { ...rest, "saved-searches": searches }, forbidden: ["saved-searches"] },
      { variant: "self-hosted", seed },
    );
    const migrated = await stacks.run("migrate --from $FROM --to $TO --yes --json");
    expect(tally(outcomesOf(migrated))).toEqual({ "dashboards create": 9 });
    expect(documentOf(migrated)).toMatchObject({ exitCode: 3, warnings: [{ code: "forbidden" }] });
  });
});
