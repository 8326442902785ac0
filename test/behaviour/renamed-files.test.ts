import { describe, expect, it } from "vitest";
import { recordOn, sortedNamesOn } from "../support/on-stack.ts";
import { documentOf } from "../support/run-cli.ts";
import {
  programAfterApply,
  editFile,
  outcomeLinesOf,
  watchWrites,
  type ProgramWithArchive,
} from "../support/program-with-archive.ts";

/** Gives the dashboard "One" another name in its own file. An alert and another dashboard still use the former name. */
async function programAfterRename(): Promise<ProgramWithArchive> {
  const program = await programAfterApply();
  await editFile(program, "dashboards/one.yaml", "name: One", "name: First");
  return program;
}

describe("the former name of a dashboard that its file renames", () => {
  it("is unknown in the first run as in the second one, and nothing that uses it is written", async () => {
    await using program = await programAfterRename();
    const before = await recordOn(program.to, "dashboards", "One");
    const writes = watchWrites(program);
    const blocked = ["Busy blocked failed bad-file", "First blocked failed dependency-blocked"];
    for (const _run of [1, 2]) {
      const run = await program.apply();
      expect(run.exitCode).toBe(3);
      expect(outcomeLinesOf(run)).toEqual(expect.arrayContaining([...blocked, "Two blocked failed bad-file"]));
      expect(documentOf(run)["outcomes"]).toContainEqual(
        expect.objectContaining({
          name: "Busy",
          message: expect.stringMatching(/busy\.yaml:4:12: .*"First".*one\.yaml/),
        }),
      );
    }
    expect((await program.apply("--dry-run")).exitCode).toBe(3);
    expect(writes).toEqual([]);
    expect(await recordOn(program.to, "dashboards", "One")).toEqual(before);
  });

  it("ends a mirror before it writes anything (exit 2)", async () => {
    await using program = await programAfterRename();
    const writes = watchWrites(program);
    const run = documentOf(await program.apply("--mirror"));
    expect(run).toMatchObject({
      exitCode: 2,
      error: { code: "config", faults: [expect.any(String), expect.any(String)] },
    });
    expect(writes).toEqual([]);
  });

  it("is no mistake once no file has it, and a second run writes nothing", async () => {
    await using program = await programAfterRename();
    for (const file of ["alerts/busy.yaml", "dashboards/two.yaml"]) {
      await editFile(program, file, "dashboard: One", "dashboard: First");
    }
    const { id } = await recordOn(program.to, "dashboards", "One");
    expect((await program.apply()).exitCode).toBe(0);
    expect((await recordOn(program.to, "dashboards", "First")).id).toBe(id);
    const writes = watchWrites(program);
    expect((await program.apply()).exitCode).toBe(0);
    expect(writes).toEqual([]);
  });

  it("is known where the file that renames it is left out, because of a mistake of its own", async () => {
    await using program = await programAfterRename();
    await editFile(program, "dashboards/one.yaml", /tags:\n\s*- kept/, "tags: 7");
    const run = await program.apply();
    expect(outcomeLinesOf(run)).toContain("First blocked failed bad-file");
    expect(outcomeLinesOf(run)).toContain("Busy unchanged done");
    expect(await sortedNamesOn(program.to)).toContain("One");
    expect((await program.apply()).exitCode).toBe(run.exitCode);
  });

  it("is not known without a journal: the file is then a new dashboard beside the former one", async () => {
    await using program = await programAfterRename();
    for (const _run of [1, 2]) expect((await program.apply("--journals", "none")).exitCode).toBe(0);
    expect(await sortedNamesOn(program.to)).toEqual(["First", "One", "Three", "Two"]);
  });
});
