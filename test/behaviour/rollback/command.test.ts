import { describe, expect, it } from "vitest";
import { callSandbox } from "../../support/read-sandbox.ts";
import { changeOn, recordOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import { documentOf, runCli } from "../../support/run-cli.ts";
import {
  editJournal,
  emptySeed,
  addAlertOn,
  programAfterImport,
  isWrite,
  outcomeLinesOf,
  outcomesOf,
  refuseRoute,
  programWithArchive,
  watchWrites,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";
import { dashboard, hexId, targetIds } from "../../support/stack-records.ts";

// These tests import five records and roll the import back on the command line. If the target has the dashboard "Three" before,
// the import updates it.

const theirs = dashboard(hexId("b", 18), "Three", targetIds.source, { tags: ["theirs"] });
const withTheirs = { ...emptySeed("b"), dashboards: [theirs] };
const update = ["--on-conflict", "overwrite"];
const programAfterUpdate = (): Promise<ProgramWithArchive> => programAfterImport(withTheirs, ...update);

const tagsOfThree = async ({ to }: ProgramWithArchive): Promise<unknown> =>
  (await recordOn(to, "dashboards", "Three"))["tags"];
const messageOf = (run: Parameters<typeof outcomesOf>[0], wanted: string): string | undefined =>
  (outcomesOf(run).find(({ name }) => name === wanted) as { message?: string } | undefined)?.message;

describe("rollback", () => {
  it("deletes alerts first, then puts back, then deletes dashboards; a second one does nothing", async () => {
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
    expect([writes, program.entries()]).toEqual([[], entries]);
  });

  it("that was stopped half-way goes on where it was", async () => {
    await using program = await programAfterUpdate();
    refuseRoute(program, "DELETE dashboards/{id}", 401);
    const stopped = await program.rollback();
    expect(documentOf(stopped)).toMatchObject({ exitCode: 5, error: { code: "unauthorized" } });
    const done = outcomesOf(stopped).filter(({ status }) => status === "done");
    expect(done.map(({ name }) => name).toSorted()).toEqual(["Busy", "Quiet", "Three"]);
    const writes = watchWrites(program);
    expect(documentOf(await program.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 2 } });
    expect(writes).toHaveLength(2);
    expect(await sortedNamesOn(program.to, "alerts")).toEqual([]);
    expect((await recordsOn(program.to, "dashboards")).map(({ tags }) => tags)).toEqual([["theirs"]]);
  });

  it("whose process was killed between a delete and its answer goes on too", async () => {
    await using program = await programAfterImport();
    expect((await program.rollback()).exitCode).toBe(0);
    await editJournal(program, (text) => `${text.split("\n").slice(0, -3).join("\n")}\n`);
    expect(program.entries().at(-1)?.["type"]).toMatch(/intent|done/);
    expect((await program.rollback()).exitCode).toBe(0);
    expect(outcomesOf(await program.rollback()).every(({ code }) => code === "gone")).toBe(true);
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

  it("looks at each record again before it writes: what somebody changed meanwhile stays", async () => {
    await using program = await programAfterImport();
    let writes = 0;
    program.watch = async (request, proceed) => {
      writes += isWrite(request) ? 1 : 0;
      if (isWrite(request) && writes === 1) {
        await changeOn(program.to, "dashboards", { tags: ["theirs now"] }, "Three");
      }
      return proceed();
    };
    const run = await program.rollback();
    expect(run.exitCode).toBe(3);
    expect(outcomeLinesOf(run)).toContain("Three delete failed changed-since");
    expect(await tagsOfThree(program)).toEqual(["theirs now"]);
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

  it("is refused without its journal (exit 2)", async () => {
    await using program = await programWithArchive();
    expect(documentOf(await program.rollback())).toMatchObject({ exitCode: 2, error: { code: "usage" } });
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
});

describe("a rollback leaves alone", () => {
  it("a record that was changed since, and exits with 3, also as a dry run; --force undoes it all the same", async () => {
    await using program = await programAfterUpdate();
    await changeOn(program.to, "dashboards", { tags: ["later"] }, "Three");
    await changeOn(program.to, "alerts", { threshold: 99 }, "Busy");
    expect((await program.rollback("--dry-run")).exitCode).toBe(3);
    const run = await program.rollback();
    expect(run.exitCode).toBe(3);
    expect(outcomeLinesOf(run)).toEqual([
      "Busy skip done changed-since",
      "One blocked failed in-use",
      "Quiet delete done",
      "Three skip done changed-since",
      "Two blocked failed in-use",
    ]);
    for (const name of ["Busy", "Three"]) expect(messageOf(run, name)).toContain("--force");
    expect(await tagsOfThree(program)).toEqual(["later"]);
    expect(await sortedNamesOn(program.to, "alerts")).toEqual(["Busy"]);
    const forced = documentOf(await program.rollback("--force"));
    expect(forced).toMatchObject({ exitCode: 0, counts: { delete: 3, update: 1 } });
    expect(await tagsOfThree(program)).toEqual(["theirs"]);
    expect(await sortedNamesOn(program.to, "alerts")).toEqual([]);
  });

  it("a dashboard with somebody's alerts (in-use), and names them, also under --force", async () => {
    await using program = await programAfterImport();
    for (const name of ["A1", "A2", "A3", "A4"]) await addAlertOn(program, name, "Three");
    const plan = await program.rollback("--dry-run");
    expect(outcomeLinesOf(plan)).toContain("Three blocked planned in-use");
    expect(messageOf(plan, "Three")).toMatch(/(?:the alert "A\d"(?:, )?){4}/);
    expect(messageOf(plan, "Three")).not.toContain("Quiet");
    expect(documentOf(await program.rollback())).toMatchObject({ exitCode: 3, counts: { delete: 4, blocked: 1 } });
    expect(await sortedNamesOn(program.to, "alerts")).toEqual(["A1", "A2", "A3", "A4"]);
    expect(await sortedNamesOn(program.to)).toEqual(["Three"]);
    expect(outcomeLinesOf(await program.rollback("--force"))).toEqual(["Three blocked failed in-use"]);
    expect(await sortedNamesOn(program.to, "alerts")).toEqual(["A1", "A2", "A3", "A4"]);
  });

  it("a tile with somebody's alert that a put-back would remove, also under --force", async () => {
    const bare = dashboard(hexId("b", 18), "Three", targetIds.source, { tiles: [] });
    await using program = await programAfterImport({ ...emptySeed("b"), dashboards: [bare] }, ...update);
    await addAlertOn(program, "A1", "Three");
    for (const more of [[], ["--force"]]) {
      const lines = outcomeLinesOf(await program.rollback("--dry-run", ...more));
      expect(lines).toContain("Three blocked planned would-delete-alerts");
    }
  });

  it("a dashboard that somebody's dashboard links to, also under --force", async () => {
    await using program = await programAfterImport();
    const link = { mode: "id", id: (await recordOn(program.to, "dashboards", "Three")).id };
    const config = {
      displayType: "table",
      sourceId: targetIds.source,
      select: [{ aggFn: "count", whereLanguage: "lucene" }],
    };
    const onClick = { type: "dashboard", target: link, whereLanguage: "sql" };
    const tile = { name: "T", x: 0, y: 0, w: 6, h: 3, config: { ...config, onClick } };
    await callSandbox(program.to, "POST", "dashboards", { name: "Theirs", tiles: [tile] });
    const dry = await program.rollback("--force", "--dry-run");
    expect(outcomeLinesOf(dry)).toContain("Three blocked planned in-use");
  });

  it("a record that was updated, and that somebody has deleted since, and names it in the text", async () => {
    await using program = await programAfterUpdate();
    await callSandbox(program.to, "DELETE", `dashboards/${hexId("b", 18)}`);
    const words = ["rollback", "--to", program.to.stack, "--run", "1", "--yes"];
    const run = await runCli(words, { cwd: program.cwd, env: program.env });
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/gone.*"?Three/s) });
  });

  it("a record that the import found there and did not write", async () => {
    await using program = await programWithArchive(withTheirs);
    expect(documentOf(await program.import())).toMatchObject({ counts: { create: 4 } });
    expect(documentOf(await program.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 4 } });
    expect(await recordOn(program.to, "dashboards", "Three")).toMatchObject({ id: theirs["id"], tags: ["theirs"] });
  });
});
