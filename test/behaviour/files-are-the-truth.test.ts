import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CliRun } from "../support/run-cli.ts";
import { documentOf } from "../support/run-cli.ts";
import type { SmallBench } from "../support/small-bench.ts";
import { applied, changeTheOne, listRecords, outcomesOf, smallBench, theOne } from "../support/small-bench.ts";

const fates = (run: CliRun, name: string): unknown[] =>
  outcomesOf(run).flatMap((outcome) => (outcome.name === name ? [[outcome.action, outcome.code]] : []));

describe("apply, where somebody has changed a threshold on the stack", () => {
  const threshold = async ({ to }: SmallBench): Promise<unknown> => (await theOne(to, "alerts", "Quiet"))["threshold"];

  async function edited() {
    const { stage, apply } = await applied();
    const before = await threshold(stage);
    await changeTheOne(stage.to, "alerts", "Quiet", { threshold: 999 });
    return { stage, apply, before };
  }

  it("keeps it, names it and ends with 3, again and again", async () => {
    const { stage, apply } = await edited();
    await using _ = stage;
    for (const _again of [1, 2]) {
      const run = await apply();
      expect([run.exitCode, fates(run, "Quiet")]).toEqual([3, [["skip", "edited"]]]);
    }
    expect(await threshold(stage)).toBe(999);
  });

  it("is a difference to --exit-code, and a plan like any other without it", async () => {
    const { stage, apply } = await edited();
    await using _ = stage;
    expect((await apply("--dry-run", "--exit-code")).exitCode).toBe(10);
    expect((await apply("--dry-run")).exitCode).toBe(0);
  });

  it("writes the file's side under --on-edited overwrite, and then nothing differs", async () => {
    const { stage, apply, before } = await edited();
    await using _ = stage;
    const run = await apply("--on-edited", "overwrite");
    expect([run.exitCode, fates(run, "Quiet")]).toEqual([0, [["update", "edited"]]]);
    expect(await threshold(stage)).toBe(before);
    expect((await apply("--dry-run", "--exit-code")).exitCode).toBe(0);
  });

  it("writes nothing at all under --on-edited fail", async () => {
    const { stage, apply } = await edited();
    await using _ = stage;
    const file = join(stage.cwd, "files/dashboards/three.yaml");
    await writeFile(file, (await readFile(file, "utf8")).replace("- kept", "- new"));
    const run = await apply("--on-edited", "fail");
    expect(run.exitCode).toBe(3);
    expect(documentOf(run)).toMatchObject({ error: { hint: expect.stringMatching(/--on-edited(?!.*--on-conflict)/) } });
    expect(await threshold(stage)).toBe(999);
    expect((await theOne(stage.to, "dashboards", "Three"))["tags"]).toEqual(["kept"]);
  });

  it("ends with 3 under --on-conflict skip where no state tells who changed it", async () => {
    const { stage, apply } = await edited();
    await using _ = stage;
    const run = await apply("--state", "none", "--on-conflict", "skip", "--journal", "another");
    expect([run.exitCode, fates(run, "Quiet")]).toEqual([3, [["skip", "exists"]]]);
  });

  it("leaves a migration, for which the stack may have a life of its own, at 0", async () => {
    await using stage = await smallBench();
    const args = stage.migration("--state", "s.json");
    expect((await stage.run(args)).exitCode).toBe(0);
    await changeTheOne(stage.to, "alerts", "Quiet", { threshold: 999 });
    const run = await stage.run(args);
    expect([run.exitCode, fates(run, "Quiet")]).toEqual([0, [["skip", "edited"]]]);
  });
});

describe("what changed at the source alone is no conflict", () => {
  it.each(["skip", "fail", "duplicate", "update"])("under --on-conflict %s it is updated", async (policy) => {
    await using stage = await smallBench();
    const args = stage.migration("--state", "s.json");
    expect((await stage.run(args)).exitCode).toBe(0);
    await changeTheOne(stage.from, "dashboards", "Three", { tags: ["new"] });
    const run = await stage.run([...args, "--on-conflict", policy]);
    expect([run.exitCode, fates(run, "Three")]).toEqual([0, [["update", undefined]]]);
    expect((await theOne(stage.to, "dashboards", "Three"))["tags"]).toEqual(["new"]);
    expect(await listRecords(stage.to, "dashboards")).toHaveLength(3);
  });

  it("but what differs, and no state tells why, stays and is counted", async () => {
    await using stage = await smallBench();
    expect((await stage.run(stage.migration("--journal", "one"))).exitCode).toBe(0);
    await changeTheOne(stage.from, "dashboards", "Three", { tags: ["new"] });
    const run = await stage.run(stage.migration("--journal", "two"));
    expect([run.exitCode, fates(run, "Three")]).toEqual([0, [["skip", "exists"]]]);
    expect(documentOf(run)["leftAlone"]).toMatchObject([{ name: "Three", code: "exists" }]);
  });
});
