import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { foldJournal } from "../../../src/journal/fold.ts";
import { runsOf } from "../../../src/library/rollback.ts";
import { changeOn, recordOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import { importStage, outcomeLines, type JsonObject } from "../../support/import-stage.ts";
import { archive, stageAfterImport } from "../../support/mirror-stage.ts";
import { failOperation, namesOn, refusalError, type MemoryStack } from "../../support/memory-stack.ts";
import {
  killRollback,
  rollBack,
  rollBackJournal,
  planRollbackOf,
  type ImportedStack,
  type JournalEntry,
} from "../../support/rollback-runs.ts";
import { documentOf, runCli } from "../../support/run-cli.ts";
import {
  emptySeed,
  programAfterImport,
  passThrough,
  outcomesOf,
  refuseRoute,
  programWithArchive,
  warningCodes,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";
import { dashboard, hexId, records, targetIds, archiveIds } from "../../support/stack-records.ts";
import { board, dependencies, fromOtherStack, usualTarget } from "../../support/import-samples.ts";

/** Returns, for each import of a journal, how many of its writes no rollback has undone. */
const notUndoneIn = (entries: readonly JournalEntry[]): number[] =>
  runsOf(foldJournal(entries)).flatMap(({ undoes, notUndone }) => (undoes === undefined ? [notUndone] : []));

const update = ["--on-conflict", "overwrite"];
const theirs = dashboard(hexId("b", 18), "Three", targetIds.source, { tags: ["first"] });

/**
 * Imports twice: run 1 creates four records and updates "Three"; run 2 updates "Three", which somebody has changed in
 * between.
 */
async function twoRuns(): Promise<ProgramWithArchive> {
  const program = await programWithArchive({ ...emptySeed("b"), dashboards: [theirs] });
  expect(documentOf(await program.import(...update))).toMatchObject({ counts: { create: 4, update: 1 } });
  await changeOn(program.to, "dashboards", { tags: ["second"] }, "Three");
  expect(documentOf(await program.import(...update))).toMatchObject({ counts: { update: 1, unchanged: 4 } });
  return program;
}

const tagsOfThree = async (program: ProgramWithArchive) => (await recordOn(program.to, "dashboards", "Three"))["tags"];

describe("two runs of one journal", () => {
  it("are not undone by their numbers if a copy of the journal lies beside it", async () => {
    await using program = await twoRuns();
    const folder = join(program.cwd, ".stackferry");
    const [name = ""] = (await readdir(folder)).filter((each) => each.endsWith(".journal"));
    await copyFile(join(folder, name), join(folder, "a copy.journal"));
    const refused = { exitCode: 2, error: { code: "journal" } };
    expect(documentOf(await program.rollback("--run", "1", "--force"))).toMatchObject(refused);
    expect(documentOf(await program.rollback())).toMatchObject(refused);
    expect(await tagsOfThree(program)).not.toEqual(["second"]);
  });

  it("are undone apart: the last by default, then the first", async () => {
    await using program = await twoRuns();
    const last = await program.rollback();
    expect(documentOf(last)).toMatchObject({ exitCode: 0, counts: { update: 1 }, undoes: 2 });
    expect(outcomesOf(last)).toHaveLength(1);
    expect(await tagsOfThree(program)).toEqual(["second"]);
    expect(await sortedNamesOn(program.to)).toHaveLength(3);
    // Somebody changed the record after run 1, so the rollback leaves it alone.
    const first = await program.rollback("--run", "1");
    expect(documentOf(first)).toMatchObject({ exitCode: 3, counts: { delete: 4, skip: 1 }, undoes: 1 });
    expect(outcomesOf(first).find(({ name }) => name === "Three")).toMatchObject({ code: "changed-since" });
    expect(await tagsOfThree(program)).toEqual(["second"]);
    expect(warningCodes(first)).toEqual([]);
    expect(await sortedNamesOn(program.to)).toHaveLength(1);
    expect(await sortedNamesOn(program.to, "alerts")).toEqual([]);
  });

  it("are undone one after the other under --force, to the state before the first", async () => {
    await using program = await twoRuns();
    expect((await program.rollback("--run", "2")).exitCode).toBe(0);
    const run = await program.rollback("--run", "1", "--force");
    expect(documentOf(run)).toMatchObject({ exitCode: 0, counts: { update: 1, delete: 4 }, undoes: 1 });
    expect(await tagsOfThree(program)).toEqual(["first"]);
  });

  it("keep what the later one wrote where the earlier one is undone alone; --force undoes both, and says so", async () => {
    await using program = await twoRuns();
    const kept = await program.rollback("--run", "1");
    expect(kept.exitCode).toBe(3);
    expect(outcomesOf(kept).find(({ name }) => name === "Three")).toMatchObject({ action: "skip", code: "later-run" });
    expect(await tagsOfThree(program)).toEqual(["kept"]);
    const both = await program.rollback("--run", "1", "--force");
    expect([both.exitCode, warningCodes(both)]).toEqual([0, ["later-run"]]);
    expect(await tagsOfThree(program)).toEqual(["first"]);
    // Nothing of run 2 is left to undo.
    expect(documentOf(await program.rollback("--run", "2"))).toMatchObject({ exitCode: 0, outcomes: [] });
    expect(notUndoneIn(program.entries() as unknown as JournalEntry[])).toEqual([0, 0]);
    expect(documentOf(await program.import(...update))).toMatchObject({ counts: { create: 4, update: 1 } });
    // An undo that is undone counts as never been.
    expect((await program.rollback()).exitCode).toBe(0);
    expect((await program.rollback("--run", "4")).exitCode).toBe(0);
    expect(notUndoneIn(program.entries() as unknown as JournalEntry[]).at(1)).toBe(1);
  });

  it("are undone together where the second replaced a secret, which no journal stores, and no placeholder is written", async () => {
    const withSecret = (text: string): JsonObject => board(16, { savedQuery: `The password: ${text}` });
    const { stack, stage } = await stageAfterImport([board(16, { tags: ["1"] })]);
    await stage.run(archive([withSecret("hunter2hunter2hunter2x9Q")]), fromOtherStack);
    await stage.run(archive([withSecret("other7other7other7other7Z")]), fromOtherStack);
    const [left] = await rollBack(stack, stage.history, true, 3);
    expect(left).toMatchObject({ action: "skip", code: "redacted" });
    expect(left?.message).toContain("--run 2 --force");
    expect(await rollBack(stack, stage.history, true, 2)).toMatchObject([{ action: "update", status: "done" }]);
    expect(recordOn(stack, "dashboards", "Board 16")).toMatchObject({ tags: ["1"], savedQuery: null });
  });

  it("are not undone twice, and the default does not go on to the one before", async () => {
    await using program = await twoRuns();
    expect((await program.rollback()).exitCode).toBe(0);
    const entries = program.entries();
    for (const more of [[], ["--run", "2"], ["--force"]]) {
      expect(documentOf(await program.rollback(...more))).toMatchObject({ exitCode: 0, outcomes: [] });
    }
    expect(program.entries()).toEqual(entries);
  });

  it("are followed by another once the import is run again after the rollbacks, which are runs 3 and 4", async () => {
    await using program = await twoRuns();
    expect((await program.rollback("--run", "2")).exitCode).toBe(0);
    expect((await program.rollback("--run", "1", "--force")).exitCode).toBe(0);
    expect(documentOf(await program.import(...update))).toMatchObject({ counts: { create: 4, update: 1 } });
    expect(documentOf(await program.rollback())).toMatchObject({ counts: { delete: 4, update: 1 }, undoes: 5 });
    expect(await tagsOfThree(program)).toEqual(["first"]);
  });

  it("are shown by --list, and a plan names those that it does not undo; other numbers are refused (exit 2)", async () => {
    await using program = await twoRuns();
    const numbers = async (): Promise<unknown[]> => {
      const { runs } = documentOf(await program.rollback("--list"));
      return outcomeLines(runs as Record<string, unknown>[], "number", "created", "updated", "notUndone");
    };
    expect(await numbers()).toEqual(["1 4 1 5", "2 0 1 1"]);
    const { cwd, env } = program;
    const list = await runCli(["rollback", "--to", program.to.stack, "--list"], { cwd, env });
    expect(list.stdout).toMatch(/RUN.*BEGUN/);
    const plan = await runCli(["rollback", "--to", program.to.stack, "--dry-run"], { cwd, env });
    expect(plan.stdout).toContain("1 to put back");
    expect(plan.stdout).toContain("Run 1 is not undone");
    const refused = { exitCode: 2, error: { code: "usage" } };
    for (const run of ["3", "0", "first", "-1", ""])
      expect(documentOf(await program.rollback(`--run=${run}`)), run).toMatchObject(refused);
    expect(documentOf(await program.run(["rollback", "--to", program.to.stack]))).toMatchObject(refused);
    expect((await program.rollback()).exitCode).toBe(0);
    expect(await numbers()).toEqual(["1 4 1 5", "2 0 1 0", "3 0 1 1"]);
  });
});

describe("a list of runs where no journal has one", () => {
  it("names the folder that was searched and the address, since the runs may be in another journal", async () => {
    await using program = await programAfterImport();
    const { cwd, env, to } = program;
    const elsewhere = await mkdir(join(cwd, "elsewhere"), { recursive: true });
    for (const [folder, stack] of [
      [elsewhere ?? "", to.stack],
      [cwd, to.stack.replace("127.0.0.1", "localhost")],
    ] as const) {
      const list = ["rollback", "--to", stack, "--list"];
      const run = await runCli(list, { cwd: folder, env });
      expect(run.exitCode).toBe(0);
      expect(run.stdout).toContain(join(folder, ".stackferry"));
      expect(run.stdout).toContain(new URL(stack.replace(/^.*?(http)/, "$1")).origin);
      expect(run.stdout).toContain("localhost count as different stacks");
      const { runs, folder: searched } = documentOf(await runCli([...list, "--json"], { cwd: folder, env }));
      expect([runs, searched]).toEqual([[], join(folder, ".stackferry")]);
    }
  });
});

describe("a run that was cut short and gone on with", () => {
  it("is one run", async () => {
    await using program = await programWithArchive();
    refuseRoute(program, "POST alerts", 401);
    expect((await program.import()).exitCode).toBe(5);
    program.watch = passThrough;
    expect((await program.import()).exitCode).toBe(0);
    expect(documentOf(await program.rollback())).toMatchObject({ counts: { delete: 5 }, undoes: 1 });
  });
});

describe("a rollback of one run that was cut short", () => {
  const boards = records({
    dashboards: [16, 17].map((number) =>
      dashboard(hexId("a", number), `B${number}`, archiveIds.source, { tags: ["one"] }),
    ),
    ...dependencies.ours,
  });
  const tags = (stack: MemoryStack): unknown[] => recordsOn(stack, "dashboards").map((body) => body["tags"]);

  async function createdThenUpdated(): Promise<ImportedStack> {
    const stack = usualTarget();
    const stage = importStage(stack);
    await stage.run(boards);
    changeOn(stack, "dashboards", { tags: ["theirs"] });
    await stage.run(boards, { onConflict: "overwrite" });
    expect(tags(stack)).toEqual([["one"], ["one"]]);
    return { stack, entries: stage.history };
  }

  it("goes on with the rest, and the run before it can be undone afterwards", async () => {
    const { stack, entries } = await createdThenUpdated();
    failOperation(stack, "update dashboards", () => refusalError("unauthorized", "no"), 2);
    const first = await rollBackJournal(stack, entries, { run: 2 });
    expect(first.stopped).toMatchObject({ code: "unauthorized" });
    stack.intercept = () => {};
    const second = await rollBackJournal(stack, first.entries, { run: 2 });
    expect(outcomeLines(second.outcomes, "action", "status")).toEqual(["update done"]);
    expect(tags(stack)).toEqual([["theirs"], ["theirs"]]);
    expect(outcomeLines(await planRollbackOf(stack, second.entries, false, 1), "code")).toEqual([
      "changed-since",
      "changed-since",
    ]);
    const third = await rollBackJournal(stack, second.entries, { run: 1, force: true });
    expect(outcomeLines(third.outcomes, "action", "status")).toEqual(["delete done", "delete done"]);
    expect(notUndoneIn(third.entries)).toEqual([0, 0]);
  });

  it("knows a put-back whose answer was lost", async () => {
    const { stack, entries } = await createdThenUpdated();
    const after = await killRollback({ stack, entries }, "after", 1, { run: 2 });
    expect(after.at(-1)).toMatchObject({ type: "intent", write: "update" });
    await rollBackJournal(stack, after, { run: 2 });
    expect(tags(stack)).toEqual([["theirs"], ["theirs"]]);
    expect(outcomeLines(await planRollbackOf(stack, after, true, 1), "action")).toEqual(["delete", "delete"]);
  });
});

describe("a rollback of two records of the target that were written for one record of the archive", () => {
  it("undoes both", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
    const [one, two] = [16, 17].map((number) => dashboard(hexId("a", number), `B${number}`, archiveIds.source));
    const archive = records({ dashboards: [one ?? {}, two ?? {}], ...dependencies.ours });
    await stage.run(archive);
    const first = recordOn(stack, "dashboards", "B16").id;
    // Run 2 gives the first record to the second dashboard, and creates another for the first dashboard.
    await stage.run(archive, { onConflict: "overwrite", mapping: { dashboards: { B17: first } } });
    expect(namesOn(stack, "dashboards").toSorted()).toEqual(["B16", "B17", "B17"]);
    const second = await rollBackJournal(stack, stage.history, { run: 2 });
    expect([second.exitCode, namesOn(stack, "dashboards").toSorted()]).toEqual([0, ["B16", "B17"]]);
    const rollback = await rollBackJournal(stack, second.entries, { run: 1 });
    expect([rollback.exitCode, namesOn(stack, "dashboards")]).toEqual([0, []]);
    expect(notUndoneIn(rollback.entries)).toEqual([0, 0]);
  });
});
