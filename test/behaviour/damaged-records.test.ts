import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SmallBench } from "../support/small-bench.ts";
import { listRecords, outcomesOf, smallBench, warningsOf } from "../support/small-bench.ts";
import { documentOf } from "../support/run-cli.ts";
import { hexId } from "../support/stack-records.ts";

const DAMAGED = [`dashboards/${hexId("a", 16)}.json`, `alerts/${hexId("a", 33)}.json`];

/** Creates a bench with an archive in the folder `f`, in which the dashboard "One" and the alert "Quiet" are damaged. */
async function damagedBench(): Promise<SmallBench> {
  const bench = await smallBench();
  const exported = await bench.run(["export", "--from", bench.from.stack, "--format", "folder", "--out", "f"]);
  expect(exported.exitCode).toBe(0);
  for (const path of DAMAGED) {
    const text = await readFile(join(bench.cwd, "f", path), "utf8");
    await writeFile(join(bench.cwd, "f", path), text.replace("name", "nane"));
  }
  return bench;
}

it.each(["verify f", "inspect f --tree", "import f --to TARGET --yes"])(
  "`%s` names every damaged record of an archive",
  async (line) => {
    await using bench = await damagedBench();
    const run = documentOf(await bench.run(line.replace("TARGET", bench.to.stack).split(" ")));
    const error = { code: "archive-damaged", hint: expect.stringContaining("--exclude ID") as string, faults: DAMAGED };
    expect(run).toMatchObject({ exitCode: 4, error });
  },
);

it("an import without the damaged records creates all that do not need them, and a whole copy adds the rest", async () => {
  await using bench = await damagedBench();
  const others = ["import", "f", "--to", bench.to.stack, "--exclude", "One", "--exclude", "Quiet", "--yes"];
  const rescue = await bench.run([...others, "--state", "state.json"]);
  const written = outcomesOf(rescue).filter(({ action }) => action !== "skip");
  expect(written.map(({ name, action, code }) => [name, action, code])).toEqual([
    ["Two", "blocked", "missing-dashboard"],
    ["Three", "create", undefined],
    ["Busy", "blocked", "missing-dashboard"],
  ]);
  expect(warningsOf(rescue)).toEqual(["damaged-record", "damaged-record"]);

  const whole = await bench.import("--state", "state.json", "--yes");
  expect(whole.exitCode).toBe(0);
  const names = async (kind: string) => (await listRecords(bench.to, kind)).map(({ name }) => name).toSorted();
  expect([await names("dashboards"), await names("alerts")]).toEqual([
    ["One", "Three", "Two"],
    ["Busy", "Quiet"],
  ]);
});
