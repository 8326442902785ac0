import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { update } from "../../support/import-samples.ts";
import { importStage, outcomeLines, outcomeOf, writesOn } from "../../support/import-stage.ts";
import {
  interruptionError,
  loseAlertsOnUpdate,
  putRecord,
  refusalError,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { emptySeed, outcomesOf, passThrough, programWithArchive } from "../../support/program-with-archive.ts";
import { callSandbox } from "../../support/read-sandbox.ts";
import { rollBackJournal } from "../../support/rollback-runs.ts";
import { documentOf, type CliRun, type RunCliOptions } from "../../support/run-cli.ts";
import { alert, dashboard, hexId, targetIds } from "../../support/stack-records.ts";
import {
  archive,
  atRiskIn,
  expectLikeWatching,
  importWithLoss,
  newBoards,
  target,
  watching,
  watchingId,
} from "./watched-board.ts";

describe("a run that its user stops after the update that took an alert away", () => {
  const several = [...archive, ...newBoards];
  /** Returns a signal that stops the run as soon as the dashboard is updated. */
  function stopAfterUpdate(stack: MemoryStack): AbortSignal {
    const controller = new AbortController();
    const before = stack.interceptAfter;
    stack.interceptAfter = (operation) => {
      before(operation);
      if (operation === "update dashboards") controller.abort(interruptionError());
    };
    return controller.signal;
  }
  /**
   * Stops a run after its update. Afterwards the server deletes no more alerts.
   * @param isLost whether the server deletes an alert during the update
   * @param isBlind whether alerts cannot be listed after the stop
   */
  async function stoppedRun(isLost: boolean, isBlind = false) {
    const stack = target();
    if (isLost) loseAlertsOnUpdate(stack, watchingId);
    const stage = importStage(stack);
    const signal = stopAfterUpdate(stack);
    stack.intercept = (operation) => {
      if (isBlind && operation === "list alerts" && signal.aborted) throw refusalError("unauthorized", "no");
    };
    const run = await stage.run(several, { ...update, concurrency: 1, signal });
    expect(run.stopped).toMatchObject({ code: "interrupted" });
    stack.intercept = () => {};
    stack.interceptAfter = () => {};
    return { stack, stage, run };
  }

  it("does not name an alert that is still there, nor does the next run, and the one after it does not look again", async () => {
    const { stack, stage, run } = await stoppedRun(false);
    expect(outcomeOf(run, "Watching")).toBeUndefined();
    expect(outcomeOf(await stage.run(several, update), "Watching")).toBeUndefined();
    stack.records.get("alerts")?.delete(watchingId);
    expect(outcomeOf(await stage.run(several, update), "Watching")).toBeUndefined();
    const { outcomes } = await rollBackJournal(stack, stage.history, { run: 1 });
    expect(outcomes.map(({ name }) => name)).not.toContain("Watching");
  });

  it("has the alert's body in the journal, from which a rollback right after the stop creates it again", async () => {
    const { stack, stage, run } = await stoppedRun(true);
    expect(outcomeOf(run, "New 22")).toMatchObject({ code: "not-started" });
    expect(atRiskIn(stage)).toMatchObject([{ body: watching }]);
    const { outcomes } = await rollBackJournal(stack, stage.history);
    expect(outcomeLines(outcomes)).toEqual(expect.arrayContaining(["Overview update done", "Watching create done"]));
    expectLikeWatching(stack);
  });

  it("leaves the search for the alert to the next run, which searches only once", async () => {
    const { stage } = await stoppedRun(true);
    const next = await stage.run(several, update);
    expect(outcomeOf(next, "Watching")).toMatchObject({ status: "failed", code: "cascade-loss" });
    const last = await stage.run(several, update);
    expect([next.exitCode, outcomeOf(last, "Watching"), last.exitCode]).toEqual([3, undefined, 0]);
  });

  it("ignores a journal entry of a kind that this version does not support", async () => {
    const stage = importStage(target());
    const at = "2026-01-01T00:00:00.000Z";
    const dependents = [{ key: "widgets/a", name: "Widget", body: { id: "a" }, digest: "aa" }] as const;
    const write = { at, key: "widgets/b", write: "update", targetId: "b" } as const;
    stage.history.push({ type: "begin", at, run: 1 }, { ...write, type: "intent", name: "Other", dependents });
    const run = await stage.run(archive, update);
    expect([outcomeOf(run, "Widget"), run.exitCode]).toEqual([undefined, 0]);
  });

  it.each([watchingId, hexId("b", 60)])(
    "lets the next run find the alert under its old or a new id: %s",
    async (id) => {
      const { stack, stage } = await stoppedRun(true, true);
      putRecord(stack, "alerts", { ...watching, id });
      const next = await stage.run(several, update);
      expect([outcomeOf(next, "Watching"), next.exitCode]).toEqual([undefined, 0]);
    },
  );

  it("does not make a rollback name the alert if it is still on the stack", async () => {
    const { stack, stage } = await stoppedRun(false, true);
    const { outcomes } = await rollBackJournal(stack, stage.history);
    expect(outcomes.map(({ name }) => name)).not.toContain("Watching");
    expect(recordsOn(stack, "alerts")).toHaveLength(2);
  });

  it("leaves the search to the next run if the stop comes during the search", async () => {
    const stack = target();
    const controller = new AbortController();
    stack.intercept = (operation) => {
      if (operation !== "list alerts" || writesOn(stack).length === 0 || controller.signal.aborted) return;
      controller.abort(interruptionError());
      throw interruptionError();
    };
    const { run, stage } = await importWithLoss(stack, archive, { signal: controller.signal });
    expect(run.stopped).toMatchObject({ code: "interrupted" });
    expect(outcomeOf(await stage.run(archive, update), "Watching")).toMatchObject({ code: "cascade-loss" });
  });
});

const three = dashboard(hexId("b", 18), "Three", targetIds.source, { tags: ["theirs"] });
const theirs = alert(hexId("b", 40), "Theirs", three, targetIds.webhook);

it("what a stopped run has lost and could not look for is looked for by the next, which has nothing to write", async () => {
  await using program = await programWithArchive({ ...emptySeed("b"), dashboards: [three], alerts: [theirs] });
  const update = ["import", "a.zip", "--to", program.to.stack, "--include", "Three", "--kinds", "dashboards"];
  const run = (options?: RunCliOptions): Promise<CliRun> =>
    program.run([...update, "--on-conflict", "overwrite"], options);
  const signals = new EventEmitter();
  let isStopped = false;
  program.watch = async ({ route }, proceed) => {
    if (isStopped && route === "GET alerts") return new Response('{"message":"no"}', { status: 401 });
    const answer = await proceed();
    if (route === "PUT dashboards/{id}") {
      await callSandbox(program.to, "DELETE", `alerts/${hexId("b", 40)}`);
      isStopped = true;
      signals.emit("signal", "SIGINT");
    }
    return answer;
  };
  const stopped = await run({ signals });
  expect(stopped.exitCode, stopped.stdout).toBe(130);
  // A sentence of its own in the hint names the journal.
  expect(documentOf(stopped)["error"]).toMatchObject({ hint: expect.stringMatching(/\w\. \w.*\.journal\b/) });
  program.watch = passThrough;
  const next = await run();
  expect(documentOf(next)).toMatchObject({ exitCode: 3, counts: { unchanged: 1, failed: 1 } });
  expect(outcomesOf(next)).toContainEqual(
    expect.objectContaining({ name: "Theirs", status: "failed", code: "cascade-loss" }),
  );
  expect((await run()).exitCode).toBe(0);
});
