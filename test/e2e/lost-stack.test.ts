import { readFile, rename } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { checkRebuild, readWholeStack } from "../../src/cli/demo/check-rebuild.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { backupFixture } from "../support/backup-fixture.ts";
import { runCli } from "../support/run-cli.ts";
import { writeFillOf } from "../support/stack-fill.ts";

const page = await readFile(resolve(import.meta.dirname, "../../docs/runbook-lost-stack.md"), "utf8");

/** The lines of the page's shell blocks, each with the exit code that its comment names. */
const commands = [...page.matchAll(/```sh\n(.*?)```/gs)]
  .flatMap(([, block = ""]) => block.trim().split("\n"))
  .map((line) => {
    const [command = "", comment = ""] = line.split(" # ");
    return { command: command.trim(), exitCode: Number(/exit (\d+)/.exec(comment)?.[1] ?? 0) };
  });

it("rebuilds a lost stack with the runbook's commands, one after the other", async () => {
  await using production = await startSandbox({ variant: "self-hosted", seed: "full" });
  await using replacement = await startSandbox({ variant: "self-hosted" });
  const { cwd, env, json } = await backupFixture({ production, replacement });
  expect(await json("backup production --to place")).toMatchObject({ exitCode: 0 });
  const before = await readWholeStack(production);
  await writeFillOf(production, replacement, cwd, ["place/production@latest", "answers.yaml"]);
  await production.close();
  expect(commands.length).toBeGreaterThan(6);
  for (const { command, exitCode } of commands) {
    const words = command.replaceAll("/var/backups/stackferry", "place").split(/\s+/).slice(1);
    const run = await runCli(words, { cwd, env });
    const why = run.exitCode === exitCode ? "" : `${run.stdout}${run.stderr}`;
    expect(`${command} → ${run.exitCode}\n${why}`).toBe(`${command} → ${exitCode}\n`);
    if (!command.includes("--write-fill")) continue;
    expect(await readFile(join(cwd, "fill.yaml"), "utf8")).toContain("/password");
    await rename(join(cwd, "answers.yaml"), join(cwd, "fill.yaml"));
  }
  expect(checkRebuild(before, await readWholeStack(replacement)).filter(([, found]) => found.length > 0)).toEqual([]);
});
