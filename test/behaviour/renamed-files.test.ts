import { describe, expect, it } from "vitest";
import { documentOf } from "../support/run-cli.ts";
import {
  appliedBench,
  editFile,
  listedRecord,
  namesIn,
  outcomeLinesOf,
  watchWrites,
  type SmallBench,
} from "../support/small-bench.ts";

/** Gives the dashboard "One" another name in its own file. An alert and another dashboard still use the former name. */
async function renamedBench(): Promise<SmallBench> {
  const bench = await appliedBench();
  await editFile(bench, "dashboards/one.yaml", "name: One", "name: First");
  return bench;
}

describe("the former name of a dashboard that its file renames", () => {
  it("is unknown in the first run as in the second one, and nothing that uses it is written", async () => {
    await using bench = await renamedBench();
    const before = await listedRecord(bench.to, "dashboards", "One");
    const writes = watchWrites(bench);
    const blocked = ["Busy blocked failed bad-file", "First blocked failed dependency-blocked"];
    for (const _run of [1, 2]) {
      const run = await bench.apply();
      expect(run.exitCode).toBe(3);
      expect(outcomeLinesOf(run)).toEqual(expect.arrayContaining([...blocked, "Two blocked failed bad-file"]));
      expect(documentOf(run)["outcomes"]).toContainEqual(
        expect.objectContaining({
          name: "Busy",
          message: expect.stringMatching(/busy\.yaml:4:12: .*"First".*one\.yaml/),
        }),
      );
    }
    expect((await bench.apply("--dry-run")).exitCode).toBe(3);
    expect(writes).toEqual([]);
    expect(await listedRecord(bench.to, "dashboards", "One")).toEqual(before);
  });

  it("ends a mirror before it writes anything (exit 2)", async () => {
    await using bench = await renamedBench();
    const writes = watchWrites(bench);
    const run = documentOf(await bench.apply("--mirror"));
    expect(run).toMatchObject({
      exitCode: 2,
      error: { code: "config", faults: [expect.any(String), expect.any(String)] },
    });
    expect(writes).toEqual([]);
  });

  it("is no mistake once no file has it, and a second run writes nothing", async () => {
    await using bench = await renamedBench();
    for (const file of ["alerts/busy.yaml", "dashboards/two.yaml"]) {
      await editFile(bench, file, "dashboard: One", "dashboard: First");
    }
    const { id } = await listedRecord(bench.to, "dashboards", "One");
    expect((await bench.apply()).exitCode).toBe(0);
    expect((await listedRecord(bench.to, "dashboards", "First")).id).toBe(id);
    const writes = watchWrites(bench);
    expect((await bench.apply()).exitCode).toBe(0);
    expect(writes).toEqual([]);
  });

  it("is known where the file that renames it is left out, because of a mistake of its own", async () => {
    await using bench = await renamedBench();
    await editFile(bench, "dashboards/one.yaml", /tags:\n\s*- kept/, "tags: 7");
    const run = await bench.apply();
    expect(outcomeLinesOf(run)).toContain("First blocked failed bad-file");
    expect(outcomeLinesOf(run)).toContain("Busy unchanged done");
    expect(await namesIn(bench)).toContain("One");
    expect((await bench.apply()).exitCode).toBe(run.exitCode);
  });

  it("is not known without a journal: the file is then a new dashboard beside the former one", async () => {
    await using bench = await renamedBench();
    for (const _run of [1, 2]) expect((await bench.apply("--journals", "none")).exitCode).toBe(0);
    expect(await namesIn(bench)).toEqual(["First", "One", "Three", "Two"]);
  });
});
