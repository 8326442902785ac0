import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli, type CliRun } from "../../support/run-cli.ts";
import {
  emptySeed,
  outcomesOf,
  programWithArchive,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";
import { dashboard, hexId, source, targetIds } from "../../support/stack-records.ts";

// test/behaviour/failing-stack.test.ts has the runs that end with 6.

const three = dashboard(hexId("b", 18), "Three", targetIds.source, { tags: ["theirs"] });
const withThree = { ...emptySeed("b"), dashboards: [three] };

const RUNS: Readonly<Record<string, (program: ProgramWithArchive) => Promise<CliRun>>> = {
  import: (program) => program.import(),
  migrate: (program) => program.run(program.migration()),
  restore: async (program) => {
    const { cwd, from, to } = program;
    const stack = ({ stack: baseUrl, apiKey }: ProgramWithArchive["to"]) => ({
      variant: "self-hosted",
      baseUrl,
      apiKey,
    });
    await writeFile(join(cwd, "stacks.yaml"), JSON.stringify({ stacks: { prod: stack(from), spare: stack(to) } }));
    await mkdir(join(cwd, "repo"));
    const configured = ["--config", "stacks.yaml"];
    expect((await program.run(["backup", "prod", "--to", "repo", ...configured])).exitCode).toBe(0);
    return program.run(["restore", "repo/prod", "--to", "spare", ...configured]);
  },
  apply: async (program) => {
    await program.writeFiles();
    return program.apply("--on-conflict", "keep");
  },
};

describe("a record that is kept", () => {
  it.each([
    ["import", 0],
    ["migrate", 0],
    ["restore", 0],
    ["apply", 3],
  ])("ends %s with %i", async (command, exitCode) => {
    await using program = await programWithArchive(withThree);
    const run = await RUNS[command]?.(program);
    expect(run?.exitCode).toBe(exitCode);
    expect(run && outcomesOf(run)).toContainEqual(
      expect.objectContaining({ name: "Three", action: "skip", code: "exists" }),
    );
  });

  it("is no write: a dry run ends with 0, and with --exit-code with 10 only if something would be written", async () => {
    await using program = await programWithArchive(withThree);
    const dry = async (...more: string[]): Promise<number> => (await program.import("--dry-run", ...more)).exitCode;
    expect([await dry(), await dry("--exit-code")]).toEqual([0, 10]);
    expect((await program.import()).exitCode).toBe(0);
    expect([await dry(), await dry("--exit-code")]).toEqual([0, 0]);
    expect(await dry("--exit-code", "--on-conflict", "overwrite")).toBe(10);
  });

  it("is named at the end of plan and result with the flag that would write it", async () => {
    await using program = await programWithArchive(withThree);
    const { cwd, env, to } = program;
    const lastLines = async (...more: string[]): Promise<string> => {
      const { stdout } = await runCli(["import", "a.zip", "--to", to.stack, ...more], { cwd, env });
      return stdout.trimEnd().split("\n").slice(-3).join("\n");
    };
    for (const more of ["--dry-run", "--yes"]) expect(await lastLines(more)).toContain("--on-conflict overwrite");
    expect(await lastLines("--on-conflict", "overwrite")).not.toContain("--on-conflict overwrite");
  });

  it("and that no flag would write, such as a source that differs, is named without one", async () => {
    const logs = { ...source(targetIds.source, "Logs", hexId("b", 8)), defaultTableSelectExpression: "Timestamp" };
    await using program = await programWithArchive({ ...emptySeed("b"), sources: [logs] });
    const { cwd, env, to } = program;
    const words = ["import", "a.zip", "--to", to.stack, "--create", "sources"];
    const { stdout, exitCode } = await runCli(words, { cwd, env });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("exists")]);
    expect(stdout).not.toContain("--on-conflict");
  });
});
