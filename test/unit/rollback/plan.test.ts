import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../../src/core/plan/journal.ts";
import type { StackRecord } from "../../../src/core/records/record.ts";
import { replayJournal } from "../../../src/journal/replay.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import type { Inventory } from "../../../src/matching/inventory.ts";
import { recordFingerprint } from "../../../src/references/record-content.ts";
import { describeItem } from "../../../src/rollback/item.ts";
import type { RollbackItem } from "../../../src/rollback/item.ts";
import { planRollback } from "../../../src/rollback/plan.ts";
import { alert, dashboard, hexId, records } from "../../support/stack-records.ts";

const at = "2026-01-01T00:00:00.000Z";
const board = dashboard(hexId("b", 16), "Overview", hexId("b", 1));
const watching = alert(hexId("b", 32), "Watching", board, hexId("b", 2));
const created = records({ dashboards: [board], alerts: [watching] });

/** A target that shows these records and no others. */
function inventoryOf(shown: readonly StackRecord[]): Inventory {
  const lists = kinds.map(
    ({ name }) => [name, { status: "complete", records: shown.filter(({ kind }) => kind === name) }] as const,
  );
  return { stack: { variant: "self-hosted", baseUrl: "http://stack.test" }, kinds: new Map(lists) };
}

/** What a journal says of records that a run has created. */
function creates(of: readonly StackRecord[]): JournalEntry[] {
  return of.flatMap(({ kind: name, id, body }): JournalEntry[] => {
    const kind = kinds.find((each) => each.name === name);
    const content = kind === undefined ? "" : recordFingerprint(kind, body);
    const key = `${name}/a${id.slice(1)}` as const;
    return [
      { type: "intent", at, key, name: "", write: "create", content },
      { type: "done", at, key, write: "create", targetId: id, content },
    ];
  });
}

const planOf = (entries: readonly JournalEntry[], shown: readonly StackRecord[]): readonly RollbackItem[] =>
  planRollback({ state: replayJournal(entries), inventory: inventoryOf(shown), force: false }).items;
const short = (items: readonly RollbackItem[]): unknown[] =>
  items.map(({ kind, action, code }) => [kind, action, code]);

describe("the plan of a rollback", () => {
  it("deletes what lives on a record before that, whichever was journalled first", () => {
    for (const order of [created, created.toReversed()]) {
      const items = planOf(creates(order), created);
      expect(short(items)).toEqual([
        ["alerts", "delete", undefined],
        ["dashboards", "delete", undefined],
      ]);
      expect(items[1]?.usedBy).toEqual([items[0]?.key]);
    }
  });
});

it("what is shown of an item has no body in it", () => {
  const [item] = planOf(creates(created), created);
  if (item === undefined) throw new Error("no item");
  expect(item.current).toBeDefined();
  expect(Object.keys(describeItem(item)).toSorted()).toEqual(["action", "kind", "name", "sourceId", "targetId"]);
});
