import { describe, expect, it } from "vitest";
import { ignoreEvents } from "../../../src/core/events.ts";
import type { JournalEntry } from "../../../src/core/plan/journal.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { recordKey } from "../../../src/core/records/record.ts";
import { planRecords } from "../../../src/import/plan/plan-import.ts";
import { awaitEarlierWrites } from "../../../src/import/read/read-target.ts";
import { recoverPendingWrites } from "../../../src/import/read/recover-pending-writes.ts";
import { memoryJournal } from "../../../src/journal/memory-journal.ts";
import { replayJournal } from "../../../src/journal/replay.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { readInventory } from "../../../src/matching/inventory.ts";
import { planRollback } from "../../../src/rollback/plan.ts";
import { importInto } from "../../support/import-into.ts";
import { instantClock } from "../../support/instant-clock.ts";
import type { MemoryStack } from "../../support/memory-stack.ts";
import { memoryStack } from "../../support/memory-stack.ts";
import { dashboard, hexId, records, source } from "../../support/stack-records.ts";

const at = "2026-01-01T00:00:00.000Z";
const logs = source(hexId("a", 1), "Logs", hexId("c", 1));

function linked(number: number, to: number, tags: readonly string[] = []): JsonObject {
  const onClick = { type: "dashboard", target: { mode: "id", id: hexId("a", to) } };
  const tiles = [{ id: `t${number}`, name: "T", config: { displayType: "table", onClick } }];
  return dashboard(hexId("a", number), `Linked ${number}`, "", { tiles, tags });
}

function target(): MemoryStack {
  const sources = [source(hexId("b", 1), "Logs", hexId("c", 2))];
  return memoryStack({ dashboards: [], sources, alerts: [], webhooks: [] });
}

/** What the next run makes of a journal and of the stack as it is now. */
async function afterwards(stack: MemoryStack, entries: readonly JournalEntry[]) {
  const inventory = await readInventory(stack.client, kinds, { events: ignoreEvents });
  const recovered = recoverPendingWrites(replayJournal(entries), inventory, at);
  const state = replayJournal([...entries, ...recovered]);
  return { recovered, state, rollback: planRollback({ state, inventory, force: false }).items };
}

describe("a create whose process was killed before the answer", () => {
  it("is known as the import's own afterwards, so that a rollback deletes it", async () => {
    const stack = target();
    const journal = memoryJournal();
    stack.interceptAfter = () => {
      throw new Error("killed");
    };
    const archive = records({ dashboards: [dashboard(hexId("a", 16), "One", hexId("a", 1))], sources: [logs] });
    await expect(importInto(stack, archive, {}, journal)).rejects.toThrow("killed");
    const { recovered, state, rollback } = await afterwards(stack, journal.appended);
    const [id] = stack.records.get("dashboards")?.keys() ?? [];
    expect(recovered).toMatchObject([{ type: "done", write: "create", targetId: id }]);
    expect(state.pendingWrites).toEqual([]);
    expect(rollback).toMatchObject([{ action: "delete", targetId: id }]);
  });

  it("is not taken for one of several records that are alike and not ours", async () => {
    const stack = target();
    const journal = memoryJournal();
    stack.interceptAfter = () => {
      throw new Error("killed");
    };
    const archive = records({ dashboards: [dashboard(hexId("a", 16), "One", hexId("a", 1))], sources: [logs] });
    await expect(importInto(stack, archive, {}, journal)).rejects.toThrow("killed");
    const [made] = stack.records.get("dashboards")?.values() ?? [];
    stack.records.get("dashboards")?.set(hexId("d", 1), { ...made, id: hexId("d", 1) });
    const { recovered, rollback } = await afterwards(stack, journal.appended);
    expect(recovered).toEqual([]);
    expect(rollback.map(({ action, code }) => ({ action, code }))).toEqual([
      { action: "skip", code: "ambiguous" },
      { action: "skip", code: "ambiguous" },
    ]);
  });

  it("stays open where the target has no such list any more", async () => {
    const journal = memoryJournal();
    const stack = target();
    stack.interceptAfter = () => {
      throw new Error("killed");
    };
    const archive = records({ dashboards: [dashboard(hexId("a", 16), "One", hexId("a", 1))], sources: [logs] });
    await expect(importInto(stack, archive, {}, journal)).rejects.toThrow("killed");
    const nothing = { stack: stack.client.identity, kinds: new Map() };
    expect(recoverPendingWrites(replayJournal(journal.appended), nothing, at)).toEqual([]);
  });
});

describe("a delete whose process was killed before the answer", () => {
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

  it("was carried out where the list no longer has the record", async () => {
    expect(await recoveredOn(target())).toMatchObject([{ write: "remove", targetId: hexId("b", 16) }]);
  });

  it("was not where the record is listed, under an id in whichever case", async () => {
    for (const id of [hexId("b", 16), hexId("b", 16).toUpperCase()]) {
      const stack = target();
      stack.records.get("dashboards")?.set(id, { ...body, id });
      expect(await recoveredOn(stack)).toEqual([]);
    }
  });

  it("stays open where there is no such list, or not all of it was read", () => {
    const { identity } = target().client;
    const failed = new Map([["dashboards", { status: "failed", records: [] }]]);
    for (const lists of [new Map(), failed]) {
      const inventory = { stack: identity, kinds: lists } as Parameters<typeof recoverPendingWrites>[1];
      expect(recoverPendingWrites(replayJournal([intent]), inventory, at)).toEqual([]);
    }
  });

  it("stays open where its line does not say of which record", async () => {
    const { targetId: _targetId, ...lacking } = intent;
    for (const write of ["remove", "update"] as const) {
      const state = replayJournal([{ ...lacking, write }]);
      const inventory = await readInventory(target().client, kinds, { events: ignoreEvents });
      expect(recoverPendingWrites(state, inventory, at)).toEqual([]);
    }
  });
});

describe("a link whose process was killed before the answer", () => {
  it("does not make the dashboard look changed by somebody else", async () => {
    const stack = target();
    const journal = memoryJournal();
    const update = stack.client.update.bind(stack.client);
    stack.client.update = async (...args) => {
      await update(...args);
      throw new Error("killed");
    };
    const archive = records({ dashboards: [linked(16, 17), linked(17, 16)], sources: [logs] });
    await expect(importInto(stack, archive, {}, journal)).rejects.toThrow("killed");
    const { recovered, rollback } = await afterwards(stack, journal.appended);
    expect(recovered).toMatchObject([{ write: "link" }]);
    expect(rollback.map(({ action }) => action)).toEqual(["delete", "delete"]);
  });

  it("is added by the next run, also where the stack has dropped another member", async () => {
    const stack = target();
    const journal = memoryJournal();
    const create = stack.client.create.bind(stack.client);
    stack.client.create = (kind, body) => create(kind, { ...body, tags: [] });
    const update = stack.client.update.bind(stack.client);
    stack.client.update = async () => {
      throw new Error("killed");
    };
    const archive = records({ dashboards: [linked(16, 17, ["x"]), linked(17, 16, ["x"])], sources: [logs] });
    await expect(importInto(stack, archive, {}, journal)).rejects.toThrow("killed");
    stack.client.update = (kind, id, body) => update(kind, id, { ...body, tags: [] });
    const resumed = memoryJournal(journal.appended);
    const { plan } = await importInto(stack, archive, {}, resumed);
    expect(plan.items.filter(({ code }) => code === "finish-links")).toHaveLength(1);
    const text = JSON.stringify([...(stack.records.get("dashboards")?.values() ?? [])]);
    expect(text.split('"onClick"')).toHaveLength(3);
    const again = await importInto(stack, archive, {}, memoryJournal([...resumed.entries, ...resumed.appended]));
    expect(again.plan.items.filter(({ action }) => action === "update")).toEqual([]);
  });
});

describe("a create without a known end", () => {
  const options = {
    onConflict: "skip",
    kinds: [],
    create: [],
    filter: { include: [], exclude: [] },
    mapping: {},
    defaults: {},
  } as const;
  const archive = records({ dashboards: [linked(16, 17, ["x"]), linked(17, 16, ["x"])], sources: [logs] });
  const lost = new Set([recordKey("dashboards", hexId("a", 16))]);

  it.each([
    ["is finished where the record that is there has its tiles", "T", "finish-links"],
    ["leaves alone a record of the same name with other tiles", "Theirs", "exists"],
  ])("%s", async (_, name, code) => {
    const stack = target();
    const tiles = [{ id: "t", name, config: { displayType: "table" } }];
    stack.records.get("dashboards")?.set(hexId("b", 16), dashboard(hexId("b", 16), "Linked 16", "", { tiles }));
    const inventory = await readInventory(stack.client, kinds, { events: ignoreEvents });
    const plan = await planRecords({
      records: archive,
      inventory,
      options: { ...options, naming: { tags: [] } },
      lost,
    });
    expect(plan.items.find(({ name }) => name === "Linked 16")).toMatchObject({ code });
  });
});

describe("waiting for what an earlier run has written", () => {
  const clock = instantClock();
  const minutesAgo = (minutes: number): string => new Date(clock.now() - minutes * 60_000).toISOString();
  const intent = (minutes: number): JournalEntry => ({
    type: "intent",
    at: minutesAgo(minutes),
    key: "dashboards/1",
    name: "One",
    write: "create",
    content: "c",
  });
  const end = (result: "complete" | "stopped"): JournalEntry => ({ type: "end", at: minutesAgo(0), result });

  it.each<[string, readonly JournalEntry[], number]>([
    ["nothing was written", [], 0],
    ["a create was on its way, perhaps for minutes", [intent(3)], 10_000],
    ["the same, though the run came to its end", [intent(0), end("complete")], 10_000],
    ["that was long ago", [intent(120)], 0],
    ["the run was stopped just now", [end("stopped")], 10_000],
    ["the run came to its end", [end("complete")], 0],
  ])("%s", async (_, entries, expected) => {
    const own = instantClock(clock.now());
    const since = own.now();
    await awaitEarlierWrites(
      replayJournal(entries),
      { clock: own, consistencyWaitMs: 10_000 },
      { events: ignoreEvents },
    );
    expect(own.now() - since).toBe(expected);
  });
});
