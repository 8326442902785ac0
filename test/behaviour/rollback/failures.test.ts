import { describe, expect, it } from "vitest";
import { alertedOverview, board, dependencies, update, usualTarget } from "../../support/import-samples.ts";
import { writesOn, type JsonObject } from "../../support/import-stage.ts";
import {
  failOperation,
  interruptionError,
  lostAnswerError,
  namesOn,
  refusalError,
  unreachableError,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { importOnce, rollBackJournal } from "../../support/rollback-runs.ts";
import { alert, dashboard, hexId, records, targetIds } from "../../support/stack-records.ts";

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

  it("reads back what it has restored: a record that no list shows has failed", async () => {
    const overview = dashboard(hexId("b", 16), "Overview", targetIds.source, { tags: ["theirs"] });
    const { stack, entries } = await importOnce(watched, usualTarget({ dashboards: [overview] }), update);
    const between = (): void => void (stack.replaceListed = (kind, bodies) => (kind === "dashboards" ? [] : bodies));
    const { lines, exitCode } = await rollBackJournal(stack, entries, { between });
    expect(lines).toContain("Overview update failed not-stored");
    expect(exitCode).toBe(3);
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
    expect(first.lines).toEqual(ends);
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
    expect((await rollBackJournal(stack, entries)).lines).toEqual(["Watching delete done", "Overview delete done"]);
  });

  it("does not count an alert as lost that somebody deletes meanwhile", async () => {
    const overview = dashboard(hexId("b", 16), "Overview", targetIds.source, { tags: ["theirs"] });
    const theirs = alert(hexId("b", 40), "Theirs", overview, targetIds.webhook);
    const stack = usualTarget({ dashboards: [overview], alerts: [theirs] });
    const { entries } = await importOnce(watched, stack, update);
    const lost = (): Error => {
      stack.records.get("alerts")?.delete(hexId("b", 40));
      return unreachableError();
    };
    const undone = await rollBackJournal(stack, entries, { between: failing(stack, { "delete alerts": lost }) });
    expect(undone.lines).toEqual(["Overview update planned not-started", "Watching delete failed unreachable"]);
    const lostAlerts = undone.entries.filter((entry) => entry.type === "done" && entry.targetId === hexId("b", 40));
    expect(lostAlerts).toEqual([]);
  });
});
