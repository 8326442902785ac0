import { describe, expect, it } from "vitest";
import { documentOf, runCli } from "../support/run-cli.ts";
import {
  callSandbox,
  changeListedRecord,
  editJournal,
  emptyStack,
  createAlertOn,
  importedBench,
  isWrite,
  outcomeLinesOf,
  listRecords,
  namesIn,
  outcomesOf,
  refuseRoute,
  smallBench,
  listedRecord,
  watchWrites,
  type SmallBench,
} from "../support/small-bench.ts";
import { dashboard, hexId } from "../support/stack-records.ts";

// These tests import five records and roll the import back on the command line. If the target has the dashboard "Three" before,
// the import updates it.

const theirs = dashboard(hexId("b", 18), "Three", hexId("b", 1), { tags: ["theirs"] });
const withTheirs = { ...emptyStack("b"), dashboards: [theirs] };
const update = ["--on-conflict", "overwrite"];
const updatedBench = (): Promise<SmallBench> => importedBench(withTheirs, ...update);

const tagsOfThree = async ({ to }: SmallBench): Promise<unknown> =>
  (await listedRecord(to, "dashboards", "Three"))["tags"];
const messageOf = (run: Parameters<typeof outcomesOf>[0], wanted: string): string | undefined =>
  (outcomesOf(run).find(({ name }) => name === wanted) as { message?: string } | undefined)?.message;

describe("rollback", () => {
  it("deletes alerts first, then puts back, then deletes dashboards; a second one does nothing", async () => {
    await using bench = await updatedBench();
    const writes = watchWrites(bench);
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 4, update: 1 } });
    expect(writes).toEqual([
      "DELETE alerts/{id}",
      "DELETE alerts/{id}",
      "PUT dashboards/{id}",
      "DELETE dashboards/{id}",
      "DELETE dashboards/{id}",
    ]);
    writes.length = 0;
    const entries = bench.entries();
    for (const more of [[], ["--force"], ["--dry-run"]]) {
      expect(documentOf(await bench.rollback(...more))).toMatchObject({ exitCode: 0, counts: {}, outcomes: [] });
    }
    expect([writes, bench.entries()]).toEqual([[], entries]);
  });

  it("that was stopped half-way goes on where it was", async () => {
    await using bench = await updatedBench();
    refuseRoute(bench, "DELETE dashboards/{id}", 401);
    const stopped = await bench.rollback();
    expect(documentOf(stopped)).toMatchObject({ exitCode: 5, error: { code: "unauthorized" } });
    const done = outcomesOf(stopped).filter(({ status }) => status === "done");
    expect(done.map(({ name }) => name).toSorted()).toEqual(["Busy", "Quiet", "Three"]);
    const writes = watchWrites(bench);
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 2 } });
    expect(writes).toHaveLength(2);
    expect(await namesIn(bench, "alerts")).toEqual([]);
    expect((await listRecords(bench.to, "dashboards")).map(({ tags }) => tags)).toEqual([["theirs"]]);
  });

  it("whose process was killed between a delete and its answer goes on too", async () => {
    await using bench = await importedBench();
    expect((await bench.rollback()).exitCode).toBe(0);
    await editJournal(bench, (text) => `${text.split("\n").slice(0, -3).join("\n")}\n`);
    expect(bench.entries().at(-1)?.["type"]).toMatch(/intent|done/);
    expect((await bench.rollback()).exitCode).toBe(0);
    expect(outcomesOf(await bench.rollback()).every(({ code }) => code === "gone")).toBe(true);
  });

  it("writes nothing under --dry-run and tells all that it would do", async () => {
    await using bench = await updatedBench();
    const writes = watchWrites(bench);
    const entries = bench.entries();
    const run = await bench.rollback("--dry-run");
    expect(documentOf(run)).toMatchObject({ exitCode: 0, dryRun: true });
    expect(outcomesOf(run).map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => "planned"));
    expect([writes, bench.entries()]).toEqual([[], entries]);
    expect(run.stdout).not.toContain("previous");
  });

  it("looks at each record again before it writes: what somebody changed meanwhile stays", async () => {
    await using bench = await importedBench();
    let writes = 0;
    bench.watch = async (request, proceed) => {
      writes += isWrite(request) ? 1 : 0;
      if (isWrite(request) && writes === 1) {
        await changeListedRecord(bench.to, "dashboards", "Three", { tags: ["theirs now"] });
      }
      return proceed();
    };
    const run = await bench.rollback();
    expect(run.exitCode).toBe(3);
    expect(outcomeLinesOf(run)).toContain("Three delete failed changed-since");
    expect(await tagsOfThree(bench)).toEqual(["theirs now"]);
  });

  it("asks on a terminal, and does nothing for any answer but yes", async () => {
    await using bench = await importedBench();
    const writes = watchWrites(bench);
    const answered = async (answer: string): Promise<number | undefined> => {
      const terminal = { columns: 80, answers: [answer] };
      return (await bench.run(["rollback", "--to", bench.to.stack], { terminal })).exitCode;
    };
    expect([await answered("n"), writes.length]).toEqual([1, 0]);
    expect([await answered("yes"), writes.length]).toEqual([0, 5]);
    // The run does not ask, because nothing is left to roll back.
    expect(await answered("n")).toBe(0);
  });

  it("is refused without its journal (exit 2)", async () => {
    await using bench = await smallBench();
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 2, error: { code: "usage" } });
  });

  it("asks for each record, and for all alerts, before each delete of a dashboard", async () => {
    await using bench = await importedBench();
    const routes: string[] = [];
    bench.watch = ({ route }, proceed) => {
      routes.push(route);
      return proceed();
    };
    expect((await bench.rollback()).exitCode).toBe(0);
    const count = (route: string): number => routes.filter((each) => each === route).length;
    expect(count("DELETE dashboards/{id}")).toBe(3);
    expect(count("GET dashboards/{id}")).toBe(3);
    expect(count("GET alerts/{id}")).toBe(2);
    // Alerts are listed for the plan, and before each delete of a dashboard.
    expect(count("GET alerts")).toBe(4);
    expect(count("GET dashboards")).toBe(1);
  });
});

describe("rollback › left alone", () => {
  it("changed since → exit 3, also of a dry run; --force undoes it all the same", async () => {
    await using bench = await updatedBench();
    await changeListedRecord(bench.to, "dashboards", "Three", { tags: ["later"] });
    await changeListedRecord(bench.to, "alerts", "Busy", { threshold: 99 });
    expect((await bench.rollback("--dry-run")).exitCode).toBe(3);
    const run = await bench.rollback();
    expect(run.exitCode).toBe(3);
    expect(outcomeLinesOf(run)).toEqual([
      "Busy skip done changed-since",
      "One blocked failed in-use",
      "Quiet delete done",
      "Three skip done changed-since",
      "Two blocked failed in-use",
    ]);
    for (const name of ["Busy", "One", "Three", "Two"]) expect(messageOf(run, name)).toContain("--force");
    expect(await tagsOfThree(bench)).toEqual(["later"]);
    expect(await namesIn(bench, "alerts")).toEqual(["Busy"]);
    const forced = documentOf(await bench.rollback("--force"));
    expect(forced).toMatchObject({ exitCode: 0, counts: { delete: 3, update: 1 } });
    expect(await tagsOfThree(bench)).toEqual(["theirs"]);
    expect(await namesIn(bench, "alerts")).toEqual([]);
  });

  it("somebody's alerts are on it → in-use, three of them named; --force deletes them with it, and says so", async () => {
    await using bench = await importedBench();
    for (const name of ["A1", "A2", "A3", "A4"]) await createAlertOn(bench, name, "Three");
    const plan = await bench.rollback("--dry-run");
    expect(outcomeLinesOf(plan)).toContain("Three blocked planned in-use");
    expect(messageOf(plan, "Three")).toMatch(/the alert "A\d", the alert "A\d", the alert "A\d" and 1 more/);
    expect(messageOf(plan, "Three")).not.toContain("Quiet");
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 3, counts: { delete: 4, blocked: 1 } });
    expect(await namesIn(bench, "alerts")).toEqual(["A1", "A2", "A3", "A4"]);
    expect(await namesIn(bench)).toEqual(["Three"]);
    const dry = await bench.rollback("--force", "--dry-run");
    const alertLines = (status: string): string[] =>
      ["A1", "A2", "A3", "A4"].map((name) => `${name} delete ${status} cascade-loss`);
    expect(outcomeLinesOf(dry)).toEqual([...alertLines("planned"), "Three delete planned"]);
    expect(messageOf(dry, "A1")).toContain('the dashboard "Three" is deleted');
    const text = await runCli(["rollback", "--to", bench.to.stack, "--force", "--dry-run"], {
      cwd: bench.cwd,
      env: bench.env,
    });
    expect(text.stdout).toMatch(/- delete 4 alerts: .*\(cascade-loss\)\n {4}A1, A2, A3, A4\n[^]*5 to delete/);
    const writes = watchWrites(bench);
    const forced = await bench.rollback("--force");
    expect(documentOf(forced)).toMatchObject({ exitCode: 0, counts: { delete: 5 }, warnings: [] });
    expect(outcomeLinesOf(forced)).toEqual([...alertLines("done"), "Three delete done"]);
    expect(writes).toEqual([...Array.from({ length: 4 }, () => "DELETE alerts/{id}"), "DELETE dashboards/{id}"]);
    expect([await namesIn(bench), await namesIn(bench, "alerts")]).toEqual([[], []]);
    expect((await bench.rollback("--force")).exitCode).toBe(0);
  });

  it("somebody's alert is on a tile that a put-back removes → the same, and no rollback tries to restore it", async () => {
    const bare = dashboard(hexId("b", 18), "Three", hexId("b", 1), { tiles: [] });
    await using bench = await importedBench({ ...emptyStack("b"), dashboards: [bare] }, ...update);
    await createAlertOn(bench, "A1", "Three");
    expect(outcomeLinesOf(await bench.rollback("--dry-run"))).toContain("Three blocked planned would-delete-alerts");
    const dry = await bench.rollback("--force", "--dry-run");
    expect(outcomeLinesOf(dry)).toContain("A1 delete planned cascade-loss");
    const forced = await bench.rollback("--force");
    expect(documentOf(forced)).toMatchObject({ exitCode: 0, counts: { delete: 5, update: 1 }, warnings: [] });
    expect(outcomeLinesOf(forced)).toContain("A1 delete done cascade-loss");
    expect(await namesIn(bench, "alerts")).toEqual([]);
    const again = await bench.rollback("--force");
    expect([again.exitCode, outcomesOf(again).filter(({ name }) => name === "A1")]).toEqual([0, []]);
  });

  it("a dashboard that merely links to the deleted one stays, and is warned of", async () => {
    await using bench = await importedBench();
    await createAlertOn(bench, "A1", "One");
    const link = { mode: "id", id: (await listedRecord(bench.to, "dashboards", "Three")).id };
    const config = {
      displayType: "table",
      sourceId: hexId("b", 1),
      select: [{ aggFn: "count", whereLanguage: "lucene" }],
    };
    const onClick = { type: "dashboard", target: link, whereLanguage: "sql" };
    const tile = { name: "T", x: 0, y: 0, w: 6, h: 3, config: { ...config, onClick } };
    await callSandbox(bench.to, "POST", "dashboards", { name: "Theirs", tiles: [tile] });
    const dry = await bench.rollback("--force", "--dry-run");
    const warnings = documentOf(dry)["warnings"];
    expect(warnings).toEqual([{ code: "dead-link", message: expect.stringContaining('"Theirs"') }]);
    expect(outcomeLinesOf(dry).filter((line) => /^(?:A1|Theirs)/.test(line))).toEqual([
      "A1 delete planned cascade-loss",
    ]);
  });

  it("updated, and deleted by somebody since → the text names it", async () => {
    await using bench = await updatedBench();
    await callSandbox(bench.to, "DELETE", `dashboards/${hexId("b", 18)}`);
    const words = ["rollback", "--to", bench.to.stack, "--run", "1", "--yes"];
    const run = await runCli(words, { cwd: bench.cwd, env: bench.env });
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/gone.*"?Three/s) });
  });

  it("found there, and not written → stays as it is", async () => {
    await using bench = await smallBench(withTheirs);
    expect(documentOf(await bench.import())).toMatchObject({ counts: { create: 4 } });
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 4 } });
    expect(await listedRecord(bench.to, "dashboards", "Three")).toMatchObject({ id: theirs["id"], tags: ["theirs"] });
  });
});
