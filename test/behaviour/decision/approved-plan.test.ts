import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { changeOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import { documentOf, runCli, type CliRun } from "../../support/run-cli.ts";
import type { InterceptedRequest } from "../../../src/sandbox/start-sandbox.ts";
import { killRun } from "../../support/killed-run.ts";
import {
  programAfterApply,
  editFile,
  emptySeed,
  isWrite,
  outcomesOf,
  programWithArchive,
  watchWrites,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";
import { dashboard, hexId, targetIds } from "../../support/stack-records.ts";

const three = dashboard(hexId("b", 18), "Three", targetIds.source, { tags: ["theirs"] });
const withThree = { ...emptySeed("b"), dashboards: [three] };
const OVERWRITE = ["--on-conflict", "overwrite"];

/** Returns the digest of the plan that a run has printed. */
const digestOf = (run: CliRun): string => String(documentOf(run)["plan"]);

async function dryRun(program: ProgramWithArchive, ...more: string[]): Promise<string> {
  const digest = digestOf(await program.import("--dry-run", ...more));
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  return digest;
}

/** Imports the archive under an approved plan, without `--yes`. */
const underPlan = (program: ProgramWithArchive, digest: string, ...more: string[]): Promise<CliRun> =>
  program.import("--plan", digest, ...more);

/** Makes a dry run of the import, and returns what people read, or a workflow. */
const printed = ({ cwd, env, to }: ProgramWithArchive, ...more: readonly string[]): Promise<CliRun> =>
  runCli(["import", "a.zip", "--to", to.stack, "--dry-run", ...more], { cwd, env });

const beginLines = (program: ProgramWithArchive) => program.entries().filter(({ type }) => type === "begin");

describe("an approved plan", () => {
  it("is carried out with the same writes, in whatever order, as without it, and stands for --yes", async () => {
    const writesOf = async (approves: boolean): Promise<string[]> => {
      await using program = await programWithArchive(withThree);
      const digest = await dryRun(program, ...OVERWRITE);
      const writes = watchWrites(program);
      const run = approves
        ? await underPlan(program, digest.slice(0, 16), ...OVERWRITE)
        : await program.import("--yes", ...OVERWRITE);
      expect(run.exitCode).toBe(0);
      expect(beginLines(program)[0]?.["plan"]).toBe(approves ? digest : undefined);
      return writes.filter((request) => !request.includes("validate")).toSorted();
    };
    const without = await writesOf(false);
    expect(await writesOf(true)).toEqual(without);
    expect(without.length).toBeGreaterThan(4);
  });

  it("is refused with 10 where a record that is overwritten has changed, and the present plan is shown", async () => {
    await using program = await programWithArchive(withThree);
    const digest = await dryRun(program, ...OVERWRITE);
    await changeOn(program.to, "dashboards", { tags: ["theirs", "new"] }, "Three");
    const run = await underPlan(program, digest, ...OVERWRITE);
    expect(documentOf(run)).toMatchObject({
      ok: false,
      exitCode: 10,
      dryRun: false,
      error: { code: "plan-changed" },
    });
    expect(outcomesOf(run).every(({ status }) => status === "planned")).toBe(true);
    expect(digestOf(run)).not.toBe(digest);
    expect(digestOf(run)).toBe(await dryRun(program, ...OVERWRITE));
    expect(await recordsOn(program.to, "dashboards")).toHaveLength(1);
    expect((await underPlan(program, digestOf(run), ...OVERWRITE)).exitCode).toBe(0);
  });

  it("is printed last by a dry run: 16 digits for people, 64 in Markdown", async () => {
    await using program = await programWithArchive();
    const digest = await dryRun(program);
    const endOf = async (...more: string[]) => (await printed(program, ...more)).stdout.split("\n").slice(-2);
    expect(await endOf()).toEqual([`Plan ${digest.slice(0, 16)}`, ""]);
    expect(await endOf("--markdown")).toEqual([`Plan \`${digest}\``, ""]);
  });

  it("has no digest for people if it writes nothing; Markdown, which workflows read, has it", async () => {
    await using program = await programWithArchive({ ...emptySeed("b"), sources: [] });
    const { stdout, exitCode } = await printed(program);
    expect(exitCode).toBe(3);
    expect(stdout).not.toMatch(/^Plan [0-9a-f]/m);
    expect((await printed(program, "--markdown")).stdout).toMatch(/\nPlan `[0-9a-f]{64}`\n$/);
  });

  it("covers the writes alone: other flags and another journal leave the digest as it is", async () => {
    await using program = await programWithArchive(withThree);
    const digest = await dryRun(program);
    expect(await dryRun(program, "--report", "page.html", "--journals", "other", "--on-conflict", "merge")).toBe(
      digest,
    );
    for (const more of [OVERWRITE, ["--kinds", "dashboards"], ["--name-prefix", "Copy "]]) {
      const run = await underPlan(program, digest, ...more);
      expect(run.exitCode, more.join(" ")).toBe(10);
    }
    expect(await sortedNamesOn(program.to)).toEqual(["Three"]);
  });

  it("of one command is taken by another command that writes the same", async () => {
    await using program = await programWithArchive();
    const migrated = await program.run(program.migration("--dry-run"));
    expect(digestOf(migrated)).toBe(await dryRun(program));
    expect((await program.run(program.migration("--plan", digestOf(migrated)))).exitCode).toBe(0);
    expect(await sortedNamesOn(program.to)).toEqual(["One", "Three", "Two"]);
  });

  it("is done once it is carried out, and without the journal it is another plan", async () => {
    await using program = await programWithArchive();
    const digest = await dryRun(program);
    expect((await underPlan(program, digest)).exitCode).toBe(0);
    const writes = watchWrites(program);
    const again = await underPlan(program, digest.slice(0, 16));
    expect(documentOf(again)).toMatchObject({ exitCode: 0, plan: digest });
    expect((await underPlan(program, digest, "--journals", "other")).exitCode).toBe(10);
    expect(writes).toEqual([]);
    await program.rollback();
    await changeOn(program.from, "dashboards", { tags: ["new"] }, "Three");
    await program.run(["export", "--from", program.from.stack, "--out", "b.zip"]);
    expect((await program.run(["import", "b.zip", "--to", program.to.stack, "--plan", digest])).exitCode).toBe(10);
  });

  it("is refused as a wrong call if its name is too short, too long, not hexadecimal or a path, and beside --dry-run", async () => {
    await using program = await programWithArchive();
    const writes = watchWrites(program);
    for (const name of ["3f9a1c0d22b7e45", "3".repeat(65), "3f9a1c0d22b7e45g", "plan.json"])
      expect((await underPlan(program, name)).exitCode, name).toBe(2);
    expect((await underPlan(program, "3f9a1c0d22b7e451", "--dry-run")).exitCode).toBe(2);
    expect(writes).toEqual([]);
  });

  it("also covers what a mirror deletes", async () => {
    await using program = await programAfterApply();
    await rm(join(program.cwd, "files", "alerts", "quiet.yaml"));
    const digest = digestOf(await program.apply("--dry-run", "--mirror"));
    expect(digest).not.toBe(digestOf(await program.apply("--dry-run")));
    await editFile(program, "dashboards/three.yaml", "kept", "other");
    const other = await program.apply("--mirror", "--plan", digest);
    expect(other.exitCode).toBe(10);
    expect(await sortedNamesOn(program.to, "alerts")).toEqual(["Busy", "Quiet"]);
    expect((await program.apply("--mirror", "--plan", digestOf(other))).exitCode).toBe(0);
    expect(await sortedNamesOn(program.to, "alerts")).toEqual(["Busy"]);
  });
});

/** Tells whether a request is the n-th write of a run. */
function nthWrite(n: number): (request: InterceptedRequest) => boolean {
  let count = 0;
  return (request) => isWrite(request) && ++count === n;
}

describe("a run under an approved plan that was cut short", () => {
  it.each([
    [1, "before"],
    [6, "before"],
    [4, "after"],
  ] as const)(
    "is finished by the same command, if it was killed at write %i, %s the stack did it",
    async (n, moment) => {
      await using program = await programWithArchive(withThree);
      const digest = await dryRun(program, ...OVERWRITE);
      await killRun(program, nthWrite(n), () => underPlan(program, digest, ...OVERWRITE), moment);
      const run = await underPlan(program, digest, ...OVERWRITE);
      expect(run.exitCode, run.stdout).toBe(0);
      expect(digestOf(run)).toBe(digest);
      expect(await sortedNamesOn(program.to)).toEqual(["One", "Three", "Two"]);
      expect(await sortedNamesOn(program.to, "alerts")).toEqual(["Busy", "Quiet"]);
      expect(new Set(beginLines(program).map(({ plan, run: number }) => `${String(number)} ${String(plan)}`))).toEqual(
        new Set([`1 ${digest}`]),
      );
      expect((await underPlan(program, digest, ...OVERWRITE)).exitCode).toBe(0);
    },
  );

  it("is finished by the same command after a second kill, and after a merge and a mirror of files", async () => {
    await using program = await programAfterApply();
    await rm(join(program.cwd, "files", "alerts", "quiet.yaml"));
    for (const file of ["one", "three", "two"]) await editFile(program, `dashboards/${file}.yaml`, "kept", "other");
    await changeOn(program.to, "dashboards", { name: "Three of them" }, "Three");
    const flags = ["--mirror", "--on-conflict", "merge"];
    const digest = digestOf(await program.apply("--dry-run", ...flags));
    const carryOut = () => program.apply(...flags, "--plan", digest);
    await killRun(program, nthWrite(2), carryOut);
    await killRun(program, nthWrite(1), carryOut);
    const run = await carryOut();
    expect(digestOf(run)).toBe(digest);
    expect(outcomesOf(run).filter(({ status }) => status !== "done")).toEqual([]);
    const tags = (await recordsOn(program.to, "dashboards")).map(({ tags }) => tags);
    expect(tags).toEqual([["other"], ["other"], ["other"]]);
    expect(await sortedNamesOn(program.to, "alerts")).toEqual(["Busy"]);
  });

  it.each<[what: string, change: (program: ProgramWithArchive) => Promise<void>]>([
    ["the source", (program) => editFile(program, "dashboards/two.yaml", "other", "another")],
    ["a record that it wrote", ({ to }) => changeOn(to, "dashboards", { tags: ["mine"] }, "One")],
    ["a record that it has yet to write", ({ to }) => changeOn(to, "dashboards", { tags: ["mine"] }, "Two")],
  ])("is not finished under its plan if somebody has changed %s", async (_, change) => {
    await using program = await programAfterApply();
    for (const file of ["one", "two"]) await editFile(program, `dashboards/${file}.yaml`, "kept", "other");
    const digest = digestOf(await program.apply("--dry-run"));
    const carryOut = () => program.apply("--plan", digest);
    await killRun(program, nthWrite(2), carryOut);
    await change(program);
    const writes = watchWrites(program);
    expect((await carryOut()).exitCode).toBe(10);
    expect(writes).toEqual([]);
  });

  it("is finished by a run without a plan, and then the plan is no longer the approved one", async () => {
    await using program = await programWithArchive();
    const digest = await dryRun(program);
    await killRun(program, nthWrite(3), () => underPlan(program, digest));
    expect((await program.import("--yes")).exitCode).toBe(0);
    expect((await underPlan(program, digest)).exitCode).toBe(10);
    expect(await sortedNamesOn(program.to)).toEqual(["One", "Three", "Two"]);
  });
});
