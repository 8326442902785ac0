import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/domain/json.ts";
import type { StackRecord } from "../../../src/domain/record.ts";
import type { ArchiveReader } from "../../../src/domain/ports.ts";
import { indexArchive } from "../../../src/jobs/archive-index.ts";
import { holdRecords } from "../../../src/jobs/hold-records.ts";
import type { Inventory } from "../../../src/jobs/inventory.ts";
import { planImport } from "../../../src/jobs/plan-import.ts";
import { manifestOf } from "../../support/archive-samples.ts";
import { plainImport as options } from "../../support/import-into.ts";

const source = record("sources", 0xf0, { connection: hex(0xc0) });

describe("what planning keeps of an archive", () => {
  it("is one referent for each thing that is pointed to, however many tiles and records point to it", () => {
    const dashboards = Array.from({ length: 20 }, (_, number) => dashboard(number, { sourceId: hex(0xf0) }));
    const { referents } = indexArchive([source, ...dashboards]);
    const [ofFirst, ofSecond] = dashboards.map(({ kind, id }) => referents.get(`${kind}/${id}`));
    expect(ofFirst).toHaveLength(1);
    expect(ofSecond?.[0]).toBe(ofFirst?.[0]);
  });

  it("is none of the bodies of a large one, nor of what an update is to replace", async () => {
    const archived = [source, ...Array.from({ length: 20 }, (_, number) => dashboard(number, { sourceId: hex(0xf0) }))];
    const changed = archived.map((record) => ({ ...record, body: { ...record.body, tags: ["theirs"] } }));
    const [ours, theirs] = [madeAnew(archived), madeAnew(changed)];
    const take = ({ id }: { readonly id: string }) => {
      const { kind = "", name = "", body = {} } = ours.records.find((record) => record.id === id) ?? {};
      return { kind, id, name, body };
    };
    const reader = {
      manifest: manifestOf(archived),
      prepare: async (entry: { id: string }) => () => take(entry),
      readAgain: take,
    };
    const limits = { plainBytes: 0, bodies: 2 };
    const records = await holdRecords(reader as unknown as ArchiveReader, undefined, limits);
    const input = {
      records,
      inventory: target(theirs.records),
      options: { ...options, onConflict: "update" } as const,
    };
    const { items } = planImport(input);
    const updates = items.filter(({ action }) => action === "update");
    expect([ours.made(), theirs.made()].every((made) => made > archived.length)).toBe(true);
    expect(await ours.alive()).toBeLessThanOrEqual(limits.bodies);
    expect(await theirs.alive()).toBe(0);
    const replaced = updates.map(({ replaces }) => replaces?.body["tags"]);
    expect(replaced).toEqual(Array.from({ length: 20 }, () => ["theirs"]));
  });

  it("are those ids alone that a text speaks of", () => {
    const [first, second] = [dashboard(1, { sourceId: hex(0xf0) }), dashboard(2, { markdown: `see /d/${hex(1)}` })];
    const { known } = indexArchive([source, first, second]);
    expect([...known.keys()]).toEqual([hex(1)]);
  });

  it("looks once at the body of what is new to the target, and has neither secrets taken out nor ids in its texts", () => {
    const dashboards = Array.from({ length: 5 }, (_, number) => dashboard(number, { sourceId: hex(0xf0) }));
    const { records, asked } = counted([source, ...dashboards]);
    const { items } = planImport({ records, inventory: emptyTarget(), options });
    expect(items.filter(({ action }) => action === "create")).toHaveLength(5);
    expect(dashboards.map(({ id }) => asked.get(id))).toEqual([1, 1, 1, 1, 1]);
  });

  it("asks for each body a bounded number of times, also where one blocked record blocks the next", () => {
    const most = (length: number): number => {
      const { records, asked } = counted([source, ...chain(length)]);
      const { items } = planImport({ records, inventory: emptyTarget(), options });
      expect(items.filter(({ action }) => action === "blocked")).toHaveLength(length);
      return Math.max(...asked.values());
    };
    expect(most(40)).toBe(most(5));
  });

  it("asks for each body a bounded number of times where the target has the same records, on either side", () => {
    const most = (length: number): number => {
      const dashboards = Array.from({ length }, (_, number) => dashboard(number, { sourceId: hex(0xf0) }));
      const [left, right] = [counted([source, ...dashboards]), counted([source, ...dashboards])];
      const { items } = planImport({ records: left.records, inventory: target(right.records), options });
      expect(items.filter(({ action }) => action === "unchanged")).toHaveLength(length);
      return Math.max(...left.asked.values(), ...right.asked.values());
    };
    expect(most(40)).toBe(most(5));
  });
});

/** Dashboards of which each leads to the next, the last one to a source that is nowhere. */
function chain(length: number): StackRecord[] {
  return Array.from({ length }, (_, number) => {
    if (number === length - 1) return dashboard(number, { sourceId: hex(0xee) });
    const target = { mode: "id", id: hex(number + 1) };
    return dashboard(number, { sourceId: hex(0xf0), onClick: { type: "dashboard", target } });
  });
}

function dashboard(number: number, config: JsonObject): StackRecord {
  const tiles = Array.from({ length: 30 }, (_, place) => ({ id: hex(0x1000 * (number + 1) + place), config }));
  return record("dashboards", number, { tiles });
}

/** The same records, and how often each body was asked for. */
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

/** The same records, their bodies made each time they are asked for: how many were, and how many are still in memory. */
function madeAnew(records: readonly StackRecord[]) {
  const made: WeakRef<JsonObject>[] = [];
  const making = records.map(({ kind, id, name, body }) => ({
    kind,
    id,
    name,
    get body() {
      const another = structuredClone(body);
      made.push(new WeakRef(another));
      return another;
    },
  }));
  const alive = async (): Promise<number> => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    // What a WeakRef was made for is kept until the end of its turn, and what V8 is compiling with until that is done. What is
    // truly kept stays, however often is collected.
    for (let round = 0; round < 5; round += 1) {
      await setImmediate();
      collect();
    }
    return made.filter((each) => each.deref() !== undefined).length;
  };
  return { records: making, made: () => made.length, alive };
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
