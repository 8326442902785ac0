import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentOf, runCli, type CliRun } from "../support/run-cli.ts";
import type { InterceptedRequest } from "../../src/sandbox/start-sandbox.ts";
import { killRun } from "../support/killed-run.ts";
import {
  appliedBench,
  changeListedRecord,
  editFile,
  emptyStack,
  isWrite,
  listRecords,
  namesIn,
  outcomesOf,
  smallBench,
  watchWrites,
  type SmallBench,
} from "../support/small-bench.ts";
import { dashboard, hexId } from "../support/stack-records.ts";

const three = dashboard(hexId("b", 18), "Three", hexId("b", 1), { tags: ["theirs"] });
const withThree = { ...emptyStack("b"), dashboards: [three] };
const OVERWRITE = ["--on-conflict", "overwrite"];

/** Returns the digest of the plan that a run has printed. */
const digestOf = (run: CliRun): string => String(documentOf(run)["plan"]);

async function dryRun(bench: SmallBench, ...more: string[]): Promise<string> {
  const run = await bench.run(["import", "a.zip", "--to", bench.to.stack, "--dry-run", ...more]);
  expect(digestOf(run)).toMatch(/^[0-9a-f]{64}$/);
  return digestOf(run);
}

/** Imports the archive under an approved plan, without `--yes`. */
const underPlan = (bench: SmallBench, digest: string, ...more: string[]): Promise<CliRun> =>
  bench.run(["import", "a.zip", "--to", bench.to.stack, "--plan", digest, ...more]);

/** Runs a command without `--json`. */
const printed = ({ cwd, env }: SmallBench, args: readonly string[]): Promise<CliRun> => runCli(args, { cwd, env });

const beginLines = (bench: SmallBench) => bench.entries().filter(({ type }) => type === "begin");

describe("an approved plan", () => {
  it("is carried out with the same writes, in whatever order, as without it, and stands for --yes", async () => {
    const writesOf = async (approves: boolean): Promise<string[]> => {
      await using bench = await smallBench(withThree);
      const digest = await dryRun(bench, ...OVERWRITE);
      const writes = watchWrites(bench);
      const run = approves
        ? await underPlan(bench, digest.slice(0, 16), ...OVERWRITE)
        : await bench.import("--yes", ...OVERWRITE);
      expect(run.exitCode).toBe(0);
      expect(beginLines(bench)[0]?.["plan"]).toBe(approves ? digest : undefined);
      return writes.filter((request) => !request.includes("validate")).toSorted();
    };
    const without = await writesOf(false);
    expect(await writesOf(true)).toEqual(without);
    expect(without.length).toBeGreaterThan(4);
  });

  it("is refused with 10 where a record that is overwritten has changed, and the present plan is shown", async () => {
    await using bench = await smallBench(withThree);
    const digest = await dryRun(bench, ...OVERWRITE);
    await changeListedRecord(bench.to, "dashboards", "Three", { tags: ["theirs", "new"] });
    const run = await underPlan(bench, digest, ...OVERWRITE);
    expect(documentOf(run)).toMatchObject({
      ok: false,
      exitCode: 10,
      dryRun: false,
      error: { code: "plan-changed" },
    });
    expect(outcomesOf(run).every(({ status }) => status === "planned")).toBe(true);
    expect(digestOf(run)).not.toBe(digest);
    expect(digestOf(run)).toBe(await dryRun(bench, ...OVERWRITE));
    expect(await listRecords(bench.to, "dashboards")).toHaveLength(1);
    expect((await underPlan(bench, digestOf(run), ...OVERWRITE)).exitCode).toBe(0);
  });

  it("is printed last by a dry run: 16 digits for people, 64 in Markdown", async () => {
    await using bench = await smallBench();
    const digest = await dryRun(bench);
    const args = ["import", "a.zip", "--to", bench.to.stack, "--dry-run"];
    const { stdout } = await printed(bench, args);
    expect(stdout.endsWith(`\nPlan ${digest.slice(0, 16)}\n`)).toBe(true);
    expect((await printed(bench, [...args, "--markdown"])).stdout.endsWith(`\nPlan \`${digest}\`\n`)).toBe(true);
  });

  it("has no digest for people if it writes nothing; Markdown, which workflows read, has it", async () => {
    await using bench = await smallBench({ ...emptyStack("b"), sources: [] });
    const args = ["import", "a.zip", "--to", bench.to.stack, "--dry-run"];
    const { stdout, exitCode } = await printed(bench, args);
    expect(exitCode).toBe(3);
    expect(stdout).not.toMatch(/^Plan [0-9a-f]/m);
    expect((await printed(bench, [...args, "--markdown"])).stdout).toMatch(/\nPlan `[0-9a-f]{64}`\n$/);
  });

  it("covers the writes alone: other flags, another journal and a record that is kept leave the digest as it is", async () => {
    await using bench = await smallBench(withThree);
    const digest = await dryRun(bench);
    expect(await dryRun(bench, "--report", "page.html", "--journals", "other", "--on-conflict", "merge")).toBe(digest);
    await changeListedRecord(bench.to, "dashboards", "Three", { tags: ["edited"] });
    expect(await dryRun(bench)).toBe(digest);
    for (const more of [OVERWRITE, ["--kinds", "dashboards"], ["--name-prefix", "Copy "]]) {
      const run = await underPlan(bench, digest, ...more);
      expect(run.exitCode, more.join(" ")).toBe(10);
    }
    expect(await namesIn(bench)).toEqual(["Three"]);
  });

  it("of one command is taken by another command that writes the same", async () => {
    await using bench = await smallBench();
    const migrated = await bench.run(bench.migration("--dry-run"));
    expect(digestOf(migrated)).toBe(await dryRun(bench));
    expect((await bench.run(bench.migration("--plan", digestOf(migrated)))).exitCode).toBe(0);
    expect(await namesIn(bench)).toEqual(["One", "Three", "Two"]);
  });

  it("is refused once it is carried out, because nothing of it is left to write", async () => {
    await using bench = await smallBench();
    const digest = await dryRun(bench);
    expect((await underPlan(bench, digest)).exitCode).toBe(0);
    expect((await underPlan(bench, digest)).exitCode).toBe(10);
    expect(await dryRun(bench)).toBe(digestOf(await underPlan(bench, digest)));
  });

  it.each([
    ["too short", "3f9a1c0d22b7e45"],
    ["too long", "3".repeat(65)],
    ["not hexadecimal", "3f9a1c0d22b7e45g"],
    ["a path", "plan.json"],
  ])("is refused as a wrong call if its name is %s", async (_, name) => {
    await using bench = await smallBench();
    const writes = watchWrites(bench);
    expect((await underPlan(bench, name)).exitCode).toBe(2);
    expect(writes).toEqual([]);
  });

  it("is refused beside --dry-run", async () => {
    await using bench = await smallBench();
    expect((await underPlan(bench, "3f9a1c0d22b7e451", "--dry-run")).exitCode).toBe(2);
  });

  it("also covers what a mirror deletes", async () => {
    await using bench = await appliedBench();
    await rm(join(bench.cwd, "files", "alerts", "quiet.yaml"));
    const digest = digestOf(await bench.apply("--dry-run", "--mirror"));
    await editFile(bench, "dashboards/three.yaml", "kept", "other");
    const other = await bench.run(["apply", "files", "--to", bench.to.stack, "--mirror", "--plan", digest]);
    expect(other.exitCode).toBe(10);
    expect(await namesIn(bench, "alerts")).toEqual(["Busy", "Quiet"]);
    const now = digestOf(other);
    const run = await bench.run(["apply", "files", "--to", bench.to.stack, "--mirror", "--plan", now]);
    expect(run.exitCode).toBe(0);
    expect(await namesIn(bench, "alerts")).toEqual(["Busy"]);
  });
});

/** Tells whether a request is the n-th write of a run. */
function nthWrite(n: number): (request: InterceptedRequest) => boolean {
  let count = 0;
  return (request) => isWrite(request) && ++count === n;
}

describe("a run under an approved plan that was cut short", () => {
  it.each([1, 2, 3, 4, 5, 6])("is finished by the same command, if it was killed before write %i", async (n) => {
    await using bench = await smallBench(withThree);
    const digest = await dryRun(bench, ...OVERWRITE);
    await killRun(bench, nthWrite(n), () => underPlan(bench, digest, ...OVERWRITE));
    const run = await underPlan(bench, digest, ...OVERWRITE);
    expect(run.exitCode, run.stdout).toBe(0);
    expect(digestOf(run)).toBe(digest);
    expect(await namesIn(bench)).toEqual(["One", "Three", "Two"]);
    expect(await namesIn(bench, "alerts")).toEqual(["Busy", "Quiet"]);
    expect(new Set(beginLines(bench).map(({ plan, run: number }) => `${String(number)} ${String(plan)}`))).toEqual(
      new Set([`1 ${digest}`]),
    );
    expect((await underPlan(bench, digest, ...OVERWRITE)).exitCode).toBe(10);
  });

  it("is finished by the same command, if the answer to a write was lost", async () => {
    for (const n of [1, 2, 4]) {
      await using bench = await smallBench(withThree);
      const digest = await dryRun(bench, ...OVERWRITE);
      await killRun(bench, nthWrite(n), () => underPlan(bench, digest, ...OVERWRITE), "after");
      const run = await underPlan(bench, digest, ...OVERWRITE);
      expect(run.exitCode, run.stdout).toBe(0);
      expect(await namesIn(bench)).toEqual(["One", "Three", "Two"]);
      expect(await namesIn(bench, "alerts")).toEqual(["Busy", "Quiet"]);
    }
  });

  it("is finished by the same command after a second kill, and after a merge and a mirror of files", async () => {
    await using bench = await appliedBench();
    await rm(join(bench.cwd, "files", "alerts", "quiet.yaml"));
    for (const file of ["one", "three", "two"]) await editFile(bench, `dashboards/${file}.yaml`, "kept", "other");
    await changeListedRecord(bench.to, "dashboards", "Three", { name: "Three of them" });
    const flags = ["--mirror", "--on-conflict", "merge"];
    const digest = digestOf(await bench.apply("--dry-run", ...flags));
    const carryOut = () => bench.run(["apply", "files", "--to", bench.to.stack, ...flags, "--plan", digest]);
    await killRun(bench, nthWrite(2), carryOut);
    await killRun(bench, nthWrite(1), carryOut);
    const run = await carryOut();
    expect(digestOf(run)).toBe(digest);
    expect(outcomesOf(run).filter(({ status }) => status !== "done")).toEqual([]);
    const tags = (await listRecords(bench.to, "dashboards")).map(({ tags }) => tags);
    expect(tags).toEqual([["other"], ["other"], ["other"]]);
    expect(await namesIn(bench, "alerts")).toEqual(["Busy"]);
  });

  it("is not finished under its plan if the source, a record it wrote or one it has yet to write has changed", async () => {
    const changes: Readonly<Record<string, (bench: SmallBench) => Promise<void>>> = {
      "the source": (bench) => editFile(bench, "dashboards/two.yaml", "other", "another"),
      "a written record": (bench) => changeListedRecord(bench.to, "dashboards", "One", { tags: ["mine"] }),
      "another record": (bench) => changeListedRecord(bench.to, "dashboards", "Two", { tags: ["mine"] }),
    };
    for (const [what, change] of Object.entries(changes)) {
      await using bench = await appliedBench();
      for (const file of ["one", "two"]) await editFile(bench, `dashboards/${file}.yaml`, "kept", "other");
      const digest = digestOf(await bench.apply("--dry-run"));
      const carryOut = () => bench.run(["apply", "files", "--to", bench.to.stack, "--plan", digest]);
      await killRun(bench, nthWrite(2), carryOut);
      await change(bench);
      const writes = watchWrites(bench);
      const run = await carryOut();
      expect(run.exitCode, what).toBe(10);
      expect(writes, what).toEqual([]);
    }
  });

  it("is finished by a run without a plan, and then the plan is no longer the approved one", async () => {
    await using bench = await smallBench();
    const digest = await dryRun(bench);
    await killRun(bench, nthWrite(3), () => underPlan(bench, digest));
    expect((await bench.import("--yes")).exitCode).toBe(0);
    expect((await underPlan(bench, digest)).exitCode).toBe(10);
    expect(await namesIn(bench)).toEqual(["One", "Three", "Two"]);
  });
});
