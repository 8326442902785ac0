import { describe, expect, it } from "vitest";
import { ignoreEvents } from "../../../../src/core/events.ts";
import type { JournalEntry } from "../../../../src/core/plan/journal.ts";
import { settleOpenWrites, type SettledHistory } from "../../../../src/import/read/settle-open-writes.ts";
import { foldJournal } from "../../../../src/journal/fold.ts";
import { kinds } from "../../../../src/kinds/registry.ts";
import { readInventory, type Inventory } from "../../../../src/matching/inventory.ts";
import { memoryStack, type MemoryStack } from "../../../support/memory-stack.ts";
import { contentOf } from "../../../support/rollback-runs.ts";
import { alert, dashboard, hexId, targetIds } from "../../../support/stack-records.ts";

const at = "2026-01-01T00:00:00.000Z";
const begin: JournalEntry = { type: "begin", at, run: 1 };
const BOARD = `dashboards/${hexId("a", 16)}` as const;
const body = dashboard(hexId("b", 16), "One", targetIds.source);
const changed = { ...body, tags: ["changed"] };
const digest = (of: typeof body): string => contentOf("dashboards", of);

const stackWith = (...dashboards: (typeof body)[]): MemoryStack => memoryStack({ dashboards });
const inventoryOf = (stack: MemoryStack): Promise<Inventory> =>
  readInventory(stack.client, kinds, { events: ignoreEvents });
const settled = (entries: readonly JournalEntry[], inventory: Inventory): SettledHistory =>
  settleOpenWrites([begin, ...entries], foldJournal([begin, ...entries]), inventory, Date.parse(at));
const recoveredOn = async (stack: MemoryStack, ...entries: JournalEntry[]) =>
  settled(entries, await inventoryOf(stack)).recovered;

const intent = (write: "create" | "update" | "link" | "delete", more: object = {}): JournalEntry => {
  return { type: "intent", at, key: BOARD, name: "One", write, ...more };
};

describe("a delete without an answer", () => {
  const deletion = intent("delete", { targetId: hexId("b", 16) });

  it("stays open if the list was not read, or was not read completely", () => {
    const failed = new Map([["dashboards", { status: "failed", records: [] }]]);
    for (const lists of [new Map(), failed]) {
      const inventory = { stack: stackWith().client.identity, kinds: lists } as unknown as Inventory;
      const { recovered, open } = settled([deletion], inventory);
      expect([recovered, open]).toMatchObject([[], [{ intent: { write: "delete" } }]]);
    }
  });
});

describe("an update without an answer", () => {
  const image = { key: `dashboards/${hexId("b", 16)}`, name: "One", body, digest: digest(body) };
  const update = intent("update", { targetId: hexId("b", 16).toUpperCase(), content: digest(changed), image });

  it("was not carried out if the record is gone", async () => {
    expect(await recoveredOn(stackWith(), update)).toMatchObject([{ type: "refused" }]);
  });

  it("of links was not carried out if the record is as the run created it", async () => {
    const done = {
      type: "done",
      at,
      key: BOARD,
      write: "create",
      targetId: hexId("b", 16),
      content: digest(body),
    } as const;
    const link = intent("link", { targetId: hexId("b", 16), content: digest(changed) });
    expect(await recoveredOn(stackWith(body), intent("create"), done, link)).toMatchObject([{ type: "refused" }]);
    expect(await recoveredOn(stackWith(changed), intent("create"), done, link)).toMatchObject([{ write: "link" }]);
  });
});

describe("a create without an answer", () => {
  const create = (more: object = {}): JournalEntry => intent("create", { content: digest(body), ...more });
  const made = { type: "done", write: "create", targetId: hexId("b", 16) };
  const second = { ...create(), key: `dashboards/${hexId("a", 17)}` } as JournalEntry;
  const copy = { ...body, id: hexId("b", 17) };

  it("is the new record of equal content, though another new one has its name", async () => {
    const stack = stackWith({ ...changed, id: hexId("b", 17) }, body);
    expect(await recoveredOn(stack, create({ lacksLinks: true }))).toMatchObject([
      { ...made, whole: true, lacksLinks: true },
    ]);
  });

  it("is the only new record of its name, of which nothing is known and which no rollback deletes", async () => {
    expect(await recoveredOn(stackWith(changed), create())).toMatchObject([
      { ...made, parts: {}, whole: false, content: digest(body) },
    ]);
  });

  it("is no record that was listed before, nor one that the journal knows as another's", async () => {
    for (const more of [{ namesakes: [hexId("b", 16)] }, { namesakes: [hexId("b", 16).toUpperCase()] }, {}]) {
      const known = { type: "seen", key: second.type === "intent" ? second.key : BOARD, name: "", parts: {} } as const;
      const others: JournalEntry[] = "namesakes" in more ? [] : [{ ...known, targetId: hexId("b", 16).toUpperCase() }];
      expect(await recoveredOn(stackWith(body), ...others, create(more))).toMatchObject([{ type: "refused" }]);
    }
  });

  it("is unknown, and stays open, if several new records have its name", async () => {
    const history = settled([create()], await inventoryOf(stackWith(changed, { ...changed, id: hexId("b", 17) })));
    expect([history.recovered, history.open.length]).toEqual([[], 1]);
    expect(history.unknownCreates.get(BOARD)).toContain(`${hexId("b", 16)}, ${hexId("b", 17)}`);
  });

  it("of an alert is no alert of its name on another dashboard", async () => {
    const on = alert(hexId("b", 32), "Busy", body, targetIds.webhook);
    const stack = memoryStack({ dashboards: [body, copy], alerts: [on] });
    const created = (host: string) => {
      const of = { key: `alerts/${hexId("a", 32)}`, name: "Busy", content: "other", hosts: [`dashboards/${host}`] };
      return { ...create(), ...of } as JournalEntry;
    };
    expect(await recoveredOn(stack, created(hexId("b", 17)))).toMatchObject([{ type: "refused" }]);
    expect(await recoveredOn(stack, created(hexId("b", 16).toUpperCase()))).toMatchObject([
      { type: "done", targetId: hexId("b", 32) },
    ]);
  });

  it("of another kind is not the record", async () => {
    const stack = memoryStack({ dashboards: [body], alerts: [] });
    const other = { ...create(), key: `alerts/${hexId("a", 16)}` } as JournalEntry;
    expect(await recoveredOn(stack, other)).toMatchObject([{ type: "refused" }]);
  });
});
