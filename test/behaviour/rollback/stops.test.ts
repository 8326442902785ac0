import { describe, expect, it } from "vitest";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import { outcomeLines, importStage, bodiesSentTo, writesOn, type JsonObject } from "../../support/import-stage.ts";
import {
  failOperation,
  interruptionError,
  loseAlertsOnUpdate,
  lostAnswerError,
  memoryStack,
  namesOn,
  putRecord,
  refusalError,
  unreachableError,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import { addAlertOn } from "../../support/mirror-stage.ts";
import { importOnce, rollBackJournal, planRollbackOf } from "../../support/rollback-runs.ts";
import {
  alert,
  dashboard,
  hexId,
  linkingTable,
  records,
  tileWith,
  webhook,
  targetIds,
  archiveIds,
} from "../../support/stack-records.ts";
import { dependencies, usualTarget, alertedOverview, board } from "../../support/import-samples.ts";

// In these tests, requests of a rollback fail: its writes, or the checks before each write.

const three = records({ dashboards: [16, 17, 18].map((number) => board(number)), ...dependencies.ours });
const watched = alertedOverview("Watching");
const listsOf = ({ requests }: MemoryStack): string[] =>
  requests.map(({ operation }) => operation).filter((operation) => operation.startsWith("list "));

/** Returns a function that makes requests of these operations fail. A rollback calls it between its plan and its writes. */
const failing = (stack: MemoryStack, answers: Readonly<Record<string, () => Error>>) => (): void => {
  stack.requests.length = 0;
  stack.intercept = (operation) => {
    const error = answers[operation];
    if (error) throw error();
  };
};

describe("a rollback in which one record fails", () => {
  it.each(["rejected", "not-found"] as const)("with %s undoes the other records", async (code) => {
    const { stack, entries } = await importOnce(three);
    failOperation(stack, "delete dashboards", () => refusalError(code, "no"), 1);
    const { stopped, outcomes } = await rollBackJournal(stack, entries);
    expect(stopped).toBeUndefined();
    expect(outcomes.map((outcome) => [outcome.status, outcome.code])).toEqual([
      ["failed", code],
      ["done", undefined],
      ["done", undefined],
    ]);
    expect(outcomes[0]?.message).toBe("no");
    expect(namesOn(stack)).toHaveLength(1);
  });

  it("undoes the others where somebody has changed what is to be put back or deleted", async () => {
    const theirs = [16, 17].map((number) =>
      dashboard(hexId("b", number), `Board ${number}`, targetIds.source, { tags: ["theirs"] }),
    );
    const { stack, entries } = await importOnce(three, usualTarget({ dashboards: theirs }), {
      onConflict: "overwrite",
    });
    const between = (): void => {
      for (const name of ["Board 16", "Board 18"]) changeOn(stack, "dashboards", { tags: ["somebody's"] }, name);
    };
    const { outcomes, stopped } = await rollBackJournal(stack, entries, { between });
    expect(stopped).toBeUndefined();
    expect(outcomeLines(outcomes)).toEqual([
      "Board 16 update failed changed-since",
      "Board 17 update done",
      "Board 18 delete failed changed-since",
    ]);
    expect(recordsOn(stack, "dashboards").map(({ tags }) => tags)).toEqual([
      ["somebody's"],
      ["theirs"],
      ["somebody's"],
    ]);
  });

  it.each([
    ["is out of reach ends", unreachableError, "unreachable"],
    ["does not answer reports each record as failed", lostAnswerError, undefined],
  ])("on a stack that %s, and the next one does the rest", async (_, error, code) => {
    const { stack, entries } = await importOnce(three);
    failOperation(stack, "delete dashboards", error);
    const first = await rollBackJournal(stack, entries);
    expect(first.stopped?.code).toBe(code);
    expect(first.exitCode).toBe(3);
    expect(namesOn(stack)).toHaveLength(3);
    stack.intercept = () => {};
    const second = await rollBackJournal(stack, first.entries);
    expect(second.outcomes.map(({ status }) => status)).toEqual(["done", "done", "done"]);
    expect(namesOn(stack)).toEqual([]);
  });
});

describe("a rollback of an alert and its dashboard", () => {
  const alertsDeleted = (stack: MemoryStack) => () => {
    stack.records.get("alerts")?.clear();
    return refusalError("not-found", "it is gone");
  };
  type Answers = (stack: MemoryStack) => Readonly<Record<string, () => Error>>;

  it.each<[string, Answers, ends: string[], stopped: string | undefined, writes: string[]]>([
    [
      "somebody was faster with the alert",
      (stack) => ({ "delete alerts": alertsDeleted(stack) }),
      ["Watching delete failed not-found", "Overview delete done"],
      undefined,
      ["delete alerts", "delete dashboards"],
    ],
    [
      "the alert cannot be read once more",
      () => ({ "get alerts": () => refusalError("unauthorized", "no") }),
      ["Watching delete failed unauthorized", "Overview delete planned not-started"],
      "unauthorized",
      [],
    ],
    [
      "nobody can look who uses the dashboard by now",
      () => ({ "list alerts": () => refusalError("unauthorized", "no") }),
      ["Watching delete done", "Overview delete failed unauthorized"],
      "unauthorized",
      ["delete alerts"],
    ],
    [
      "the stack is out of reach: it is not asked any more, and that is the end that is named",
      () => ({ "delete alerts": unreachableError, "list alerts": () => refusalError("unauthorized", "no") }),
      ["Watching delete failed unreachable", "Overview delete planned not-started"],
      "unreachable",
      ["delete alerts"],
    ],
    [
      "the run is stopped before a delete is sent",
      () => ({ "delete alerts": interruptionError }),
      ["Watching delete planned not-started", "Overview delete planned not-started"],
      "interrupted",
      ["delete alerts"],
    ],
  ])("ends where %s, and the next rollback does the rest", async (_, answers, ends, stopped, writes) => {
    const { stack, entries } = await importOnce(watched);
    const first = await rollBackJournal(stack, entries, { between: failing(stack, answers(stack)) });
    expect(outcomeLines(first.outcomes)).toEqual(ends);
    expect(first.stopped).toEqual(stopped === undefined ? undefined : expect.objectContaining({ code: stopped }));
    expect(writesOn(stack)).toEqual(writes);
    if (stopped === "unreachable") expect(listsOf(stack)).toEqual([]);
    stack.intercept = () => {};
    const { outcomes } = await rollBackJournal(stack, first.entries);
    expect(outcomes.every(({ status }) => status === "done")).toBe(true);
    expect([...namesOn(stack), ...namesOn(stack, "alerts")]).toEqual([]);
  });

  it("throws an error that is no response of the stack", async () => {
    const { stack, entries } = await importOnce(watched);
    const between = failing(stack, { "list alerts": () => new TypeError("a bug") });
    await expect(rollBackJournal(stack, entries, { between })).rejects.toThrow("a bug");
  });

  it("deletes the dashboard though a lagging list still shows the deleted alert", async () => {
    const { stack, entries } = await importOnce(watched);
    const shown = recordsOn(stack, "alerts") as JsonObject[];
    stack.replaceListed = (kind, bodies) => (kind === "alerts" ? shown : bodies);
    expect(outcomeLines((await rollBackJournal(stack, entries)).outcomes)).toEqual([
      "Watching delete done",
      "Overview delete done",
    ]);
  });

  it("does not count an alert as lost that somebody deletes meanwhile", async () => {
    const overview = dashboard(hexId("b", 16), "Overview", targetIds.source, { tags: ["theirs"] });
    const theirs = alert(hexId("b", 40), "Theirs", overview, targetIds.webhook);
    const stack = usualTarget({ dashboards: [overview], alerts: [theirs] });
    const { entries } = await importOnce(watched, stack, { onConflict: "overwrite" });
    const lost = (): Error => {
      stack.records.get("alerts")?.delete(hexId("b", 40));
      return unreachableError();
    };
    const undone = await rollBackJournal(stack, entries, { between: failing(stack, { "delete alerts": lost }) });
    expect(outcomeLines(undone.outcomes)).toEqual([
      "Overview update planned not-started",
      "Watching delete failed unreachable",
    ]);
    const lostAlerts = undone.entries.filter((entry) => entry.type === "done" && entry.targetId === hexId("b", 40));
    expect(lostAlerts).toEqual([]);
  });
});

describe("a rollback leaves a record that is used since the plan:", () => {
  it("a dashboard with a new alert on it is in-use, and only that alert is named", async () => {
    const { stack, entries } = await importOnce(watched);
    const { outcomes } = await rollBackJournal(stack, entries, { between: () => addAlertOn(stack, "Overview") });
    expect(outcomes.find(({ name }) => name === "Overview")).toMatchObject({
      status: "failed",
      code: "in-use",
      message: expect.stringContaining('is used by the alert "Theirs"') as string,
    });
  });

  it("a dashboard is in-use by an alert that is moved there, though that is to be put back itself", async () => {
    const elsewhere = dashboard(hexId("b", 17), "Board 17", targetIds.source);
    const theirs = alert(hexId("b", 40), "Theirs", elsewhere, targetIds.webhook, { threshold: 99 });
    const stack = usualTarget({ dashboards: [elsewhere], alerts: [theirs] });
    const ours = alert(hexId("a", 40), "Theirs", board(17), archiveIds.webhook);
    const both = records({ dashboards: [board(16), board(17)], alerts: [ours], ...dependencies.ours });
    const { entries } = await importOnce(both, stack, { onConflict: "overwrite" });
    const between = (): void => {
      const { dashboardId = null, tileId = null } = alert("", "", recordOn(stack, "dashboards", "Board 16"), "");
      changeOn(stack, "alerts", { dashboardId, tileId });
    };
    const { outcomes } = await rollBackJournal(stack, entries, { between });
    expect(outcomeLines(outcomes)).toEqual(["Theirs update failed changed-since", "Board 16 blocked failed in-use"]);
    expect(namesOn(stack, "alerts")).toEqual(["Theirs"]);
  });

  it("a created dashboard is in-use by an alert that is back under its own id", async () => {
    const theirs = dashboard(hexId("b", 16), "Board 16", targetIds.source, { tags: ["theirs"] });
    const own = alert(hexId("b", 32), "Own", theirs, targetIds.webhook);
    const stack = usualTarget({ dashboards: [theirs], alerts: [own] });
    loseAlertsOnUpdate(stack);
    const both = records({ dashboards: [board(16), board(17)], ...dependencies.ours });
    const stage = importStage(stack);
    await stage.run(both, { onConflict: "overwrite" });
    putRecord(
      stack,
      "alerts",
      alert(hexId("b", 32), "Own", recordOn(stack, "dashboards", "Board 17"), targetIds.webhook),
    );
    expect(outcomeLines(await planRollbackOf(stack, stage.history))).toEqual([
      "Board 16 update",
      "Own skip put-back",
      "Board 17 blocked in-use",
    ]);
  });

  it("webhooks, of which the API reads none alone, are each compared with themselves in the list", async () => {
    const hooks = ["One", "Two", "Three"].map((name, index) => webhook(hexId("a", 20 + index), name, "slack"));
    // A stack that lists connections and saved searches is taken to accept creates of webhooks, too.
    const stack = usualTarget({ webhooks: [], connections: [], "saved-searches": [] });
    const { entries } = await importOnce(records({ webhooks: hooks }), stack, { create: ["webhooks"] });
    const between = (): void => changeOn(stack, "webhooks", { description: "theirs" }, "Two");
    const { outcomes } = await rollBackJournal(stack, entries, { between });
    expect(outcomeLines(outcomes)).toEqual(["One delete done", "Two delete failed changed-since", "Three delete done"]);
    expect(namesOn(stack, "webhooks")).toEqual(["Two"]);
  });
});

describe("a rollback of created dashboards that link to each other", () => {
  const linking = (number: number, to: number): JsonObject =>
    board(number, { tiles: [tileWith(hexId("d", number), "Table", linkingTable(hexId("a", to), archiveIds.source))] });
  const circle = records({ dashboards: [linking(16, 17), linking(17, 16)], ...dependencies.ours });

  it.each([
    ["deletes both", undefined, ["done", "done"]],
    ["deletes one though the other could not be deleted", 1, ["failed", "done"]],
  ])("%s", async (_, refused, ends) => {
    const { stack, entries } = await importOnce(circle);
    failOperation(stack, "delete dashboards", () => refusalError("rejected", "no"), refused ?? 0);
    const { outcomes } = await rollBackJournal(stack, entries);
    expect(outcomes.map(({ status }) => status)).toEqual(ends);
    expect(namesOn(stack)).toHaveLength(refused ?? 0);
    expect(writesOn(stack)).toEqual(["delete dashboards", "delete dashboards"]);
  });
});

describe("the result of a rollback", () => {
  const [checkout, payment] = [board(16, { name: "Checkout" }), board(17, { name: "Payment" })];
  const alerts = [
    alert(hexId("a", 32), "Busy", checkout, archiveIds.webhook),
    alert(hexId("a", 33), null, payment, archiveIds.webhook),
  ];
  const archive = records({ dashboards: [checkout, payment], alerts, ...dependencies.ours });

  it("calls an alert without a name by what it watches, and one with a name by nothing else", async () => {
    const { stack, entries } = await importOnce(archive);
    const { outcomes } = await rollBackJournal(stack, entries);
    expect(new Map(outcomes.map(({ name, displayName }) => [name, displayName]))).toEqual(
      new Map([
        ["", "on Requests (Payment)"],
        ["Busy", undefined],
        ["Checkout", undefined],
        ["Payment", undefined],
      ]),
    );
  });

  it.each([1, 2])(
    "names, with a dashboard that failed, the alert on it that could not be deleted (alert %i)",
    async (refused) => {
      const { stack, entries } = await importOnce(archive);
      failOperation(stack, "delete alerts", () => refusalError("rejected", "no"), refused);
      const failed = (await rollBackJournal(stack, entries)).outcomes.filter(({ status }) => status === "failed");
      expect(failed.map(({ kind, code }) => `${kind} ${code}`)).toEqual(["alerts rejected", "dashboards in-use"]);
      const [name, user] =
        failed[0]?.name === "Busy" ? ["Checkout", 'alert "Busy"'] : ["Payment", String(failed[0]?.targetId)];
      expect(failed[1]).toMatchObject({ name, message: expect.stringContaining(user) });
    },
  );
});

it("a rollback sends what it puts back on a managed stack in the one form that the stack describes", async () => {
  const overview = dashboard(hexId("b", 16), "Overview", targetIds.source);
  const { channels: _, ...theirs } = alert(hexId("b", 32), "Watching", overview, targetIds.webhook, {
    message: "call me",
  });
  const stack = memoryStack({ dashboards: [overview], alerts: [theirs], ...dependencies.theirs }, "managed");
  const { entries } = await importOnce(watched, stack, { onConflict: "overwrite" });
  expect(recordsOn(stack, "alerts")).not.toMatchObject([{ message: "call me" }]);
  expect((await rollBackJournal(stack, entries)).outcomes.map(({ status }) => status)).toContain("done");
  const [sent = {}] = bodiesSentTo(stack, "update alerts");
  expect(sent).toMatchObject({ message: "call me", channel: { webhookId: targetIds.webhook } });
  expect(sent).not.toHaveProperty("channels");
});
