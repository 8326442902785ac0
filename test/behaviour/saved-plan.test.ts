import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentOf, type CliRun } from "../support/run-cli.ts";
import {
  changeListedRecord,
  emptyStack,
  listRecords,
  smallBench,
  watchWrites,
  type SmallBench,
} from "../support/small-bench.ts";
import { dashboard, hexId } from "../support/stack-records.ts";

/** Runs an import of the archive. */
const importing = (bench: SmallBench, ...more: string[]): Promise<CliRun> =>
  bench.run(["import", "a.zip", "--to", bench.to.stack, ...more]);
const save = (bench: SmallBench, ...more: string[]): Promise<CliRun> =>
  importing(bench, "--dry-run", "--plan-out", "plan.json", ...more);
const carryOut = (bench: SmallBench, ...more: string[]): Promise<CliRun> =>
  importing(bench, "--yes", "--plan", "plan.json", ...more);

const three = dashboard(hexId("b", 18), "Three", hexId("b", 1), { tags: ["theirs"] });

describe("a saved plan", () => {
  it("is carried out with the same requests in the same order as without it, if nothing has changed", async () => {
    const writesOf = async (carry: (bench: SmallBench) => Promise<CliRun>): Promise<string[]> => {
      await using bench = await smallBench({ ...emptyStack("b"), dashboards: [three] });
      await save(bench, "--on-conflict", "overwrite");
      const writes = watchWrites(bench);
      expect((await carry(bench)).exitCode).toBe(0);
      return writes;
    };
    const without = await writesOf((bench) =>
      importing(bench, "--yes", "--on-conflict", "overwrite", "--validate", "always"),
    );
    const withPlan = await writesOf((bench) => carryOut(bench, "--on-conflict", "overwrite"));
    expect(withPlan).toEqual(without);
    expect(withPlan.length).toBeGreaterThan(4);
  });

  it("is refused, and the difference named, where the target was changed by one member between", async () => {
    await using bench = await smallBench({ ...emptyStack("b"), dashboards: [three] });
    await save(bench, "--on-conflict", "overwrite");
    await changeListedRecord(bench.to, "dashboards", "Three", { tags: ["theirs", "new"] });
    const run = await carryOut(bench, "--on-conflict", "overwrite");
    expect(run.exitCode).toBe(10);
    expect(run.stderr).toContain('update dashboard "Three"');
    expect(run.stderr).toContain("the target's record was changed since");
    expect(await listRecords(bench.to, "dashboards")).toHaveLength(1);
    const document = documentOf(await carryOut(bench, "--on-conflict", "overwrite", "--json"));
    expect(document).toMatchObject({ ok: false, exitCode: 10, error: { code: "plan-changed" } });
  });

  it("is refused where other flags would write more, less, or otherwise", async () => {
    await using bench = await smallBench({ ...emptyStack("b"), dashboards: [three] });
    await save(bench);
    for (const [more, message] of [
      [["--on-conflict", "overwrite"], 'update dashboard "Three" .* is not in the plan'],
      [["--kinds", "dashboards"], "create alert .* is no longer needed"],
      [["--name-prefix", "new "], "the content to write differs from the plan"],
    ] as const) {
      const run = await carryOut(bench, ...more);
      expect(run.exitCode).toBe(10);
      expect(run.stderr).toMatch(new RegExp(message));
    }
    expect(await listRecords(bench.to, "dashboards")).toHaveLength(1);
  });

  it("of one tile writes that tile alone", async () => {
    await using bench = await smallBench({ ...emptyStack("b"), dashboards: [{ ...three, tiles: [] }] });
    const tile = ["--include", "Three", "--tile", "Requests"];
    await save(bench, ...tile);
    expect((await carryOut(bench, "--include", "Three", "--on-conflict", "overwrite")).exitCode).toBe(10);
    expect((await carryOut(bench, ...tile)).exitCode).toBe(0);
    expect(await listRecords(bench.to, "dashboards")).toMatchObject([
      { tags: ["theirs"], tiles: [{ name: "Requests" }] },
    ]);
  });

  it("of one tile never deletes: --mirror is refused beside --tile", async () => {
    await using bench = await smallBench({ ...emptyStack("b"), dashboards: [three] });
    for (const mirror of [["--mirror"], ["--mirror", "all", "--max-delete", "9"]]) {
      const run = await importing(bench, "--include", "Three", "--tile", "Requests", "--yes", ...mirror);
      expect(run.exitCode).toBe(2);
      expect(run.stderr).toContain("--tile does not go with --mirror");
    }
  });

  it("is refused by another version, for another stack, and as another file", async () => {
    await using bench = await smallBench();
    await save(bench);
    const path = join(bench.cwd, "plan.json");
    const text = await readFile(path, "utf8");
    for (const [changed, exitCode, message] of [
      [text.replace(/stackferry \d+\.\d+\.\d+/, "stackferry 9.9.9"), 10, "made by stackferry 9.9.9"],
      [text.replace(bench.to.url, "http://other.test"), 2, "for another stack"],
      ['{"format":"stackferry-state"}', 2, "not a plan"],
      ["", 2, "not a plan"],
    ] as const) {
      await writeFile(path, changed);
      const run = await carryOut(bench);
      expect(run.exitCode).toBe(exitCode);
      expect(run.stderr).toContain(message);
    }
    expect(await listRecords(bench.to, "dashboards")).toEqual([]);
  });

  it("is refused where somebody has edited it: other names, entries doubled, left out, or with another action", async () => {
    await using bench = await smallBench();
    await save(bench);
    const path = join(bench.cwd, "plan.json");
    type Write = Record<string, string>;
    const plan = JSON.parse(await readFile(path, "utf8")) as { writes: Write[] };
    const [first = {}, ...others] = plan.writes;
    for (const [writes, message] of [
      [[{ ...first, name: "harmless" }, ...others], '"harmless" .* would now be: create dashboard'],
      [[{ ...first, name: "harmless" }, ...plan.writes], '"harmless" .* is in the plan twice'],
      [others, "is not in the plan"],
      [[{ ...first, action: "delete" }, ...others], "delete dashboard .* is no longer needed"],
    ] as const) {
      await writeFile(path, JSON.stringify({ ...plan, writes }));
      const run = await carryOut(bench);
      expect(run.exitCode).toBe(10);
      expect(run.stderr).toMatch(new RegExp(message));
    }
    expect(await listRecords(bench.to, "dashboards")).toEqual([]);
    await writeFile(path, JSON.stringify({ ...plan, writes: plan.writes.toReversed() }));
    expect((await carryOut(bench)).exitCode).toBe(0);
    expect((await carryOut(bench)).exitCode).toBe(10);
    expect(await listRecords(bench.to, "dashboards")).toHaveLength(3);
  });

  it("holds no body and no secret, is read by inspect, and does not replace another file", async () => {
    await using bench = await smallBench();
    await save(bench);
    const text = await readFile(join(bench.cwd, "plan.json"), "utf8");
    expect(text).not.toMatch(/tiles|https?:\/\/(?!127\.0\.0\.1)/);
    const shown = documentOf(await bench.run(["inspect", "plan.json"]));
    expect(shown).toMatchObject({ plan: { writes: [{ action: "create", name: "One" }, {}, {}, {}, {}] } });
    await writeFile(join(bench.cwd, "other.json"), "{}");
    const run = await importing(bench, "--dry-run", "--plan-out", "other.json");
    expect(run.exitCode).toBe(2);
    expect(await readFile(join(bench.cwd, "other.json"), "utf8")).toBe("{}");
  });

  it("is refused with flags that do not go together, and if it does not exist", async () => {
    await using bench = await smallBench();
    for (const [flags, message] of [
      ["--plan-out plan.json", "--plan-out needs --dry-run"],
      ["--dry-run --plan plan.json", "exclude each other"],
      ["--yes --plan none.json", "none.json"],
    ] as const) {
      const run = await importing(bench, ...flags.split(" "));
      expect(run.exitCode, flags).not.toBe(0);
      expect(run.stderr).toContain(message);
    }
  });
});
