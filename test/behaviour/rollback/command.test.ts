import { copyFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { outcomeLines } from "../../support/import-stage.ts";
import { changeOn, recordOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import {
  emptySeed,
  journalsIn,
  outcomesOf,
  programAfterImport,
  refuseRoute,
  warningCodes,
  watchWrites,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";
import { callSandbox } from "../../support/read-sandbox.ts";
import { documentOf, runCli, type CliRun } from "../../support/run-cli.ts";
import { dashboard, hexId, targetIds } from "../../support/stack-records.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

// These tests import five records and roll the import back on the command line. If the target has the dashboard "Three" before,
// the import updates it.

const theirs = dashboard(hexId("b", 18), "Three", targetIds.source, { tags: ["theirs"] });
const withTheirs = { ...emptySeed("b"), dashboards: [theirs] };
const update = ["--on-conflict", "overwrite"];
const programAfterUpdate = (): Promise<ProgramWithArchive> => programAfterImport(withTheirs, ...update);
const tagsOfThree = async ({ to }: ProgramWithArchive): Promise<unknown> =>
  (await recordOn(to, "dashboards", "Three"))["tags"];

describe("rollback", () => {
  it("deletes alerts first, then puts back, then deletes dashboards; a second one writes nothing and says why", async () => {
    await using program = await programAfterUpdate();
    const writes = watchWrites(program);
    expect(documentOf(await program.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 4, update: 1 } });
    expect(writes).toEqual([
      "DELETE alerts/{id}",
      "DELETE alerts/{id}",
      "PUT dashboards/{id}",
      "DELETE dashboards/{id}",
      "DELETE dashboards/{id}",
    ]);
    writes.length = 0;
    const entries = program.entries();
    for (const more of [[], ["--force"], ["--dry-run"]]) {
      expect(documentOf(await program.rollback(...more))).toMatchObject({ exitCode: 0, counts: {}, outcomes: [] });
    }
    const { cwd, env } = program;
    const again = await runCli(["rollback", "--to", program.to.stack, "--run", "1", "--yes"], { cwd, env });
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/run 1 is undone already/i) });
    expect([writes, program.entries()]).toEqual([[], entries]);
  });

  it("writes nothing under --dry-run and tells all that it would do", async () => {
    await using program = await programAfterUpdate();
    const writes = watchWrites(program);
    const entries = program.entries();
    const run = await program.rollback("--dry-run");
    expect(documentOf(run)).toMatchObject({ exitCode: 0, dryRun: true });
    expect(outcomesOf(run).map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => "planned"));
    expect([writes, program.entries()]).toEqual([[], entries]);
    expect(run.stdout).not.toContain("previous");
  });

  it("ends with 5 where the stack refuses its key, and goes on where it was, with its number and without --run", async () => {
    await using program = await programAfterUpdate();
    let stopped: CliRun | undefined;
    for (const route of ["DELETE alerts/{id}", "DELETE dashboards/{id}"]) {
      refuseRoute(program, route, 401);
      stopped = await program.rollback();
      expect(documentOf(stopped)).toMatchObject({ exitCode: 5, error: { code: "unauthorized" } });
    }
    const done = (stopped === undefined ? [] : outcomesOf(stopped)).filter(({ status }) => status === "done");
    expect(done.map(({ name }) => name).toSorted()).toEqual(["Busy", "Quiet", "Three"]);
    const writes = watchWrites(program);
    const terminal = { columns: 80, answers: ["yes"] };
    const finished = documentOf(await program.run(["rollback", "--to", program.to.stack], { terminal }));
    expect(finished).toMatchObject({ exitCode: 0, counts: { delete: 2 }, undoes: 1 });
    expect(writes).toHaveLength(2);
    expect(await sortedNamesOn(program.to, "alerts")).toEqual([]);
    expect((await recordsOn(program.to, "dashboards")).map(({ tags }) => tags)).toEqual([["theirs"]]);
    const begun = program.entries().filter(({ type }) => type === "begin");
    expect(begun.map(({ run }) => run)).toEqual([1, 2, 2, 2]);
  });

  it("asks on a terminal, and does nothing for any answer but yes", async () => {
    await using program = await programAfterImport();
    const writes = watchWrites(program);
    const answered = async (answer: string): Promise<number | undefined> => {
      const terminal = { columns: 80, answers: [answer] };
      return (await program.run(["rollback", "--to", program.to.stack], { terminal })).exitCode;
    };
    expect([await answered("n"), writes.length]).toEqual([1, 0]);
    expect([await answered("yes"), writes.length]).toEqual([0, 5]);
    // The run does not ask, because nothing is left to roll back.
    expect(await answered("n")).toBe(0);
  });

  it("asks for each record, and for all alerts, before each delete of a dashboard", async () => {
    await using program = await programAfterImport();
    const routes: string[] = [];
    program.watch = ({ route }, proceed) => {
      routes.push(route);
      return proceed();
    };
    expect((await program.rollback()).exitCode).toBe(0);
    const count = (route: string): number => routes.filter((each) => each === route).length;
    expect(count("DELETE dashboards/{id}")).toBe(3);
    expect(count("GET dashboards/{id}")).toBe(3);
    expect(count("GET alerts/{id}")).toBe(2);
    // Alerts are listed for the plan, and before each delete of a dashboard.
    expect(count("GET alerts")).toBe(4);
    expect(count("GET dashboards")).toBe(1);
  });

  it("counts each record as it is undone, and not all of a kind at once", async () => {
    await using program = await programAfterImport();
    let shown = "";
    const counts: number[] = [];
    program.watch = ({ route }, proceed) => {
      const count = [...shown.matchAll(/(\d+)\/\d+/g)].at(-1)?.[1] ?? 0;
      if (route.startsWith("DELETE dashboards")) counts.push(Number(count));
      return proceed();
    };
    const line = ["rollback", "--to", program.to.stack, "--run", "1", "--yes", "--concurrency", "1"];
    const options = { terminal: { columns: 80, answers: [] }, onStderr: (text: string) => (shown += text) };
    expect((await program.run(line, options)).exitCode).toBe(0);
    expect(counts).toHaveLength(3);
    // The next delete may be on its way while the journal writes down the last one.
    expect(counts[2]).toBeGreaterThan(counts[0] ?? 0);
  });

  it("names in its text a record that somebody has deleted since", async () => {
    await using program = await programAfterUpdate();
    await callSandbox(program.to, "DELETE", `dashboards/${hexId("b", 18)}`);
    const words = ["rollback", "--to", program.to.stack, "--run", "1", "--yes"];
    const run = await runCli(words, { cwd: program.cwd, env: program.env });
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/gone.*"?Three/s) });
  });
});

/** Imports twice: run 1 creates four records and updates "Three"; run 2 updates "Three", which somebody has changed in between. */
async function twoRuns(): Promise<ProgramWithArchive> {
  const program = await programAfterUpdate();
  await changeOn(program.to, "dashboards", { tags: ["second"] }, "Three");
  expect(documentOf(await program.import(...update))).toMatchObject({ counts: { update: 1, unchanged: 4 } });
  return program;
}

describe("the flags --run and --force", () => {
  it("undo the first of two runs without what the second wrote later, or both, and say so", async () => {
    await using program = await twoRuns();
    for (const more of [["--dry-run"], []]) {
      const kept = await program.rollback("--run", "1", ...more);
      expect(documentOf(kept)).toMatchObject({ exitCode: 3, counts: { delete: 4, skip: 1 }, undoes: 1 });
      expect(outcomesOf(kept).find(({ name }) => name === "Three")).toMatchObject({
        action: "skip",
        code: "later-run",
      });
    }
    expect(await tagsOfThree(program)).toEqual(["kept"]);
    const both = await program.rollback("--run", "1", "--force");
    expect([both.exitCode, warningCodes(both)]).toEqual([0, ["later-run"]]);
    expect(await tagsOfThree(program)).toEqual(["theirs"]);
  });

  it("are refused where a copy of the journal lies beside it", async () => {
    await using program = await twoRuns();
    const [journal = ""] = journalsIn(program.cwd);
    await copyFile(journal, join(dirname(journal), "a copy.journal"));
    const refused = { exitCode: 2, error: { code: "journal" } };
    for (const more of [["--run", "1", "--force"], []])
      expect(documentOf(await program.rollback(...more))).toMatchObject(refused);
    expect(await tagsOfThree(program)).toEqual(["kept"]);
  });
});

describe("a list of runs", () => {
  it("has each with its counts, also a rollback, which is undone by its number; other numbers are refused", async () => {
    await using program = await twoRuns();
    const numbers = async (): Promise<string[]> => {
      const { runs } = documentOf(await program.rollback("--list"));
      return outcomeLines(runs as Record<string, unknown>[], "number", "created", "updated", "notUndone", "undoes");
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
    expect(await numbers()).toEqual(["1 4 1 5", "2 0 1 0", "3 0 1 1 2"]);
    expect(documentOf(await program.rollback("--run", "3"))).toMatchObject({ exitCode: 0, undoes: 3 });
    expect(await tagsOfThree(program)).toEqual(["kept"]);
  });

  it("names, where no journal has one, the folder and the address; a rollback is refused there", async () => {
    await using program = await programAfterImport();
    const { cwd, env, to } = program;
    for (const [folder, stack] of [
      [temporaryFolder(), to.stack],
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
      const undo = ["rollback", "--to", stack, "--run", "1", "--yes", "--json"];
      expect(documentOf(await runCli(undo, { cwd: folder, env }))).toMatchObject({
        exitCode: 2,
        error: { code: "usage" },
      });
    }
  });

  it("has the runs of two journals of one target under numbers of their own, by which each is undone", async () => {
    await using program = await programAfterImport();
    await program.writeFiles();
    await changeOn(program.to, "alerts", { threshold: 99 }, "Busy");
    expect(documentOf(await program.apply())).toMatchObject({ exitCode: 0, run: 2 });
    expect(documentOf(await program.import("--name-prefix", "copy of "))).toMatchObject({ exitCode: 0, run: 3 });
    expect(journalsIn(program.cwd)).toHaveLength(3);
    const list = async (): Promise<string[]> => {
      const { runs } = documentOf(await program.rollback("--list"));
      return outcomeLines(runs as Record<string, unknown>[], "number", "undoes");
    };
    expect(await list()).toEqual(["1", "2", "3"]);
    for (const [undoes, counts] of [
      [3, { delete: 5 }],
      [2, { update: 1 }],
    ] as const)
      expect(documentOf(await program.rollback("--run", String(undoes)))).toMatchObject({
        exitCode: 0,
        counts,
        undoes,
      });
    expect(await list()).toEqual(["1", "2", "3", "4 3", "5 2"]);
    expect(await recordOn(program.to, "alerts", "Busy")).toMatchObject({ threshold: 99 });
    const last = await program.rollback("--run", "1");
    expect(outcomesOf(last).find(({ name }) => name === "Busy")).toMatchObject({
      action: "skip",
      code: "changed-since",
    });
  });

  it("has no run that only looked and wrote nothing, whose number no other run gets", async () => {
    await using program = await programAfterImport();
    await program.writeFiles();
    expect(documentOf(await program.apply())).toMatchObject({ exitCode: 0, counts: { unchanged: 5 }, run: 2 });
    expect((await program.rollback("--run", "1")).exitCode).toBe(0);
    const { runs } = documentOf(await program.rollback("--list")) as { runs: { number: number }[] };
    expect(runs.map(({ number }) => number)).toEqual([1, 3]);
  });
});
