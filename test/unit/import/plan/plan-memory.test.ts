import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { StackRecord } from "../../../../src/core/records/record.ts";
import { planRecords } from "../../../../src/import/plan/plan-import.ts";
import type { Inventory } from "../../../../src/matching/inventory.ts";
import { indexArchive } from "../../../../src/references/archive-index.ts";
import { plainImport as options } from "../../../support/import-stage.ts";

const source = record("sources", 0xf0, { connection: hex(0xc0) });

describe("the memory of planning", () => {
  it("holds one object for a reference target, however many tiles and records refer to it", async () => {
    const dashboards = Array.from({ length: 20 }, (_, number) => dashboard(number, { sourceId: hex(0xf0) }));
    const { referenceTargets } = await indexArchive([source, ...dashboards]);
    const [ofFirst, ofSecond] = dashboards.map(({ kind, id }) => referenceTargets.get(`${kind}/${id}`));
    expect(ofFirst).toHaveLength(1);
    expect(ofSecond?.[0]).toBe(ofFirst?.[0]);
  });

  it("holds only the ids that a text mentions", async () => {
    const [first, second] = [dashboard(1, { sourceId: hex(0xf0) }), dashboard(2, { markdown: `see /d/${hex(1)}` })];
    const { knownIds: known } = await indexArchive([source, first, second]);
    expect([...known.keys()]).toEqual([hex(1)]);
  });

  it("reads each body a bounded number of times when one blocked record blocks the next", async () => {
    const most = async (length: number): Promise<number> => {
      const { records, asked } = counted([source, ...chain(length)]);
      const { items } = await planRecords({ records, inventory: emptyTarget(), options });
      expect(items.filter(({ action }) => action === "blocked")).toHaveLength(length);
      return Math.max(...asked.values());
    };
    expect(await most(40)).toBe(await most(5));
  });

  it("reads each body of both stacks a bounded number of times when the target has the same records", async () => {
    const most = async (length: number): Promise<number> => {
      const dashboards = Array.from({ length }, (_, number) => dashboard(number, { sourceId: hex(0xf0) }));
      const [left, right] = [counted([source, ...dashboards]), counted([source, ...dashboards])];
      const { items } = await planRecords({ records: left.records, inventory: target(right.records), options });
      expect(items.filter(({ action }) => action === "unchanged")).toHaveLength(length);
      return Math.max(...left.asked.values(), ...right.asked.values());
    };
    expect(await most(40)).toBe(await most(5));
  });
});

/** Returns dashboards of which each links to the next one. The last dashboard links to a source that does not exist. */
function chain(length: number): StackRecord[] {
  return Array.from({ length }, (_, number) => {
    if (number === length - 1) return dashboard(number, { sourceId: hex(0xee) });
    const target = { mode: "id", id: hex(number + 1) };
    return dashboard(number, { sourceId: hex(0xf0), onClick: { type: "dashboard", target } });
  });
}

function dashboard(number: number, config: JsonObject): StackRecord {
  const tiles = Array.from({ length: 30 }, (_, position) => ({
    id: hex(0x1000 * (number + 1) + position),
    config,
  }));
  return record("dashboards", number, { tiles });
}

/** Returns the same records, and counts how often each body is read. */
function counted(records: readonly StackRecord[]): { records: StackRecord[]; asked: Map<string, number> } {
  const asked = new Map<string, number>();
  const counting = records.map(({ kind, id, name, body }) => ({
    kind,
    id,
    name,
    get body() {
      asked.set(id, (asked.get(id) ?? 0) + 1);
      return body;
    },
  }));
  return { records: counting, asked };
}

function emptyTarget(): Inventory {
  return target([source]);
}

function target(records: readonly StackRecord[]): Inventory {
  const kinds = ["dashboards", "alerts", "sources", "webhooks"].map(
    (name) => [name, { status: "complete", records: records.filter(({ kind }) => kind === name) }] as const,
  );
  return { stack: { variant: "self-hosted", baseUrl: "http://target.test" }, kinds: new Map(kinds) };
}

function record(kind: string, number: number, body: JsonObject): StackRecord {
  const name = `${kind} ${number}`;
  return { kind, id: hex(number), name, body: { ...body, id: hex(number), name } };
}

function hex(number: number): string {
  return `6b${number.toString(16).padStart(22, "0")}`;
}
