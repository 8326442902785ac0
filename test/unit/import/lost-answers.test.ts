import { describe, expect, it } from "vitest";
import { memoryJournal } from "../../../src/journal/memory-journal.ts";
import { replayJournal } from "../../../src/journal/replay.ts";
import { importInto } from "../../support/import-into.ts";
import type { MemoryStack } from "../../support/memory-stack.ts";
import { loseAnswer, memoryStack } from "../../support/memory-stack.ts";
import { dashboard, hexId, records, source } from "../../support/stack-records.ts";

const logs = source(hexId("a", 1), "Logs", hexId("c", 1));
const twins = [16, 17, 18].map((number) => dashboard(hexId("a", number), "Twin", hexId("a", 1)));
const archive = records({ dashboards: twins, sources: [logs] });

function target(): MemoryStack {
  return memoryStack({
    dashboards: [],
    sources: [source(hexId("b", 1), "Logs", hexId("c", 2))],
    alerts: [],
    webhooks: [],
  });
}

const creates = (stack: MemoryStack): number =>
  stack.requests.filter(({ operation }) => operation === "create dashboards").length;

describe("a create whose answer was lost", () => {
  it("is not sent again when it was carried out, not even among identical records", async () => {
    const stack = target();
    let count = 0;
    stack.interceptAfter = () => {
      count += 1;
      if (count !== 3) throw loseAnswer();
    };
    const { outcomes } = await importInto(stack, archive);
    expect(outcomes.filter(({ action, status }) => action === "create" && status === "done")).toHaveLength(3);
    expect(new Set(outcomes.flatMap(({ action, targetId }) => (action === "create" ? [targetId] : []))).size).toBe(3);
    expect(stack.records.get("dashboards")?.size).toBe(3);
    expect(creates(stack)).toBe(3);
  });

  it("is sent again when it was not", async () => {
    const stack = target();
    let count = 0;
    stack.intercept = (operation) => {
      if (operation !== "create dashboards") return;
      count += 1;
      if (count === 1) throw loseAnswer();
    };
    await importInto(stack, archive);
    expect(stack.records.get("dashboards")?.size).toBe(3);
    expect(creates(stack)).toBe(4);
  });

  it("fails in the end, and stays open in the journal, when every answer is lost", async () => {
    const stack = target();
    stack.intercept = (operation) => {
      if (operation === "create dashboards") throw loseAnswer();
    };
    const journal = memoryJournal();
    const { outcomes } = await importInto(stack, archive.slice(0, 1).concat(archive.slice(3)), {}, journal);
    expect(outcomes[0]).toMatchObject({ action: "create", status: "failed", code: "unreachable" });
    expect(creates(stack)).toBe(3);
    expect(replayJournal(journal.appended).pendingWrites).toMatchObject([{ write: "create", name: "Twin" }]);
  });

  it("is found although the list lags behind", async () => {
    const stack = target();
    const list = stack.client.list.bind(stack.client);
    let looks = 0;
    stack.client.list = async function* lagging(kind, signal) {
      looks += 1;
      for await (const page of list(kind, signal))
        yield looks < 8 ? [...page].filter((body) => !JSON.stringify(body).includes("Twin")) : page;
    };
    stack.interceptAfter = () => {
      stack.interceptAfter = () => {};
      throw loseAnswer();
    };
    await importInto(stack, records({ dashboards: twins.slice(0, 1), sources: [logs] }));
    expect(stack.records.get("dashboards")?.size).toBe(1);
  });
});

describe("a run that was cut short", () => {
  it("is finished by the next one, with the journal or without it", async () => {
    for (const keep of [true, false]) {
      const stack = target();
      const journal = memoryJournal();
      let count = 0;
      stack.interceptAfter = () => {
        count += 1;
        if (count === 2) throw new Error("killed");
      };
      await expect(importInto(stack, archive, {}, journal)).rejects.toThrow("killed");
      stack.interceptAfter = () => {};
      const left = memoryJournal(keep ? journal.appended : []);
      await importInto(stack, archive, {}, left);
      expect(stack.records.get("dashboards")?.size).toBe(3);
      const again = await importInto(stack, archive, {}, memoryJournal([...left.entries, ...left.appended]));
      expect(again.outcomes.filter(({ kind, action }) => kind === "dashboards" && action === "unchanged")).toHaveLength(
        3,
      );
    }
  });

  it("gets its missing links with its journal, and without one is left alone like anything that differs", async () => {
    const link = (id: string): object => ({
      displayType: "table",
      onClick: { type: "dashboard", target: { mode: "id", id } },
    });
    const one = {
      ...dashboard(hexId("a", 16), "One", ""),
      tiles: [{ id: "t1", name: "T", config: link(hexId("a", 17)) }],
    };
    const two = {
      ...dashboard(hexId("a", 17), "Two", ""),
      tiles: [{ id: "t2", name: "T", config: link(hexId("a", 16)) }],
    };
    const linked = records({ dashboards: [one, two] as never, sources: [logs] });
    const stack = target();
    stack.intercept = (operation) => {
      if (operation === "update dashboards") throw new Error("killed");
    };
    const journal = memoryJournal();
    await expect(importInto(stack, linked, {}, journal)).rejects.toThrow("killed");
    stack.intercept = () => {};
    const without = await importInto(stack, linked);
    expect(without.plan.items.filter(({ code }) => code === "exists")).toHaveLength(1);
    const { plan } = await importInto(stack, linked, {}, memoryJournal(journal.appended));
    expect(plan.items.filter(({ code }) => code === "finish-links")).toHaveLength(1);
    const again = await importInto(stack, linked);
    expect(again.plan.items.filter(({ kind }) => kind === "dashboards").map(({ action }) => action)).toEqual([
      "unchanged",
      "unchanged",
    ]);
  });
});

describe("what the stack changed while an update was on its way", () => {
  it("is left alone", async () => {
    const stack = target();
    const theirs = { ...dashboard(hexId("b", 16), "Twin", hexId("b", 1)), tags: ["a"] };
    stack.records.get("dashboards")?.set(hexId("b", 16), theirs);
    let lists = 0;
    stack.intercept = (operation) => {
      if (operation === "get dashboards")
        stack.records.get("dashboards")?.set(hexId("b", 16), { ...theirs, tags: ["b"] });
      lists += 1;
    };
    const { outcomes } = await importInto(stack, records({ dashboards: twins.slice(0, 1), sources: [logs] }), {
      onConflict: "update",
    });
    expect(outcomes[0]).toMatchObject({ action: "update", status: "failed", code: "changed-since" });
    expect(lists).toBeGreaterThan(0);
    expect(stack.requests.some(({ operation }) => operation.startsWith("update"))).toBe(false);
  });
});
