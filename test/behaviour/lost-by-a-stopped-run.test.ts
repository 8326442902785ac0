import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import type { CliRun, RunCliOptions } from "../support/run-cli.ts";
import { documentOf } from "../support/run-cli.ts";
import { callSandbox, emptyStack, outcomesOf, smallBench } from "../support/small-bench.ts";
import { alert, dashboard, hexId } from "../support/stack-records.ts";

const three = dashboard(hexId("b", 18), "Three", hexId("b", 1), { tags: ["theirs"] });
const theirs = alert(hexId("b", 40), "Theirs", three, hexId("b", 2));

it("what a stopped run has lost and could not look for is looked for by the next, which has nothing to write", async () => {
  await using bench = await smallBench({ ...emptyStack("b"), dashboards: [three], alerts: [theirs] });
  const update = ["import", "a.zip", "--to", bench.to.stack, "--only", "Three", "--on-conflict", "update"];
  const run = (options?: RunCliOptions): Promise<CliRun> =>
    bench.run([...update, "--journal", "j", "--consistency-wait", "1ms"], options);
  const signals = new EventEmitter();
  let isStopped = false;
  bench.watch = async ({ route }, proceed) => {
    if (isStopped && route === "GET alerts") return new Response('{"message":"no"}', { status: 401 });
    const answer = await proceed();
    if (route === "PUT dashboards/{id}") {
      await callSandbox(bench.to, "DELETE", `alerts/${hexId("b", 40)}`);
      isStopped = true;
      signals.emit("signal", "SIGINT");
    }
    return answer;
  };
  const stopped = await run({ signals });
  expect(stopped.exitCode, stopped.stdout).toBe(130);
  // The journal's place is told in a sentence of its own.
  expect(documentOf(stopped)["error"]).toMatchObject({ hint: expect.stringMatching(/\w\. \w.*\bj\b/) });
  expect(outcomesOf(stopped)).toContainEqual(expect.objectContaining({ name: "Theirs", code: "not-checked" }));
  bench.watch = (_, proceed) => proceed();
  const next = await run();
  expect(documentOf(next)).toMatchObject({ exitCode: 3, counts: { unchanged: 1, failed: 1 } });
  expect(outcomesOf(next)).toContainEqual(
    expect.objectContaining({ name: "Theirs", status: "failed", code: "cascade-loss" }),
  );
  expect((await run()).exitCode).toBe(0);
});
