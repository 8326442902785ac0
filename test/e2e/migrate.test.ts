import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bareWithSearches, sampleMap, programForTwoStacks } from "../support/program.ts";
import { oneDashboardSeed } from "../support/program-with-backups.ts";
import { emptySeed } from "../support/program-with-archive.ts";
import type { Interceptor } from "../../src/sandbox/start-sandbox.ts";

it("a migration keeps the archive; a second run writes nothing and diff finds nothing", async () => {
  await using stacks = await programForTwoStacks(
    { variant: "self-hosted", seed: oneDashboardSeed },
    { variant: "self-hosted", seed: emptySeed("b") },
  );
  const { from, to, cwd, run, json } = stacks;
  const line = "migrate --from $FROM --to $TO";
  expect(await json(`${line} --keep-archive kept.zip`)).toMatchObject({
    command: "migrate",
    ok: true,
    exitCode: 0,
    from: { variant: "self-hosted", baseUrl: from.url },
    to: { variant: "self-hosted", baseUrl: to.url },
    archive: { path: join(cwd, "kept.zip") },
    counts: { create: 2 },
  });
  expect((await run("verify kept.zip --quiet")).exitCode).toBe(0);
  const again = await json(`${line} --dry-run --exit-code --report r.html`);
  // The archive between the two stacks is temporary, so the report does not mention its name.
  expect(await readFile(join(cwd, "r.html"), "utf8")).toMatch(/<title>http:\/\/127\.0\.0\.1:\d+ → /);
  expect(again).toMatchObject({ ok: true, exitCode: 0, dryRun: true });
  expect(again).not.toHaveProperty("archive");
  for (const left of ["kept.zip", "$FROM"]) {
    const compared = await json(`diff ${left} $TO --exit-code`);
    expect(compared).toMatchObject({ exitCode: 0, ok: true, different: false, diff: { changes: [], same: 5 } });
  }
});

it("a migration reads both stacks at the same time", async () => {
  let askedTarget = (): void => {};
  const targetAsked = new Promise<void>((resolve) => (askedTarget = resolve));
  // The source responds only when the target has had a request, so reading one stack after the other would never end.
  const waiting: Interceptor = async (_request, next) => {
    await targetAsked;
    return next();
  };
  const asked: Interceptor = (_request, next) => {
    askedTarget();
    return next();
  };
  await using stacks = await programForTwoStacks(
    { variant: "self-hosted", seed: "sample", intercept: waiting },
    { variant: "self-hosted", seed: "bare", intercept: asked },
  );
  const { from, to, json } = stacks;
  expect(await json("migrate --from $FROM --to $TO --dry-run")).toMatchObject({
    requests: { total: from.stats().total + to.stats().total },
  });
  // Alerts are not listed, because the target has no dashboard or saved search that an alert could be on.
  expect(to.stats().byRoute["GET alerts"]).toBeUndefined();
  expect(to.stats().total - (to.stats().byRoute["POST dashboards/validate"] ?? 0)).toBe(5);
});

describe("a record that cannot be matched", () => {
  it("is blocked (exit 3), drafted into a map file, and imported once the map file is completed", async () => {
    await using stacks = await programForTwoStacks(
      { variant: "managed", seed: "sample", api: "contract" },
      { variant: "self-hosted", seed: await bareWithSearches("self-hosted") },
    );
    const { from, to, cwd, run } = stacks;
    const plan = await run("migrate --from $FROM --to $TO --dry-run --draft-map map.yaml");
    expect(plan.exitCode).toBe(3);
    expect(plan.stdout).toContain("--draft-map");
    expect(plan.stdout).toContain("blocked");
    const draft = await readFile(join(cwd, "map.yaml"), "utf8");
    // An older stack does not list its webhooks and saved searches, so only their ids in alerts are known.
    const unknown = [...from.webhooks, ...from.stored()["saved-searches"]];
    for (const { id } of unknown) expect(draft).toContain(`"${id}":\n`);
    await writeFile(join(cwd, "map.yaml"), sampleMap(from, to));
    const mapped = await run("migrate --from $FROM --to $TO --map map.yaml --draft-map map.yaml");
    expect(mapped.exitCode).toBe(0);
    const kept = await readFile(join(cwd, "map.yaml"), "utf8");
    for (const { id } of [...to.webhooks, ...to.stored()["saved-searches"]]) expect(kept).toContain(`"${id}"`);
  });

  it("is mapped to the webhook for all others if the map file has one", async () => {
    await using stacks = await programForTwoStacks(
      { variant: "managed", seed: "sample" },
      { variant: "self-hosted", seed: "bare" },
    );
    await writeFile(join(stacks.cwd, "map.yaml"), 'webhooks: { "*": pager }\n');
    const line = "migrate --from $FROM --to $TO --map map.yaml --create saved-searches";
    expect(await stacks.json(line)).toMatchObject({ ok: true, exitCode: 0 });
  });
});
