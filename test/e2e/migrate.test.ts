import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { bareWithSearches, sampleMap, sandboxEnv, webhookMap } from "../support/sandbox-pair.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const directions = [
  ["self-hosted", "managed"],
  ["managed", "self-hosted"],
  ["self-hosted", "self-hosted"],
] as const;

describe.each(directions)("migrate from %s to %s", (fromVariant, toVariant) => {
  it("moves everything, keeps the archive, has then nothing left to do, and diff finds nothing", async () => {
    await using from = await startSandbox({ variant: fromVariant, seed: "sample" });
    await using to = await startSandbox({ variant: toVariant, seed: "bare" });
    const cwd = temporaryFolder();
    const env = sandboxEnv(from, to);
    await writeFile(join(cwd, "map.yaml"), webhookMap(from, to));
    const create = ["--create", "saved-searches"];
    const args = ["migrate", "--from", from.stack, "--to", to.stack, "--map", "map.yaml", ...create, "--json"];
    const first = await runCli([...args, "--keep-archive", "kept.zip"], { env, cwd });
    const document = documentOf(first);
    expect(document).toMatchObject({
      command: "migrate",
      ok: true,
      exitCode: 0,
      from: { variant: fromVariant, baseUrl: from.url },
      to: { variant: toVariant, baseUrl: to.url },
      archive: { path: join(cwd, "kept.zip") },
      counts: { create: 9 + 2 + 14 },
    });
    expect((await runCli(["verify", "kept.zip", "--quiet"], { cwd })).exitCode).toBe(0);
    const report = ["--report", "r.html"];
    const again = documentOf(await runCli([...args, "--dry-run", "--exit-code", ...report], { env, cwd }));
    // The archive in between is thrown away: nobody knows it by a name.
    expect(await readFile(join(cwd, "r.html"), "utf8")).toMatch(
      /<title>Import of (?!archive\.zip)(?:127\.0\.0\.1:|service ).* into /,
    );
    expect(again).toMatchObject({ ok: true, exitCode: 0, dryRun: true });
    expect(again).not.toHaveProperty("archive");
    for (const left of ["kept.zip", from.stack]) {
      const compared = documentOf(await runCli(["diff", left, to.stack, "--exit-code", "--json"], { env, cwd }));
      expect(compared).toMatchObject({ exitCode: 0, ok: true, different: false, diff: { changes: [] } });
      expect((compared["diff"] as { same: number }).same).toBeGreaterThanOrEqual(9 + 2 + 14 + 5);
      if (left === from.stack) expect(compared).toMatchObject({ requests: { retried: 0 } });
    }
  });
});

it("reads both stacks at the same time", async () => {
  let askedTarget = (): void => {};
  const targetAsked = new Promise<void>((resolve) => (askedTarget = resolve));
  // The source answers only once the target has been asked: one after the other, this would wait for ever.
  await using from = await startSandbox({
    variant: "self-hosted",
    seed: "sample",
    intercept: async (_request, next) => {
      await targetAsked;
      return next();
    },
  });
  await using to = await startSandbox({
    variant: "self-hosted",
    seed: "bare",
    intercept: (_request, next) => {
      askedTarget();
      return next();
    },
  });
  const cwd = temporaryFolder();
  const args = ["migrate", "--from", from.stack, "--to", to.stack, "--dry-run", "--validate", "never", "--json"];
  expect(documentOf(await runCli(args, { env: sandboxEnv(from, to), cwd }))).toMatchObject({
    requests: { total: from.stats().total + to.stats().total },
  });
  // No list of alerts: the target has nothing that they could be on.
  expect(to.stats().byRoute["GET alerts"]).toBeUndefined();
  expect(to.stats().total).toBe(5);
});

describe("what cannot be matched", () => {
  it("is blocked (exit 3), drafted into a map file, and goes through once that is filled in", async () => {
    await using from = await startSandbox({ variant: "managed", seed: "sample", api: "contract" });
    await using to = await startSandbox({ variant: "self-hosted", seed: await bareWithSearches("self-hosted") });
    const cwd = temporaryFolder();
    const env = sandboxEnv(from, to);
    const args = ["migrate", "--from", from.stack, "--to", to.stack];
    const plan = await runCli([...args, "--dry-run", "--draft-map", "map.yaml"], { env, cwd });
    expect(plan.exitCode).toBe(3);
    expect(plan.stdout).toContain("--draft-map");
    expect(plan.stdout).toContain("blocked");
    const draft = await readFile(join(cwd, "map.yaml"), "utf8");
    // An older stack shows by their ids alone what its alerts use.
    const unknown = [...from.webhooks, ...from.stored()["saved-searches"]];
    for (const { id } of unknown) expect(draft).toContain(`"${id}":\n`);
    await writeFile(join(cwd, "map.yaml"), sampleMap(from, to));
    const mapped = await runCli([...args, "--map", "map.yaml", "--draft-map", "map.yaml"], { env, cwd });
    expect(mapped.exitCode).toBe(0);
    const kept = await readFile(join(cwd, "map.yaml"), "utf8");
    for (const { id } of [...to.webhooks, ...to.stored()["saved-searches"]]) expect(kept).toContain(`"${id}"`);
  });

  it("goes to the default webhook when one is given", async () => {
    await using from = await startSandbox({ variant: "managed", seed: "sample" });
    await using to = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const args = ["migrate", "--from", from.stack, "--to", to.stack, "--default-webhook", "pager"];
    const run = await runCli([...args, "--create", "saved-searches", "--json"], { env: sandboxEnv(from, to) });
    expect(documentOf(run)).toMatchObject({ ok: true, exitCode: 0 });
  });
});
