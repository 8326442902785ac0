import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { smallBench } from "../support/small-bench.ts";

describe("what a run writes beside its work", () => {
  it("never takes the place of the archive it reads", async () => {
    await using bench = await smallBench();
    const before = await readFile(join(bench.cwd, "a.zip"));
    for (const more of [
      ["--report", "a.zip", "--dry-run"],
      ["--report", "a.zip"],
    ]) {
      const run = await bench.import(...more);
      expect([run.exitCode, run.stdout + run.stderr]).toEqual([2, expect.stringContaining("is not a report")]);
    }
    await bench.run(["verify", "a.zip", "--metrics-file", "a.zip"]);
    expect(await readFile(join(bench.cwd, "a.zip"))).toEqual(before);
  });

  it("never takes the place of the journal, and is refused before anything is written", async () => {
    await using bench = await smallBench();
    let writes = 0;
    bench.watch = ({ method }, proceed) => {
      if (method !== "GET") writes += 1;
      return proceed();
    };
    const run = await bench.import("--report", "j");
    expect([run.exitCode, run.stdout + run.stderr]).toEqual([2, expect.stringContaining("names the journal")]);
    expect(writes).toBe(0);
  });
});

describe("a diff whose filter fits nothing", () => {
  it("is a mistake, and not that nothing differs", async () => {
    await using bench = await smallBench();
    const run = await bench.run(["diff", "a.zip", "a.zip", "--include", "no such name", "--exit-code"]);
    expect([run.exitCode, run.stdout + run.stderr]).toEqual([2, expect.stringContaining("--include no such name")]);
  });
});
