import { describe, expect, it } from "vitest";
import type { JournalEntry, JsonObject } from "../support/import-stage.ts";
import { importStage, storedRecords, writesOn } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack, refuse, unreachable } from "../support/memory-stack.ts";
import { undo, undoPlan } from "../support/resume-into.ts";
import { alert, dashboard, hexId, records } from "../support/stack-records.ts";
import { logs, theirLogs, usualTarget, watchedOverview } from "../support/usual-stacks.ts";

const archive = watchedOverview("Watching");

/** A stack onto which all of it was imported, its requests forgotten. */
async function imported(all = archive): Promise<{ stack: MemoryStack; entries: readonly JournalEntry[] }> {
  const stack = usualTarget();
  const stage = importStage(stack);
  expect((await stage.run(all)).exitCode).toBe(0);
  stack.requests.length = 0;
  return { stack, entries: stage.history };
}

/** From here on the alerts cannot be listed; the plan has been made. */
const hideAlerts = (stack: MemoryStack) => (): void => {
  stack.requests.length = 0;
  stack.intercept = (operation) => {
    if (operation === "list alerts") throw refuse("unauthorized", "no");
  };
};
const listsOf = ({ requests }: MemoryStack): string[] =>
  requests.map(({ operation }) => operation).filter((operation) => operation.startsWith("list "));

describe("a rollback that cannot look who uses its dashboards by now", () => {
  it("deletes none of them, ends, and is gone on with", async () => {
    const { stack, entries } = await imported();
    const first = await undo(stack, entries, { between: hideAlerts(stack) });
    expect(first.stopped).toMatchObject({ code: "unauthorized" });
    expect(first.outcomes.map(({ name, status, code }) => [name, status, code])).toEqual([
      ["Watching", "done", undefined],
      ["Overview", "planned", "not-started"],
    ]);
    expect(storedRecords(stack, "dashboards")).toHaveLength(1);
    stack.intercept = () => {};
    const second = await undo(stack, first.entries);
    expect(second.outcomes.map(({ name, status }) => [name, status])).toEqual([["Overview", "done"]]);
  });

  it("needs not look under --force", async () => {
    const { stack, entries } = await imported();
    const { outcomes, stopped } = await undo(stack, entries, { force: true, between: hideAlerts(stack) });
    expect(stopped).toBeUndefined();
    expect(outcomes.map(({ status }) => status)).toEqual(["done", "done"]);
    expect(listsOf(stack)).toEqual([]);
  });

  it("does not look any more once the stack is out of reach, and names that as its end", async () => {
    const { stack, entries } = await imported();
    const between = (): void => {
      stack.requests.length = 0;
      stack.intercept = (operation) => {
        if (operation === "delete alerts") throw unreachable();
        if (operation === "list alerts") throw refuse("unauthorized", "no");
      };
    };
    const { outcomes, stopped } = await undo(stack, entries, { between });
    expect(stopped).toMatchObject({ code: "unreachable" });
    expect(outcomes.map(({ status }) => status)).toEqual(["failed", "planned"]);
    expect(listsOf(stack)).toEqual([]);
  });

  it("is not hidden by it that something else is wrong with the program", async () => {
    const { stack, entries } = await imported();
    const between = (): void => {
      stack.intercept = (operation) => {
        if (operation === "list alerts") throw new TypeError("a bug");
      };
    };
    await expect(undo(stack, entries, { between })).rejects.toThrow("a bug");
  });
});

describe("dashboards that link to each other", () => {
  const linking = (number: number, name: string, to: number): JsonObject => {
    const onClick = { type: "dashboard", target: { mode: "id", id: hexId("a", to) } };
    const config = { displayType: "table", sourceId: hexId("a", 1), onClick };
    return dashboard(hexId("a", number), name, "", { tiles: [{ id: hexId("d", number), name: "Table", config }] });
  };
  const circle = records({ dashboards: [linking(16, "One", 17), linking(17, "Two", 16)], sources: [logs] });

  it("do not wait for each other when both are deleted", async () => {
    const { stack, entries } = await imported(circle);
    const { outcomes } = await undo(stack, entries);
    expect(outcomes.map(({ status }) => status)).toEqual(["done", "done"]);
    expect(storedRecords(stack, "dashboards")).toEqual([]);
  });

  it("are deleted though the other one could not be", async () => {
    const { stack, entries } = await imported(circle);
    let refused = 0;
    const between = (): void => {
      stack.intercept = (operation) => {
        if (operation !== "delete dashboards") return;
        refused += 1;
        if (refused === 1) throw refuse("rejected", "no");
      };
    };
    const { outcomes } = await undo(stack, entries, { between });
    expect(outcomes.map(({ status, code }) => [status, code])).toEqual([
      ["failed", "rejected"],
      ["done", undefined],
    ]);
    expect(writesOn(stack)).toEqual(["delete dashboards", "delete dashboards"]);
  });
});

describe("what a rollback did not come to", () => {
  it("has taken nothing away: an alert that somebody deletes meanwhile is not counted as lost", async () => {
    const overview = dashboard(hexId("b", 16), "Overview", hexId("b", 1), { tags: ["theirs"] });
    const theirs = alert(hexId("b", 40), "Theirs", overview, hexId("b", 2));
    const stack = usualTarget({ dashboards: [overview], alerts: [theirs] });
    const stage = importStage(stack);
    expect((await stage.run(archive, { onConflict: "update" })).exitCode).toBe(0);
    const between = (): void => {
      stack.intercept = (operation) => {
        if (operation !== "delete alerts") return;
        stack.records.get("alerts")?.delete(hexId("b", 40));
        throw unreachable();
      };
    };
    const { outcomes, entries } = await undo(stack, stage.history, { between });
    expect(outcomes.map(({ name, status }) => [name, status])).toEqual([
      ["Watching", "failed"],
      ["Overview", "planned"],
    ]);
    expect(entries.filter(({ type }) => type === "cascade-loss" || type === "at-risk")).toEqual([]);
  });
});

describe("a dashboard with filters", () => {
  it("is put back with them", async () => {
    const filter = { id: hexId("e", 1), name: "Service", type: "QUERY_EXPRESSION", sourceId: hexId("b", 1) };
    const overview = dashboard(hexId("b", 16), "Overview", hexId("b", 1), { tags: ["theirs"], filters: [filter] });
    const stack = memoryStack({
      dashboards: [overview],
      alerts: [],
      sources: [theirLogs],
      webhooks: [],
    });
    const stage = importStage(stack);
    const ours = dashboard(hexId("a", 16), "Overview", hexId("a", 1), {
      filters: [{ ...filter, id: hexId("e", 2), sourceId: hexId("a", 1) }],
    });
    const sources = [logs];
    expect((await stage.run(records({ dashboards: [ours], sources }), { onConflict: "update" })).exitCode).toBe(0);
    const { outcomes } = await undo(stack, stage.history);
    expect(outcomes.map(({ action, status }) => [action, status])).toEqual([["update", "done"]]);
    expect(storedRecords(stack, "dashboards")).toMatchObject([
      { tags: ["theirs"], filters: [{ sourceId: hexId("b", 1) }] },
    ]);
  });
});

it("a create of a kind that this version does not know is passed by", async () => {
  const { stack, entries } = await imported();
  const at = "2026-01-01T00:00:00.000Z";
  const begun = { type: "intent", at, key: "widgets/a", name: "Widget", write: "create", content: "aa" } as const;
  const done = { type: "done", at, key: "widgets/a", write: "create", targetId: "b", content: "aa" } as const;
  expect((await undoPlan(stack, [...entries, begun, done])).map(({ kind }) => kind)).toEqual(["alerts", "dashboards"]);
  const { outcomes } = await undo(stack, [...entries, begun]);
  expect(outcomes.map(({ status }) => status)).toEqual(["done", "done"]);
});
