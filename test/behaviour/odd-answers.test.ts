import { describe, expect, it } from "vitest";
import { importInto, importStage, outcomeOf, rememberingStage, storedRecords } from "../support/import-stage.ts";
import type { JournalEntry, JsonObject } from "../support/import-stage.ts";
import { journalFull } from "../support/journal-file.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { refuse } from "../support/memory-stack.ts";
import { journalOf } from "../support/resume-into.ts";
import { alert, dashboard, hexId, records } from "../support/stack-records.ts";
import { needs, usualTarget } from "../support/usual-stacks.ts";

// What an import makes of answers that lack something, and of a journal that fails with them.

const overview = dashboard(hexId("a", 16), "Overview", hexId("a", 1));
const others = {
  ...needs.ours,
};
const theirs = dashboard(hexId("b", 16), "Overview", hexId("b", 1), { tags: ["theirs"] });
const target = (more: Record<string, JsonObject[]> = {}): MemoryStack => usualTarget({ dashboards: [theirs], ...more });

/** A stack that does not name the record in its answer to an update. */
function namelessUpdates(stack: MemoryStack): MemoryStack {
  const update = stack.client.update.bind(stack.client);
  stack.client.update = async (...args) => {
    const { id: _id, ...rest } = await update(...args);
    return rest;
  };
  return stack;
}

describe("an update that is answered without an id", () => {
  it("is one of the record that was there, and so are the links to it", async () => {
    const stack = namelessUpdates(target());
    const ours = alert(hexId("a", 32), "Busy", overview, hexId("a", 2));
    const run = await importStage(stack).run(records({ dashboards: [overview], alerts: [ours], ...others }), {
      onConflict: "update",
    });
    expect(run.exitCode).toBe(0);
    expect(outcomeOf(run, "Overview")).toMatchObject({ status: "done", targetId: hexId("b", 16) });
    expect(storedRecords(stack, "alerts")).toMatchObject([{ name: "Busy", dashboardId: hexId("b", 16) }]);
  });

  it("keeps the id of what was created before its links were", async () => {
    const linking = (number: number, name: string, to: number): JsonObject => {
      const onClick = { type: "dashboard", target: { mode: "id", id: hexId("a", to) } };
      const config = { displayType: "table", sourceId: hexId("a", 1), onClick };
      return dashboard(hexId("a", number), name, "", { tiles: [{ id: hexId("d", number), name: "Table", config }] });
    };
    const stack = namelessUpdates(target({ dashboards: [] }));
    const stage = rememberingStage(stack);
    const run = await stage.run(records({ dashboards: [linking(16, "One", 17), linking(17, "Two", 16)], ...others }));
    expect(run.exitCode).toBe(0);
    const ids = storedRecords(stack, "dashboards").map(({ id }) => id);
    expect(run.outcomes.filter(({ kind }) => kind === "dashboards").map(({ targetId }) => targetId)).toEqual(
      expect.arrayContaining(ids),
    );
    expect([...stage.memory.values()].map(({ targetId }) => targetId)).toEqual(expect.arrayContaining(ids));
  });
});

describe("a run that can neither look for an alert nor write down that it may be gone", () => {
  const watching = alert(hexId("b", 32), "Watching", theirs, hexId("b", 2));
  const archive = records({ dashboards: [overview], ...others });

  /** Updates the dashboard; then the alerts cannot be listed, and the journal takes no line of this type. */
  function blinded(type: JournalEntry["type"], error: () => Error, isListed = false): ReturnType<typeof importInto> {
    const stack = target({ alerts: [watching] });
    stack.interceptAfter = (operation) => {
      if (operation !== "update dashboards") return;
      stack.records.get("alerts")?.clear();
      stack.intercept = (next) => {
        if (next === "list alerts" && !isListed) throw refuse("rejected", "no list");
      };
    };
    const journal = {
      ...journalOf(),
      append: async (entry: JournalEntry) => {
        if (entry.type === type) throw error();
      },
    };
    return importInto(stack, archive, { onConflict: "update" }, journal);
  }

  it("ends with the journal's failure, which is the worse one, and names the alert all the same", async () => {
    const run = await blinded("at-risk", journalFull);
    expect(run.stopped).toMatchObject({ code: "journal" });
    expect(outcomeOf(run, "Overview")).toMatchObject({ status: "done" });
    expect(outcomeOf(run, "Watching")).toMatchObject({ status: "planned", code: "not-checked" });
  });

  it("ends with the stack's where the journal can be written", async () => {
    const run = await blinded("refused", journalFull);
    expect(run.stopped).toMatchObject({ code: "rejected" });
    expect(outcomeOf(run, "Watching")).toMatchObject({ code: "not-checked" });
  });

  it("names it also where it was seen to be gone and that could not be written down", async () => {
    const run = await blinded("cascade-loss", journalFull, true);
    expect(run.stopped).toMatchObject({ code: "journal" });
    expect(outcomeOf(run, "Watching")).toMatchObject({ status: "planned", code: "not-checked" });
  });

  it.each(["at-risk", "cascade-loss"] as const)("does not take a bug for that (%s)", async (type) => {
    const bug = (): Error => new TypeError("a bug");
    await expect(blinded(type, bug, type === "cascade-loss")).rejects.toThrow("a bug");
  });
});
