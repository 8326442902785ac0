import { describe, expect, it } from "vitest";
import { hook, newStage, update } from "../../support/import-samples.ts";
import {
  CONSISTENCY_WAIT_MS,
  importInto,
  outcomeOf,
  writesOn,
  type JsonObject,
  type StackRecord,
} from "../../support/import-stage.ts";
import { failOperation, loseAlertsOnUpdate, refusalError } from "../../support/memory-stack.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import { importOnce, rollBackJournal } from "../../support/rollback-runs.ts";
import { alert, archiveIds, hexId, records } from "../../support/stack-records.ts";
import {
  archive,
  atRiskIn,
  elsewhere,
  expectLikeWatching,
  importWithLoss,
  linesOf,
  lossesIn,
  newBoards,
  other,
  overview,
  target,
  theirs,
  watching,
  watchingId,
} from "./watched-board.ts";

const withAlert = (more: JsonObject): StackRecord[] => {
  const alerts = [alert(hexId("a", 32), "Watching", overview, archiveIds.webhook, more)];
  return [...archive, ...records({ alerts, webhooks: [hook] })];
};

describe("an import in which the server takes an alert away with its dashboard's update", () => {
  it("reports an outcome of the lost alert (exit 3), and keeps its body in the journal", async () => {
    const { stage, run } = await importWithLoss(target(), archive);
    expect(linesOf(run, "Overview")).toEqual(["Overview update done"]);
    expect(run.outcomes.filter(({ kind }) => kind === "alerts")).toEqual(lossesIn(run));
    expect(lossesIn(run)).toMatchObject([{ name: "Watching", targetId: watchingId, status: "failed" }]);
    expect(run.exitCode).toBe(3);
    expect(atRiskIn(stage)).toMatchObject([{ key: `alerts/${watchingId}`, name: "Watching", body: watching }]);
    expect(stage.history).toContainEqual(expect.objectContaining({ write: "delete", targetId: watchingId }));
    expect(stage.history.at(-1)).toMatchObject({ type: "end" });
  });

  it("reports the loss as the only outcome of the archive's alert", async () => {
    const { run } = await importWithLoss(target(), withAlert({ message: "call me" }));
    expect(run.outcomes.filter(({ kind }) => kind === "alerts")).toEqual(lossesIn(run));
    expect(lossesIn(run)).toMatchObject([{ sourceId: hexId("a", 32), status: "failed" }]);
  });

  it("names the lost alert though another one of equal content is still there", async () => {
    const { run } = await importWithLoss(
      target({ alerts: [watching, { ...watching, id: hexId("b", 34) }, elsewhere] }),
    );
    expect(lossesIn(run)).toMatchObject([{ targetId: watchingId }]);
    expect(run.exitCode).toBe(3);
  });

  it("has the lost alert created again by a rollback, once, after its dashboard is restored", async () => {
    const { stack, stage } = await importWithLoss();
    const { lines, entries } = await rollBackJournal(stack, stage.history);
    expect(lines).toEqual(["Overview update done", "Watching create done"]);
    expect(recordsOn(stack, "dashboards")).toMatchObject([theirs, other]);
    expectLikeWatching(stack);
    const again = await rollBackJournal(stack, entries);
    expect(again.outcomes.filter(({ action }) => action !== "skip")).toEqual([]);
    expect(recordsOn(stack, "alerts")).toHaveLength(2);
  });

  it("does not have the lost alert created by a rollback without the secret that it held", async () => {
    const secret = { ...watching, message: "token=ghp_0123456789abcdefghijklmnopqrstuvwxyzAB" };
    const { stack, stage } = await importWithLoss(target({ alerts: [secret] }));
    expect(JSON.stringify(stage.history)).not.toContain("ghp_0123456789");
    const { outcomes } = await rollBackJournal(stack, stage.history);
    expect(linesOf({ outcomes }, "Watching")).toEqual(["Watching skip done redacted"]);
  });

  it("has no secret of the alert's name in its journal", async () => {
    const secret = { ...watching, name: "Watching ghp_0123456789abcdefghijklmnopqrstuvwxyzAB" };
    const { run, stage } = await importWithLoss(target({ alerts: [secret] }));
    expect(run.outcomes.map(({ code }) => code)).toContain("cascade-loss");
    expect(JSON.stringify([stage.history, run.outcomes])).not.toContain("ghp_0123456789");
  });

  it("names the lost alert though the run fails half way", async () => {
    const stack = target();
    failOperation(stack, "create dashboards", () => refusalError("unauthorized", "no"));
    const { run } = await importWithLoss(stack, [...archive, ...newBoards], { concurrency: 1 });
    expect(run.stopped).toBeDefined();
    expect(outcomeOf(run, "Watching")).toMatchObject({ code: "cascade-loss" });
  });

  it("reports the error that ended it first where the list of alerts cannot be read", async () => {
    const stack = target();
    stack.intercept = (operation) => {
      if (operation === "create dashboards") throw refusalError("unauthorized", "no");
      if (operation === "list alerts" && writesOn(stack).length > 0) throw refusalError("rejected", "no list");
    };
    const run = await importInto(stack, [...archive, ...newBoards], { ...update, concurrency: 1 });
    expect(run.stopped).toMatchObject({ code: "unauthorized" });
  });
});

describe("an alert that a rollback's update deletes", () => {
  it.each([
    ["of the last run", {}],
    ["of a chosen run", { run: 1 }],
  ])("is named, and created again by the next rollback %s", async (_which, chosen) => {
    const stack = target();
    const { entries } = await importOnce(archive, stack, update);
    loseAlertsOnUpdate(stack, watchingId);
    const first = await rollBackJournal(stack, entries, chosen);
    expect(outcomeOf(first, "Watching")).toMatchObject({ status: "failed", code: "cascade-loss" });
    const second = await rollBackJournal(stack, first.entries, chosen);
    expect(linesOf(second, "Watching")).toEqual(["Watching create done"]);
    expectLikeWatching(stack);
  });

  it("is named if the rollback also restores the alert", async () => {
    const stack = target();
    const { entries } = await importOnce(withAlert({}), stack, update);
    const written = new Set<string>();
    stack.interceptAfter = (operation) => {
      written.add(operation);
      const isLast = written.has("update alerts") && written.has("update dashboards");
      if (isLast) stack.records.get("alerts")?.delete(watchingId);
    };
    expect((await rollBackJournal(stack, entries)).lines).toEqual([
      "Overview update done",
      "Watching skip failed cascade-loss",
    ]);
  });

  it("is not named if the rollback leaves the alert's dashboard alone", async () => {
    const stack = target();
    const { entries } = await importOnce(archive, stack, update);
    changeOn(stack, "dashboards", { tags: ["changed since"] }, "Overview");
    const between = (): void => void stack.records.get("alerts")?.delete(watchingId);
    expect((await rollBackJournal(stack, entries, { between })).lines).toEqual(["Overview skip done changed-since"]);
  });

  it.each([true, false])("is on the tile's new id once it is created again (answered: %s)", async (answered) => {
    const { stack, stage } = await importWithLoss();
    stack.replaceStored = (operation, { tiles, ...body }) => ({
      ...body,
      ...(operation === "update dashboards" && {
        tiles: (tiles as JsonObject[]).map((tile) => ({ ...tile, id: hexId("e", 1) })),
      }),
    });
    const write = stack.client.update.bind(stack.client);
    stack.client.update = async (...args) => {
      const { id, ...rest } = await write(...args);
      return { ...(answered && { id: id ?? null }), ...rest };
    };
    expect((await rollBackJournal(stack, stage.history)).lines).toEqual([
      "Overview update done",
      "Watching create done",
    ]);
    expect(recordOn(stack, "alerts", "Watching")).toMatchObject({
      dashboardId: hexId("b", 16),
      tileId: hexId("e", 1),
    });
  });
});

describe("the report of a lost alert", () => {
  it("leaves out an alert on a dashboard whose update was never begun", async () => {
    const stack = target();
    stack.intercept = (operation) => {
      if (operation !== "create dashboards") return;
      stack.records.get("alerts")?.delete(watchingId);
      throw refusalError("unauthorized", "no");
    };
    const all = [...newBoards, ...archive];
    const run = await importInto(stack, all, { ...update, concurrency: 1 });
    expect(outcomeOf(run, "Overview")).toMatchObject({ status: "planned", code: "not-started" });
    expect(outcomeOf(run, "Watching")).toBeUndefined();
  });

  it("leaves out an alert on a dashboard that the run did not touch", async () => {
    const stack = target();
    loseAlertsOnUpdate(stack, hexId("b", 33));
    const run = await importInto(stack, archive, update);
    expect(run.exitCode).toBe(0);
  });

  it.each([
    ["lags", CONSISTENCY_WAIT_MS - 1, undefined],
    ["lags for longer than the consistency wait", CONSISTENCY_WAIT_MS + 1, "cascade-loss"],
  ])("waits until the consistency wait is over, where the list %s", async (_, ms, code) => {
    const { stack, stage } = newStage(target());
    stack.interceptAfter = () => {
      const until = stage.clock.now() + ms;
      stack.replaceListed = (kind, bodies) => (kind === "alerts" && stage.clock.now() < until ? [] : bodies);
    };
    const run = await stage.run(archive, { ...update });
    expect(outcomeOf(run, "Watching")?.code).toBe(code);
  });
});
