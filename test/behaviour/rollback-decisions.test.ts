import { describe, expect, it } from "vitest";
import { importStage, storedRecords } from "../support/import-stage.ts";
import type { JournalEntry, JsonObject } from "../support/import-stage.ts";
import { refuse, unreachable } from "../support/memory-stack.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { rollBack, undo, undoPlan } from "../support/resume-into.ts";
import { dashboard, hexId, records } from "../support/stack-records.ts";
import { logs, usualTarget } from "../support/usual-stacks.ts";

const target = (...dashboards: JsonObject[]): MemoryStack => usualTarget({ dashboards });
const board = (number: number, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", number), `Board ${number}`, hexId("a", 1), more);
const archive = records({ dashboards: [board(16), board(17), board(18)], sources: [logs] });
const namesOn = (stack: MemoryStack): unknown[] => storedRecords(stack, "dashboards").map(({ name }) => name);

/** Imports three dashboards and answers the journal. */
async function imported(stack: MemoryStack, options = {}): Promise<readonly JournalEntry[]> {
  const stage = importStage(stack);
  await stage.run(archive, options);
  return stage.history;
}

/** Refuses the deletion of the record that comes first. */
function refuseFirst(stack: MemoryStack, error: () => Error): void {
  let count = 0;
  stack.intercept = (operation) => {
    if (operation !== "delete dashboards") return;
    count += 1;
    if (count === 1) throw error();
  };
}

describe("a rollback in which one record fails", () => {
  it.each(["rejected", "not-found"] as const)("goes on with the others where it was %s", async (code) => {
    const stack = target();
    const entries = await imported(stack);
    refuseFirst(stack, () => refuse(code, "no"));
    const undone = await undo(stack, entries);
    expect(undone.stopped).toBeUndefined();
    expect(undone.outcomes.map(({ status, code: why }) => [status, why])).toEqual([
      ["failed", code],
      ["done", undefined],
      ["done", undefined],
    ]);
    expect(undone.outcomes[0]?.message).toBe("no");
    expect(namesOn(stack)).toHaveLength(1);
  });

  it("goes on where somebody has changed what is to be put back", async () => {
    const theirs = [16, 17].map((number) =>
      dashboard(hexId("b", number), `Board ${number}`, hexId("b", 1), { tags: ["theirs"] }),
    );
    const stack = target(...theirs);
    const entries = await imported(stack, { onConflict: "update" });
    const change = (): void => {
      const now = stack.records.get("dashboards")?.get(hexId("b", 16)) ?? {};
      stack.records.get("dashboards")?.set(hexId("b", 16), { ...now, tags: ["somebody's"] });
    };
    const { outcomes, stopped } = await undo(stack, entries, { between: change });
    expect(stopped).toBeUndefined();
    expect(outcomes.map(({ name, status, code }) => [name, status, code])).toEqual([
      ["Board 18", "done", undefined],
      ["Board 16", "failed", "changed-since"],
      ["Board 17", "done", undefined],
    ]);
    expect(storedRecords(stack, "dashboards").map(({ tags }) => tags)).toEqual([["somebody's"], ["theirs"]]);
  });

  it("ends where the stack is out of reach, and the next one does the rest", async () => {
    const stack = target();
    const entries = await imported(stack);
    stack.intercept = (operation) => {
      if (operation === "delete dashboards") throw unreachable();
    };
    const first = await undo(stack, entries);
    expect(first.stopped).toMatchObject({ code: "unreachable" });
    expect(namesOn(stack)).toHaveLength(3);
    stack.intercept = () => {};
    const second = await undo(stack, first.entries);
    expect(second.outcomes.map(({ status }) => status)).toEqual(["done", "done", "done"]);
    expect(namesOn(stack)).toEqual([]);
  });
});

describe("a record that somebody has deleted", () => {
  it("is undone all the same where that was after the plan", async () => {
    const stack = target();
    const entries = await imported(stack);
    const [{ id } = {}] = storedRecords(stack, "dashboards");
    const undone = await undo(stack, entries, { between: () => stack.records.get("dashboards")?.delete(String(id)) });
    expect(undone.outcomes.map(({ status }) => status)).toEqual(["done", "done", "done"]);
    expect(await undoPlan(stack, undone.entries)).toEqual([]);
  });

  it("and that a later run made again is one record to undo", async () => {
    const stack = target();
    const stage = importStage(stack);
    await stage.run(archive);
    const [{ id } = {}] = storedRecords(stack, "dashboards");
    stack.records.get("dashboards")?.delete(String(id));
    await stage.run(archive);
    expect((await undoPlan(stack, stage.history)).map(({ action }) => action)).toEqual(["delete", "delete", "delete"]);
  });
});

it("two records that two runs have made of one are both undone", async () => {
  const stack = target();
  const entries = await imported(stack);
  const [first = {}] = storedRecords(stack, "dashboards");
  // A later run, to which the list did not show the first.
  const key = `dashboards/${hexId("a", 16)}` as const;
  const again = entries.filter((entry) => "key" in entry && entry.key === key);
  const end = { type: "end", at: entries[0]?.at ?? "", result: "complete" } as const;
  const second = hexId("e", 16);
  stack.records.get("dashboards")?.set(second, { ...(first as JsonObject), id: second });
  const later = again.map((entry) => (entry.type === "done" ? { ...entry, targetId: second } : entry));
  await undo(stack, [...entries, end, ...later]);
  expect(namesOn(stack)).toEqual([]);
});

describe("a create whose end the journal does not know", () => {
  it("is not taken for its twin, which is the import's too and is undone once", async () => {
    const stack = target();
    const stage = importStage(stack);
    await stage.run(records({ dashboards: [board(16, { tiles: [] })] }));
    const begun = stage.history.flatMap((entry) =>
      entry.type === "intent" ? [{ ...entry, key: `dashboards/${hexId("a", 17)}` as const }] : [],
    );
    const items = await undoPlan(stack, [...stage.history, ...begun]);
    expect(items.map(({ action, sourceId }) => [action, sourceId])).toEqual([["delete", hexId("a", 16)]]);
  });

  it("is undone under the archive's id of it, once, and nothing else is taken for it", async () => {
    const stack = target(dashboard(hexId("b", 40), "Stranger", hexId("b", 1)));
    const stage = importStage(stack);
    let count = 0;
    stack.interceptAfter = (operation) => {
      count += operation === "create dashboards" ? 1 : 0;
      if (count === 2) throw new Error("killed");
    };
    await expect(stage.run(archive, { concurrency: 1 })).rejects.toThrow("killed");
    stack.interceptAfter = () => {};
    const made = namesOn(stack).length - 1;
    const items = await undoPlan(stack, stage.history);
    expect(items.map(({ kind, action, sourceId }) => `${action} ${kind} ${sourceId}`).toSorted()).toEqual(
      [16, 17, 18].slice(0, made).map((number) => `delete dashboards ${hexId("a", number)}`),
    );
    await undo(stack, stage.history);
    expect(namesOn(stack)).toEqual(["Stranger"]);
  });

  it("is left where more records of its content are there than were made", async () => {
    const stack = target(dashboard(hexId("b", 40), "Stranger", hexId("b", 1)));
    const stage = importStage(stack);
    stack.interceptAfter = (operation) => {
      if (operation === "create dashboards") throw new Error("killed");
    };
    await expect(stage.run(records({ dashboards: [board(16, { tiles: [] })] }))).rejects.toThrow("killed");
    const [, mine = {}] = storedRecords(stack, "dashboards");
    stack.records.get("dashboards")?.set(hexId("e", 1), { ...mine, id: hexId("e", 1) });
    const items = await undoPlan(stack, stage.history);
    expect(items.map(({ action, code, sourceId }) => [action, code, sourceId])).toEqual([
      ["skip", "ambiguous", hexId("a", 16)],
      ["skip", "ambiguous", hexId("a", 16)],
    ]);
    expect((await undo(stack, stage.history)).outcomes.map(({ status }) => status)).toEqual(["done", "done"]);
    expect(namesOn(stack)).toHaveLength(3);
  });
});

describe("an update whose end the journal does not know", () => {
  it("is never taken for a create: what was there before stays", async () => {
    const stack = target(dashboard(hexId("b", 16), "Board 16", hexId("b", 1), { tags: ["theirs"] }));
    const stage = importStage(stack);
    stack.interceptAfter = (operation) => {
      if (operation === "update dashboards") throw new Error("killed");
    };
    const one = records({ dashboards: [board(16)], sources: [logs] });
    await expect(stage.run(one, { onConflict: "update" })).rejects.toThrow("killed");
    stack.interceptAfter = () => {};
    expect(stage.history.at(-1)).toMatchObject({ type: "intent", write: "update" });
    expect((await rollBack(stack, stage.history, true)).filter(({ action }) => action === "delete")).toEqual([]);
    expect(namesOn(stack)).toEqual(["Board 16"]);
  });
});
