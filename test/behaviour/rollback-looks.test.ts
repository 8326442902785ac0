import { describe, expect, it } from "vitest";
import type { JournalEntry, JsonObject, StackRecord } from "../support/import-stage.ts";
import { importStage, sentTo, storedRecords, writesOn } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack, refuse } from "../support/memory-stack.ts";
import { undo, undoPlan } from "../support/resume-into.ts";
import { alert, dashboard, hexId, records, webhook } from "../support/stack-records.ts";
import { needs, usualTarget } from "../support/usual-stacks.ts";

// What a rollback looks at once more before it deletes or puts back, and what it makes of that.

const overview = dashboard(hexId("a", 16), "Overview", hexId("a", 1));
const watching = alert(hexId("a", 32), "Watching", overview, hexId("a", 2));
const others = {
  ...needs.ours,
};
const archive = records({ dashboards: [overview], alerts: [watching], ...others });
const namesOn = (stack: MemoryStack, kind: string): unknown[] => storedRecords(stack, kind).map(({ name }) => name);

async function imported(
  stack = usualTarget(),
  all: readonly StackRecord[] = archive,
  options = {},
): Promise<{ stack: MemoryStack; entries: readonly JournalEntry[] }> {
  const stage = importStage(stack);
  const run = await stage.run(all, options);
  expect(run.outcomes.filter(({ status }) => status === "failed")).toEqual([]);
  stack.requests.length = 0;
  return { stack, entries: stage.history };
}

describe("an alert that is deleted before its dashboard", () => {
  it("is no reason to keep that where somebody was faster", async () => {
    const { stack, entries } = await imported();
    stack.intercept = (operation) => {
      if (operation !== "delete alerts") return;
      stack.records.get("alerts")?.clear();
      throw refuse("not-found", "it is gone");
    };
    const { outcomes } = await undo(stack, entries);
    expect(outcomes.map(({ name, status, code }) => [name, status, code])).toEqual([
      ["Watching", "failed", "not-found"],
      ["Overview", "done", undefined],
    ]);
  });

  it("is no reason to keep that where the list still shows it", async () => {
    const { stack, entries } = await imported();
    const shown = [...storedRecords(stack, "alerts")] as JsonObject[];
    stack.show = (kind, bodies) => (kind === "alerts" ? shown : bodies);
    const { outcomes } = await undo(stack, entries);
    expect(outcomes.map(({ name, status }) => [name, status])).toEqual([
      ["Watching", "done"],
      ["Overview", "done"],
    ]);
  });
});

it("what has come to use a dashboard since the plan is named, and nothing else", async () => {
  const { stack, entries } = await imported();
  const between = (): void => {
    const [there = {}] = storedRecords(stack, "dashboards");
    const late = alert(hexId("b", 40), "Late", there as JsonObject, hexId("b", 2));
    stack.records.get("alerts")?.set(hexId("b", 40), late);
  };
  const { outcomes } = await undo(stack, entries, { between });
  expect(outcomes.find(({ name }) => name === "Overview")).toMatchObject({
    status: "failed",
    code: "in-use",
    message: 'the alert "Late" stays and points to it',
  });
});

it("an alert that somebody has moved onto a dashboard since the plan keeps it, though it is to be put back itself", async () => {
  const elsewhere = dashboard(hexId("b", 17), "Elsewhere", hexId("b", 1));
  const theirs = alert(hexId("b", 40), "Theirs", elsewhere, hexId("b", 2), { threshold: 99 });
  const stack = usualTarget({ dashboards: [elsewhere], alerts: [theirs] });
  const there = dashboard(hexId("a", 17), "Elsewhere", hexId("a", 1));
  const ours = alert(hexId("a", 40), "Theirs", there, hexId("a", 2));
  const { entries } = await imported(stack, records({ dashboards: [overview, there], alerts: [ours], ...others }), {
    onConflict: "update",
  });
  const between = (): void => {
    const made = storedRecords(stack, "dashboards").find(({ name }) => name === "Overview") as JsonObject;
    const now = stack.records.get("alerts")?.get(hexId("b", 40)) ?? {};
    const { dashboardId = null, tileId = null } = alert("", "", made, "");
    stack.records.get("alerts")?.set(hexId("b", 40), { ...now, dashboardId, tileId });
  };
  const { outcomes } = await undo(stack, entries, { between });
  expect(outcomes.map(({ name, code }) => [name, code])).toEqual([
    ["Theirs", "changed-since"],
    ["Overview", "in-use"],
  ]);
  expect(namesOn(stack, "alerts")).toEqual(["Theirs"]);
});

describe("a record that cannot be read once more", () => {
  it("is not deleted", async () => {
    const { stack, entries } = await imported();
    const between = (): void => {
      stack.intercept = (operation) => {
        if (operation === "get alerts") throw refuse("unauthorized", "no");
      };
    };
    const { outcomes, stopped } = await undo(stack, entries, { between });
    expect(stopped).toMatchObject({ code: "unauthorized" });
    expect(outcomes.map(({ name, status }) => [name, status])).toEqual([
      ["Watching", "failed"],
      ["Overview", "planned"],
    ]);
    expect(writesOn(stack)).toEqual([]);
  });
});

describe("webhooks, of which the API reads none alone", () => {
  const hooks = ["One", "Two", "Three"].map((name, index) => ({
    ...webhook(hexId("a", 20 + index), name),
    service: "slack",
  }));
  const archived = records({ webhooks: hooks });
  // A stack of this age lets webhooks be made.
  const lists = { webhooks: [], connections: [], "saved-searches": [] };

  it("are each compared with themselves in the list, and only the one that was changed is left alone", async () => {
    const { stack, entries } = await imported(usualTarget(lists), archived, { create: ["webhooks"] });
    const between = (): void => {
      const [id, body] = [...(stack.records.get("webhooks") ?? [])].find(([, { name }]) => name === "Two") ?? ["", {}];
      stack.records.get("webhooks")?.set(id, { ...body, description: "theirs" });
    };
    const { outcomes } = await undo(stack, entries, { between });
    expect(outcomes.map(({ name, status, code }) => [name, status, code])).toEqual([
      ["One", "done", undefined],
      ["Two", "failed", "changed-since"],
      ["Three", "done", undefined],
    ]);
    expect(namesOn(stack, "webhooks")).toEqual(["Two"]);
  });
});

it("what a rollback puts back on a managed stack is sent in the one form that it describes", async () => {
  const { channels: _, ...theirs } = alert(
    hexId("b", 32),
    "Watching",
    dashboard(hexId("b", 16), "Overview", hexId("b", 1)),
    hexId("b", 2),
  );
  const stack = memoryStack(
    {
      dashboards: [dashboard(hexId("b", 16), "Overview", hexId("b", 1))],
      alerts: [{ ...theirs, message: "call me" }],
      ...needs.theirs,
    },
    "managed",
  );
  const { entries } = await imported(stack, archive, { onConflict: "update" });
  expect(storedRecords(stack, "alerts")).not.toMatchObject([{ message: "call me" }]);
  stack.requests.length = 0;
  expect((await undo(stack, entries)).outcomes.map(({ status }) => status)).toContain("done");
  const [sent = {}] = sentTo(stack, "update alerts");
  expect(sent).toMatchObject({ message: "call me", channel: { webhookId: hexId("b", 2) } });
  expect(sent).not.toHaveProperty("channels");
});

it("an alert that is back under its own id keeps the dashboard on which somebody has hung it, which the import had created", async () => {
  const theirs = dashboard(hexId("b", 16), "Overview", hexId("b", 1), { tags: ["theirs"] });
  const own = alert(hexId("b", 32), "Own", theirs, hexId("b", 2));
  const stack = usualTarget({ dashboards: [theirs], alerts: [own] });
  stack.interceptAfter = (operation) => {
    if (operation === "update dashboards") stack.records.get("alerts")?.clear();
  };
  const stage = importStage(stack);
  const made = dashboard(hexId("a", 17), "Made", hexId("a", 1));
  await stage.run(records({ dashboards: [overview, made], ...others }), { onConflict: "update" });
  const there = storedRecords(stack, "dashboards").find(({ name }) => name === "Made") as JsonObject;
  stack.records.get("alerts")?.set(hexId("b", 32), alert(hexId("b", 32), "Own", there, hexId("b", 2)));
  const plan = await undoPlan(stack, stage.history);
  expect(plan.map(({ name, action, code }) => [name, action, code])).toEqual([
    ["Overview", "update", undefined],
    ["Made", "skip", "in-use"],
    ["Own", "skip", "put-back"],
  ]);
});

it("a create of which no end is known belongs to its run: another run is undone without it", async () => {
  const stack = usualTarget();
  const stage = importStage(stack);
  stack.interceptAfter = (operation) => {
    if (operation === "create dashboards") throw new Error("killed");
  };
  await expect(stage.run(records({ dashboards: [overview], ...others }))).rejects.toThrow("killed");
  stack.interceptAfter = () => {};
  // It came to an end without that answer, and a later run made something else.
  stage.history.push({ type: "end", at: "2026-01-01T00:00:00.000Z", result: "incomplete" });
  const begin = stage.history.length;
  await importStageOf(stage, stack);
  expect(stage.history.slice(begin).some(({ type }) => type === "done")).toBe(true);
  // Two records could be what the first run made.
  const mine = storedRecords(stack, "dashboards").find(({ name }) => name === "Overview") as JsonObject;
  stack.records.get("dashboards")?.set(hexId("e", 1), { ...mine, id: hexId("e", 1) });
  const later = await undoPlan(stack, stage.history, false, [2]);
  expect(later.map(({ name, action }) => [name, action])).toEqual([["Made", "delete"]]);
  const named = async (runs?: readonly number[]): Promise<string[]> => {
    const items = await undoPlan(stack, stage.history, false, runs);
    return items.map(({ name, code }) => `${name} ${code ?? ""}`).toSorted();
  };
  expect(await named()).toEqual(["Made ", "Overview ambiguous", "Overview ambiguous"]);
  expect(await named([1])).toEqual(["Overview ambiguous", "Overview ambiguous"]);
});

/** A run that makes another dashboard and knows nothing of what the list shows of the first. */
async function importStageOf(stage: ReturnType<typeof importStage>, stack: MemoryStack): Promise<void> {
  const made = dashboard(hexId("a", 17), "Made", hexId("a", 1), { tags: ["made"] });
  stack.show = (kind, bodies) => (kind === "dashboards" ? bodies.filter(({ name }) => name === "Made") : bodies);
  await stage.run(records({ dashboards: [made], ...others }));
  stack.show = (_, bodies) => bodies;
}
