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
describe("verifying an archive", () => {
  it("reads every record once", async () => {
    const { reader, reads } = readerOf([
      record("dashboards", "a", { tiles: [tile("t1", id("5")), tile("t2", id("5"))] }),
      record("sources", "5", { kind: "log" }),
    ]);
    expect(await verifyRecords(reader, { events: ignoreEvents })).toEqual([]);
    expect(reads).toHaveLength(2);
  });

  it("reports a record that does not fit its kind, and an unknown kind", async () => {
    const { reader } = readerOf([record("dashboards", "a", { tiles: "none" }), record("gadgets", "b", {})]);
    const problems = await verifyRecords(reader, { events: ignoreEvents });
    expect(problems.map(({ code }) => code)).toEqual(["unreadable-record", "unknown-form"]);
  });
});
