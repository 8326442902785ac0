import { describe, expect, it } from "vitest";
import {
  emptySeed,
  outcomesOf,
  programWithArchive,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";
import { runCli } from "../../support/run-cli.ts";
import { dashboard, hexId, source, targetIds } from "../../support/stack-records.ts";

// test/e2e/left-alone.test.ts has the exit codes of import, restore and migrate, access/failing-stack.test.ts the runs
// that end with 6.

const three = dashboard(hexId("b", 18), "Three", targetIds.source, { tags: ["theirs"] });
const withThree = { ...emptySeed("b"), dashboards: [three] };

/** Imports the archive, and returns what people read. */
const printed = ({ cwd, env, to }: ProgramWithArchive, ...more: readonly string[]) =>
  runCli(["import", "a.zip", "--to", to.stack, ...more], { cwd, env });

describe("a record that is kept", () => {
  it("makes an apply incomplete (exit 3)", async () => {
    await using program = await programWithArchive(withThree);
    await program.writeFiles();
    const run = await program.apply("--on-conflict", "keep");
    expect(run.exitCode).toBe(3);
    const kept = { name: "Three", action: "skip", code: "exists" };
    expect(outcomesOf(run)).toContainEqual(expect.objectContaining(kept));
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
    const lastLines = async (...more: string[]): Promise<string> =>
      (await printed(program, ...more)).stdout.trimEnd().split("\n").slice(-3).join("\n");
    for (const more of ["--dry-run", "--yes"]) expect(await lastLines(more)).toContain("--on-conflict overwrite");
    expect(await lastLines("--on-conflict", "overwrite")).not.toContain("--on-conflict overwrite");
  });

  it("and that no flag would write, such as a source that differs, is named without one", async () => {
    const logs = { ...source(targetIds.source, "Logs", hexId("b", 8)), defaultTableSelectExpression: "Timestamp" };
    await using program = await programWithArchive({ ...emptySeed("b"), sources: [logs] });
    const { stdout, exitCode } = await printed(program, "--create", "sources");
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("exists")]);
    expect(stdout).not.toContain("--on-conflict");
  });
});
