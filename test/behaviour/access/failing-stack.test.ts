import { describe, expect, it } from "vitest";
import { runCli, type CliRun } from "../../support/run-cli.ts";
import {
  programAfterImport,
  outcomesOf,
  passThrough,
  refuseRoute,
  programWithArchive,
} from "../../support/program-with-archive.ts";

// A run in which nothing but failures of the stack stopped records ends with 6: repeating it helps. Refusals of the stack end it
// with 3: repeating does not help.

const alertsOf = (run: CliRun) => outcomesOf(run).filter(({ kind }) => kind === "alerts");

describe("a run in which the stack kept failing for some records", () => {
  it("ends with 6 and says that repeating helps, and its repetition completes it", async () => {
    await using program = await programWithArchive();
    refuseRoute(program, "POST alerts", 503);
    const run = await program.import();
    expect(run.exitCode).toBe(6);
    const failed = { status: "failed", code: "unavailable" };
    expect(alertsOf(run)).toMatchObject([failed, failed]);
    const { cwd, env, to } = program;
    const text = await runCli(["import", "a.zip", "--to", to.stack, "--yes"], { cwd, env });
    expect([text.exitCode, text.stdout]).toEqual([6, expect.stringContaining("run the same command again")]);
    program.watch = passThrough;
    expect((await program.import()).exitCode).toBe(0);
  });

  it("ends with 6 if other records only needed these", async () => {
    await using program = await programWithArchive();
    refuseRoute(program, "POST dashboards", 503);
    const run = await program.import();
    expect(run.exitCode).toBe(6);
    expect(alertsOf(run)).toMatchObject([{ code: "dependency-failed" }, { code: "dependency-failed" }]);
  });

  it("ends with 3 if the stack also refused a record, and if it refused all", async () => {
    await using program = await programWithArchive();
    program.watch = (request, proceed) => {
      if (request.route !== "POST alerts") return proceed();
      return Response.json({ message: "no" }, { status: request.routeCount === 1 ? 400 : 503 });
    };
    expect((await program.import()).exitCode).toBe(3);
    refuseRoute(program, "POST alerts", 400);
    expect((await program.import()).exitCode).toBe(3);
  });

  it("ends with 6 if it is a rollback", async () => {
    await using program = await programAfterImport();
    // The client repeats a delete for minutes after a 503, and never after a 501.
    refuseRoute(program, "DELETE dashboards/{id}", 501);
    expect((await program.rollback()).exitCode).toBe(6);
    program.watch = passThrough;
    expect((await program.rollback()).exitCode).toBe(0);
  });
});
