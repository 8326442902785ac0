import { describe, expect, it } from "vitest";
import { ignoreEvents } from "../../../../src/core/events.ts";
import type { JournalEntry } from "../../../../src/core/plan/journal.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { recordKey } from "../../../../src/core/records/record.ts";
import { planRecords } from "../../../../src/import/plan/plan-import.ts";
import { recoverPendingWrites } from "../../../../src/import/read/recover-earlier-runs.ts";
import { replayJournal } from "../../../../src/journal/replay.ts";
import { kinds } from "../../../../src/kinds/registry.ts";
import { readInventory } from "../../../../src/matching/inventory.ts";
import { plainImport } from "../../../support/import-stage.ts";
import { memoryStack, type MemoryStack } from "../../../support/memory-stack.ts";
import { dashboard, hexId, records } from "../../../support/stack-records.ts";
import { logs, theirLogs } from "../../../support/import-samples.ts";

const at = "2026-01-01T00:00:00.000Z";

function linked(number: number, to: number, tags: readonly string[] = []): JsonObject {
  const onClick = { type: "dashboard", target: { mode: "id", id: hexId("a", to) } };
  const tiles = [{ id: `t${number}`, name: "T", config: { displayType: "table", onClick } }];
  return dashboard(hexId("a", number), `Linked ${number}`, "", { tiles, tags });
}

function target(): MemoryStack {
  const sources = [theirLogs];
  return memoryStack({ dashboards: [], sources, alerts: [], webhooks: [] });
}

describe("a pending delete of a run that was killed before the response", () => {
  const body = dashboard(hexId("b", 16), "One", hexId("b", 1));
  const intent: JournalEntry = {
    type: "intent",
    at,
    key: `dashboards/${hexId("a", 16)}`,
    name: "One",
    write: "remove",
    targetId: hexId("b", 16),
    previous: body,
    content: "c",
  };
  const recoveredOn = async (stack: MemoryStack): Promise<unknown[]> => {
    const inventory = await readInventory(stack.client, kinds, { events: ignoreEvents });
    return recoverPendingWrites(replayJournal([intent]), inventory, at);
  };

  it("counts as done if the complete list no longer has the record", async () => {
    expect(await recoveredOn(target())).toMatchObject([{ write: "remove", targetId: hexId("b", 16) }]);
  });

  it("counts as not done if the list has the record, in either case of its id", async () => {
    for (const id of [hexId("b", 16), hexId("b", 16).toUpperCase()]) {
      const stack = target();
      stack.records.get("dashboards")?.set(id, { ...body, id });
      expect(await recoveredOn(stack)).toEqual([]);
    }
  });

  it("stays pending if the list was not read, or was not read completely", () => {
    const { identity } = target().client;
    const failed = new Map([["dashboards", { status: "failed", records: [] }]]);
    for (const lists of [new Map(), failed]) {
      const inventory = { stack: identity, kinds: lists } as Parameters<typeof recoverPendingWrites>[1];
      expect(recoverPendingWrites(replayJournal([intent]), inventory, at)).toEqual([]);
    }
  });

  it("stays pending if its journal line does not name the target record", async () => {
    const { targetId: _targetId, ...lacking } = intent;
    for (const write of ["remove", "update"] as const) {
      const state = replayJournal([{ ...lacking, write }]);
      const inventory = await readInventory(target().client, kinds, { events: ignoreEvents });
      expect(recoverPendingWrites(state, inventory, at)).toEqual([]);
    }
  });
});

describe("a create whose response was lost", () => {
  const archive = records({ dashboards: [linked(16, 17, ["x"]), linked(17, 16, ["x"])], sources: [logs] });
  const lost = new Set([recordKey("dashboards", hexId("a", 16))]);

  it.each([
    ["is continued with its deferred links if a listed record has its name and tiles", "T", "finish-links"],
    ["leaves a listed record of the same name with other tiles alone", "Theirs", "exists"],
  ])("%s", async (_, name, code) => {
    const stack = target();
    const tiles = [{ id: "t", name, config: { displayType: "table" } }];
    stack.records.get("dashboards")?.set(hexId("b", 16), dashboard(hexId("b", 16), "Linked 16", "", { tiles }));
    const inventory = await readInventory(stack.client, kinds, { events: ignoreEvents });
    const plan = await planRecords({ records: archive, inventory, options: plainImport, lost });
    expect(plan.items.find(({ name }) => name === "Linked 16")).toMatchObject({ code });
  });
});
