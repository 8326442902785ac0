import { describe, expect, it } from "vitest";
import type { ImportStage, JsonObject } from "../support/import-stage.ts";
import { importStage, stored } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack } from "../support/memory-stack.ts";
import type { JournalEntry } from "../support/resume-into.ts";
import { undo, undoPlan } from "../support/resume-into.ts";
import { alert, dashboard, hexId, records, source, webhook } from "../support/stack-records.ts";

const overview = dashboard(hexId("b", 16), "Overview", hexId("b", 1), { tags: ["theirs"] });
const watching = alert(hexId("b", 32), "Watching", overview, hexId("b", 2), { message: "call me" });
const archived = dashboard(hexId("a", 16), "Overview", hexId("a", 1));
const others = {
  sources: [source(hexId("a", 1), "Logs", hexId("c", 1))],
  webhooks: [webhook(hexId("a", 2), "oncall")],
};
const update = { onConflict: "update" } as const;

const target = (more: Record<string, JsonObject[]> = {}): MemoryStack =>
  memoryStack({
    dashboards: [overview],
    alerts: [watching],
    sources: [source(hexId("b", 1), "Logs", hexId("c", 2))],
    webhooks: [webhook(hexId("b", 2), "oncall")],
    ...more,
  });

/** A run that updates the dashboard of that name, which somebody has changed, and whose server deletes these alerts meanwhile. */
async function updateAndLose(stage: ImportStage, stack: MemoryStack, board: JsonObject, ids: string[]): Promise<void> {
  const [there = {}] = stored(stack, "dashboards").filter(({ name }) => name === board["name"]);
  stack.records.get("dashboards")?.set(String(there["id"]), { ...(there as JsonObject), tags: ["changed since"] });
  stack.interceptAfter = (operation) => {
    if (operation === "update dashboards") for (const id of ids) stack.records.get("alerts")?.delete(id);
  };
  await stage.run(records({ dashboards: [board], ...others }), update);
  stack.interceptAfter = () => {};
  expect(stage.history.filter(({ type }) => type === "vanished")).toHaveLength(ids.length);
}

const alertsOf = (items: Awaited<ReturnType<typeof undoPlan>>): unknown[] =>
  items.filter(({ kind }) => kind === "alerts").map(({ name, action, code }) => [name, action, code]);

describe("an alert that the server took away during an import", () => {
  it("and that the import had created is not brought back", async () => {
    const stack = target({ alerts: [] });
    const stage = importStage(stack);
    const ours = alert(hexId("a", 32), "Ours", archived, hexId("a", 2));
    await stage.run(records({ dashboards: [archived], alerts: [ours], ...others }), update);
    const [{ id = "" } = {}] = stored(stack, "alerts");
    await updateAndLose(stage, stack, archived, [String(id)]);
    expect(alertsOf(await undoPlan(stack, stage.history))).toEqual([["Ours", "skip", "gone"]]);
  });

  it("and that the import had updated comes back as it was before", async () => {
    const stack = target();
    const stage = importStage(stack);
    const ours = alert(hexId("a", 32), "Watching", archived, hexId("a", 2), { message: "nobody" });
    await stage.run(records({ dashboards: [archived], alerts: [ours], ...others }), update);
    expect(stored(stack, "alerts")).toMatchObject([{ message: "nobody" }]);
    await updateAndLose(stage, stack, archived, [hexId("b", 32)]);
    const { outcomes } = await undo(stack, stage.history);
    expect(outcomes.filter(({ kind }) => kind === "alerts")).toMatchObject([{ action: "create", status: "done" }]);
    expect(stored(stack, "alerts")).toMatchObject([{ name: "Watching", message: "call me" }]);
  });

  it("is brought back with the run that lost it, and with no other", async () => {
    const stack = target();
    const stage = importStage(stack);
    await stage.run(records({ dashboards: [archived], ...others }), update);
    await updateAndLose(stage, stack, archived, [hexId("b", 32)]);
    expect(alertsOf(await undoPlan(stack, stage.history, false, [1]))).toEqual([]);
    expect(alertsOf(await undoPlan(stack, stage.history, false, [2]))).toEqual([["Watching", "create", undefined]]);
  });

  it("is brought back where only its twin is there again", async () => {
    const twin = { ...watching, id: hexId("b", 33) };
    const stack = target({ alerts: [watching, twin] });
    const stage = importStage(stack);
    await updateAndLose(stage, stack, archived, [hexId("b", 32), hexId("b", 33)]);
    stack.records.get("alerts")?.set(hexId("b", 60), { ...watching, id: hexId("b", 60) });
    expect(alertsOf(await undoPlan(stack, stage.history))).toEqual([
      ["Watching", "skip", "put-back"],
      ["Watching", "create", undefined],
    ]);
  });

  it("is there again under its own id, with whatever content", async () => {
    const stack = target();
    const stage = importStage(stack);
    await updateAndLose(stage, stack, archived, [hexId("b", 32)]);
    stack.records.get("alerts")?.set(hexId("b", 32), { ...watching, threshold: 99 });
    expect(alertsOf(await undoPlan(stack, stage.history))).toEqual([["Watching", "skip", "put-back"]]);
  });

  it.each([hexId("a", 32), hexId("b", 32)])(
    "stays where a later run has made it again (archived as %s)",
    async (id) => {
      const stack = target();
      const stage = importStage(stack);
      const ours = alert(id, "Watching", archived, hexId("a", 2), { message: "call me" });
      await updateAndLose(stage, stack, archived, [hexId("b", 32)]);
      await stage.run(records({ dashboards: [archived], alerts: [ours], ...others }), update);
      const [made] = stored(stack, "alerts");
      for (const entries of [stage.history, (await undo(stack, stage.history)).entries]) {
        expect(alertsOf(await undoPlan(stack, entries))).toEqual([
          ["Watching", "skip", "put-back"],
          ["Watching", "skip", "put-back"],
        ]);
      }
      expect(stored(stack, "alerts")).toEqual([made]);
      // Where somebody has made another, the import's own is not needed.
      stack.records.get("alerts")?.set(hexId("b", 60), { ...watching, id: hexId("b", 60) });
      await undo(stack, stage.history);
      expect(stored(stack, "alerts")).toMatchObject([{ id: hexId("b", 60) }]);
    },
  );

  it("keeps the dashboard that it is on, which the import had created", async () => {
    const stack = target();
    const stage = importStage(stack);
    const made = dashboard(hexId("a", 17), "Made", hexId("a", 1));
    await stage.run(records({ dashboards: [made], ...others }));
    const [there = {}] = stored(stack, "dashboards").filter(({ name }) => name === "Made");
    const hung = alert(hexId("b", 34), "Hung", there as JsonObject, hexId("b", 2));
    stack.records.get("alerts")?.set(hexId("b", 34), hung);
    await updateAndLose(stage, stack, made, [hexId("b", 34)]);
    const plan = await undoPlan(stack, stage.history);
    expect(plan.map(({ name, action, code }) => [name, action, code])).toEqual([
      ["Made", "skip", "in-use"],
      ["Hung", "create", undefined],
    ]);
  });
});

/** What a mirror writes down of a record that it deletes. */
function removed(kind: string, { id = "", name = "", ...body }: JsonObject): JournalEntry[] {
  const at = "2026-01-01T00:00:00.000Z";
  const write = { at, key: `${kind}/${String(id)}` as const, write: "remove", targetId: String(id) } as const;
  return [
    { type: "intent", name: String(name), previous: { id, name, ...body }, ...write },
    { type: "done", content: "digest", ...write },
  ];
}

describe("a dashboard that a mirror deleted and that held a secret", () => {
  const secret = { ...overview, tags: ["«redacted:assigned-secret»"] };
  const onClick = { type: "dashboard", target: { mode: "id", id: hexId("b", 16) } };
  const linking = dashboard(hexId("b", 17), "Linking", "", {
    tiles: [{ id: hexId("d", 17), name: "Table", config: { displayType: "table", sourceId: hexId("b", 1), onClick } }],
  });

  it("cannot be brought back, nor an alert on it; a dashboard that only links to it can", async () => {
    const stack = target({ dashboards: [], alerts: [] });
    const entries = [
      ...removed("alerts", watching),
      ...removed("dashboards", secret),
      ...removed("dashboards", linking),
    ];
    const plan = await undoPlan(stack, entries);
    expect(plan.map(({ name, action, code }) => [name, action, code])).toEqual([
      ["Overview", "skip", "redacted"],
      ["Linking", "create", undefined],
      ["Watching", "skip", "dependency-failed"],
    ]);
  });
});
