import { describe, expect, it } from "vitest";
import { runCli } from "../support/run-cli.ts";
import { importedBench, outcomesOf, passThrough, refuseRoute, smallBench } from "../support/small-bench.ts";

// A run in which nothing but failures of the stack stopped records ends with 6: repeating it helps. Refusals of the stack end it
// with 3: repeating does not help.

const alertsOf = (run: Parameters<typeof outcomesOf>[0]) => outcomesOf(run).filter(({ kind }) => kind === "alerts");

describe("a run in which the stack kept failing for some records", () => {
  it("ends with 6 and says that repeating helps, and its repetition completes it", async () => {
    await using bench = await smallBench();
    refuseRoute(bench, "POST alerts", 503);
    const run = await bench.import();
    expect(run.exitCode).toBe(6);
    expect(alertsOf(run)).toMatchObject([
      { status: "failed", code: "unavailable" },
      { status: "failed", code: "unavailable" },
    ]);
    const { cwd, env, to } = bench;
    const text = await runCli(["import", "a.zip", "--to", to.stack, "--yes"], { cwd, env });
    expect([text.exitCode, text.stdout]).toEqual([6, expect.stringContaining("run the same command again")]);
    bench.watch = passThrough;
    expect((await bench.import()).exitCode).toBe(0);
  });

  it("ends with 6 if other records only needed these", async () => {
    await using bench = await smallBench();
    refuseRoute(bench, "POST dashboards", 503);
    const run = await bench.import();
    expect(run.exitCode).toBe(6);
    expect(alertsOf(run)).toMatchObject([{ code: "dependency-failed" }, { code: "dependency-failed" }]);
  });

  it("ends with 3 if the stack also refused a record, and if it refused all", async () => {
    await using bench = await smallBench();
    bench.watch = (request, proceed) => {
      if (request.route !== "POST alerts") return proceed();
      return Response.json({ message: "no" }, { status: request.routeCount === 1 ? 400 : 503 });
    };
    expect((await bench.import()).exitCode).toBe(3);
    refuseRoute(bench, "POST alerts", 400);
    expect((await bench.import()).exitCode).toBe(3);
  });

  it("ends with 6 if it is a rollback", async () => {
    await using bench = await importedBench();
    // The client repeats a delete for minutes after a 503, and never after a 501.
    refuseRoute(bench, "DELETE dashboards/{id}", 501);
    expect((await bench.rollback()).exitCode).toBe(6);
    bench.watch = passThrough;
    expect((await bench.rollback()).exitCode).toBe(0);
  });
});
