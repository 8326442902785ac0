import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { CliRun } from "../support/run-cli.ts";
import { runCli } from "../support/run-cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** A folder whose configuration has both stacks, and a repository. */
async function placeOf(one: Sandbox, two: Sandbox): Promise<Place> {
  const cwd = temporaryFolder();
  await mkdir(join(cwd, "store"));
  const stackOf = (name: string, url: string): string =>
    `  ${name}:\n    variant: self-hosted\n    baseUrl: ${url}\n    apiKey: \${env:KEY_${name}}\n`;
  const repositories = "repositories:\n  kept: { url: store }\n";
  await writeFile(
    join(cwd, "stackferry.yaml"),
    `stacks:\n${stackOf("one", one.url)}${stackOf("two", two.url)}${repositories}`,
  );
  return { cwd, env: { KEY_one: one.apiKey ?? "", KEY_two: two.apiKey ?? "" } };
}

const linesOf = ({ stderr }: CliRun): string[] => stderr.trimEnd().split("\n");
const unnamed = (run: CliRun): string[] => linesOf(run).filter((line) => !/^(?:one|two): /.test(line));

describe("a run over several stacks names the stack in every line of its progress", () => {
  it("in a backup, and not where there is one", async () => {
    await using one = await startSandbox({ variant: "self-hosted", seed: "sample" });
    await using two = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const { env, cwd } = await placeOf(one, two);
    const both = await runCli(["backup", "one", "two", "--to", "store"], { env, cwd });
    expect(both.exitCode).toBe(0);
    expect(unnamed(both)).toEqual([]);
    for (const line of ["one: stored", "two: stored"]) expect(linesOf(both)).toContain(line);
    const json = await runCli(["backup", "one", "two", "--to", "store", "--log-format", "json"], { env, cwd });
    const events = linesOf(json).map((line) => JSON.parse(line) as { event: string; stack?: string });
    for (const { event, stack } of events.filter(({ event }) => event === "listed" || event === "phase")) {
      expect([event, stack]).toEqual([event, expect.stringMatching(/^(?:one|two)$/)]);
    }
    const alone = await runCli(["backup", "one", "--to", "store"], { env, cwd });
    expect(alone.stderr).not.toContain("one: ");
  });

  it("when it looks after their backups: check, restore test, prune", async () => {
    await using one = await startSandbox({ variant: "self-hosted", seed: "sample" });
    await using two = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const { env, cwd } = await placeOf(one, two);
    expect((await runCli(["backup", "one", "two", "--to", "store"], { env, cwd })).exitCode).toBe(0);
    for (const command of [
      ["check", "store"],
      ["check", "store", "--newest", "--restore-test"],
      ["prune", "store", "--keep-last", "1", "--yes"],
      ["prune", "store", "--keep-last", "1", "--dry-run"],
    ]) {
      const run = await runCli(command, { env, cwd });
      expect([command, run.exitCode, unnamed(run)]).toEqual([command, 0, []]);
      expect(linesOf(run).length).toBeGreaterThan(1);
    }
    const alone = await runCli(["check", "store", "--stack", "one"], { env, cwd });
    expect(alone.stderr).not.toContain("one: ");
  });

  it("when it compares two, or moves one onto the other", async () => {
    await using one = await startSandbox({ variant: "self-hosted", seed: "sample" });
    await using two = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const { env, cwd } = await placeOf(one, two);
    const compared = await runCli(["diff", "one", "two"], { env, cwd });
    expect(compared.exitCode).toBe(0);
    expect(unnamed(compared)).toEqual(["comparing"]);
    const move = ["migrate", "--from", "one", "--to", "two", "--create", "saved-searches", "--yes"];
    const moved = await runCli(move, { env, cwd });
    expect(moved.exitCode).toBe(0);
    // The sum of the plan is the one line that is nobody's progress.
    expect(unnamed(moved)).toEqual([expect.stringMatching(/^Plan: /)]);
    expect(linesOf(moved)).toEqual(
      expect.arrayContaining(["one: reading one", "one: exported", "two: reading two", "two: 0 dashboards"]),
    );
    const archived = await runCli(["export", "--from", "one", "--out", "one.zip"], { env, cwd });
    const against = await runCli(["diff", "one.zip", "one"], { env, cwd });
    expect(archived.stderr + against.stderr).not.toContain("one: ");
  });

  it("when it looks at them", async () => {
    await using one = await startSandbox({ variant: "self-hosted", seed: "sample" });
    await using two = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const { env, cwd } = await placeOf(one, two);
    const both = await runCli(["doctor"], { env, cwd });
    expect(both.exitCode).toBe(0);
    expect(unnamed(both)).toEqual(["trying kept"]);
    const alone = await runCli(["doctor", "one"], { env, cwd });
    expect(alone.stderr).not.toContain("one: ");
  });
});
