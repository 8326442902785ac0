import { describe, expect, it } from "vitest";
import { verifyRecords } from "../../../src/backup/verify-archive.ts";
import { ignoreEvents } from "../../../src/core/events.ts";
import type { ArchiveReader } from "../../../src/core/ports.ts";
import type { StackRecord } from "../../../src/core/records/record.ts";
import { manifestOf } from "../../support/archive-samples.ts";

const id = (digit: string): string => digit.repeat(24);

function record(kind: string, digit: string, body: object): StackRecord {
  return { kind, id: id(digit), name: digit, body: { ...body, id: id(digit), name: digit } };
}

/** Returns a reader of an archive in memory, which lists every read. */
function readerOf(records: readonly StackRecord[]) {
  const manifest = manifestOf(records);
  const reads: string[] = [];
  const reader = {
    manifest,
    read: (entry: { readonly path: string; readonly kind: string; readonly id: string }) => {
      reads.push(entry.path);
      const found = records.find((each) => each.kind === entry.kind && each.id === entry.id);
      return found === undefined ? Promise.reject(new Error("not there")) : Promise.resolve(found);
    },
  };
  return { reader: reader as unknown as ArchiveReader, reads };
}

const tile = (name: string, sourceId: string): object => ({ id: name, name, config: { sourceId } });
const alert = (digit: string, dashboardId: string, tileId: string): StackRecord =>
  record("alerts", digit, { source: "tile", dashboardId, tileId, threshold: 1 });

describe("verifying an archive", () => {
  it("reads every record once and resolves every reference within the archive", async () => {
    const { reader, reads } = readerOf([
      record("dashboards", "a", { tiles: [tile("t1", id("5")), tile("t2", id("5"))] }),
      alert("b", id("a"), "t2"),
      record("sources", "5", { kind: "log" }),
    ]);
    const result = await verifyRecords(reader, { events: ignoreEvents });
    expect(result).toMatchObject({ records: 3, problems: [], dangling: [] });
    expect(reads).toHaveLength(3);
  });

  it("reports a dangling reference once, with its first place and the number of places", async () => {
    const { reader } = readerOf([
      record("dashboards", "a", { tiles: [tile("t1", id("5")), tile("t2", id("5")), tile("t3", id("6"))] }),
      alert("b", id("a"), "gone"),
      alert("c", id("d"), "t1"),
    ]);
    const { dangling } = await verifyRecords(reader, { events: ignoreEvents });
    expect(dangling.map(({ path, pointer, space, references }) => [path, pointer, space, references])).toEqual([
      [`alerts/${id("b")}.json`, "/tileId", "dashboards/tiles", 1],
      [`alerts/${id("c")}.json`, "/dashboardId", "dashboards", 1],
      [`alerts/${id("c")}.json`, "/tileId", "dashboards/tiles", 1],
      [`dashboards/${id("a")}.json`, "/tiles/0/config/sourceId", "sources", 2],
      [`dashboards/${id("a")}.json`, "/tiles/2/config/sourceId", "sources", 1],
    ]);
  });

  it("resolves a reference only in its declared kind, and ignores kinds that no archive holds", async () => {
    const leads = (type: string, to: string): object => ({
      id: `${type} ${to}`,
      name: type,
      config: { connectionId: id("9"), onClick: { type, target: { id: to } } },
    });
    const { reader } = readerOf([
      record("dashboards", "a", { tiles: [leads("dashboard", id("a")), leads("search", id("5"))] }),
      record("dashboards", "b", {
        tiles: [leads("dashboard", id("5")), leads("search", id("a")), leads("other", "x")],
      }),
      record("sources", "5", { kind: "log" }),
    ]);
    const { dangling } = await verifyRecords(reader, { events: ignoreEvents });
    expect(dangling.map(({ path, pointer, space }) => [path, pointer, space])).toEqual([
      [`dashboards/${id("b")}.json`, "/tiles/0/config/onClick/target/id", "dashboards"],
      [`dashboards/${id("b")}.json`, "/tiles/1/config/onClick/target/id", "sources"],
    ]);
  });

  it("reports a missing connection only if the stack has listed its connections", async () => {
    const sql = { id: "t1", name: "t1", config: { configType: "sql", connectionId: id("9"), sqlTemplate: "SELECT 1" } };
    const { reader } = readerOf([record("dashboards", "a", { tiles: [sql] })]);
    expect((await verifyRecords(reader, { events: ignoreEvents })).dangling).toEqual([]);
    const kinds = { ...reader.manifest.kinds, connections: { status: "complete" as const, count: 0 } };
    const listed = { ...reader, manifest: { ...reader.manifest, kinds } };
    expect((await verifyRecords(listed, { events: ignoreEvents })).dangling).toMatchObject([{ space: "connections" }]);
  });

  it("reports a record that does not fit its kind, and an unknown kind", async () => {
    const { reader } = readerOf([record("dashboards", "a", { tiles: "none" }), record("gadgets", "b", {})]);
    const { problems } = await verifyRecords(reader, { events: ignoreEvents });
    expect(problems.map(({ code }) => code)).toEqual(["unknown-form", "unreadable-record"]);
  });
});
