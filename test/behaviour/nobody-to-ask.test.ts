import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { documentOf, runCli } from "../support/run-cli.ts";
import type { SmallBench } from "../support/small-bench.ts";
import { isWrite, listRecords, smallBench } from "../support/small-bench.ts";

async function backUp({ from, cwd, env }: SmallBench, at = "2026-11-20T00:00:00Z"): Promise<void> {
  const production = { variant: "self-hosted", baseUrl: from.url, apiKey: "${env:PRODUCTION_KEY}" };
  await writeFile(join(cwd, "stackferry.yaml"), JSON.stringify({ stacks: { production } }));
  await mkdir(join(cwd, "backups"), { recursive: true });
  const options = { env: { ...env, PRODUCTION_KEY: from.apiKey ?? "" }, cwd, now: () => Date.parse(at) };
  const run = await runCli(["backup", "production", "--to", "backups"], options);
  expect(run.exitCode, run.stderr).toBe(0);
}

it.each([
  ["import", "a.zip", "--to", "TO"],
  ["apply", "files", "--to", "TO"],
  ["apply", "a.zip", "--to", "TO"],
  ["migrate", "--from", "FROM", "--to", "TO"],
  ["migrate", "--from", "FROM", "--to", "TO", "--mirror"],
  ["restore", "backups/production", "--to", "TO"],
  ["rollback", "j", "--to", "TO"],
])("without a terminal and without --yes, %s %s sends no request at all, and exits 2", async (...words) => {
  await using stage = await smallBench();
  const { from, to, cwd, env } = stage;
  await stage.run(["export", "--from", from.stack, "--format", "code", "--out", "files"]);
  await backUp(stage);
  expect((await stage.import()).exitCode).toBe(0);
  await stage.rollback();
  const before = await listRecords(to, "dashboards");
  let requests = 0;
  stage.watch = (_, proceed) => {
    requests += 1;
    return proceed();
  };
  const args = words.map((word) => ({ FROM: from.stack, TO: to.stack })[word] ?? word);
  const run = await runCli([...args, "--json"], { env, cwd, exactly: true });
  expect(run.exitCode, run.stdout).toBe(2);
  expect(documentOf(run)["error"]).toMatchObject({ code: "usage", hint: expect.stringContaining("--yes") as string });
  expect(requests).toBe(0);
  const plan = await runCli([...args, "--dry-run", "--json"], { env, cwd, exactly: true });
  expect(documentOf(plan), plan.stderr).toMatchObject({ dryRun: true });
  expect(await listRecords(to, "dashboards")).toEqual(before);
});

it("neither does a run of which only one stream is a terminal", async () => {
  await using stage = await smallBench();
  let writes = 0;
  stage.watch = (request, proceed) => {
    if (isWrite(request)) writes += 1;
    return proceed();
  };
  const { env, cwd, to } = stage;
  const args = ["import", "a.zip", "--to", to.stack];
  const piped = await runCli(args, { env, cwd, terminal: { columns: 80, answers: ["y"], stdin: false } });
  expect(piped.exitCode).toBe(2);
  expect(writes).toBe(0);
});

it("nor does prune remove a backup", async () => {
  await using stage = await smallBench();
  const { env, cwd } = stage;
  const run = (...words: string[]) => runCli([...words, "--json"], { env, cwd, exactly: true });
  for (const at of ["2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z"]) {
    await backUp(stage, at);
  }
  const files = async () =>
    (await readdir(join(cwd, "backups"), { recursive: true })).filter((f) => f.endsWith(".zip"));
  expect(await files()).toHaveLength(2);
  expect((await run("prune", "backups", "--keep-last", "1")).exitCode).toBe(2);
  expect(await files()).toHaveLength(2);
  expect((await run("prune", "backups", "--keep-last", "1", "--yes")).exitCode).toBe(0);
  expect(await files()).toHaveLength(1);
});
