import { describe, expect, it } from "vitest";
import type { RecordReader } from "../../../../src/core/ports.ts";
import { readRecords } from "../../../../src/import/read/archive-records.ts";
import { largeArchive } from "../../../support/large-archive.ts";

const { manifest, records } = largeArchive(40);

/** Returns a reader of an archive in memory, and the number of reads of each record. */
function countingReader(): { readonly reader: RecordReader; readonly reads: Map<string, number> } {
  const reads = new Map<string, number>();
  const read: RecordReader["read"] = async ({ id }) => {
    reads.set(id, (reads.get(id) ?? 0) + 1);
    const record = records.find((each) => each.id === id);
    if (record === undefined) throw new Error("not there");
    return record;
  };
  return { reader: { manifest, read }, reads };
}

describe("the records of an archive", () => {
  it("are each read once, in the manifest's order", async () => {
    const { reader, reads } = countingReader();
    const read = await readRecords(reader);
    expect(read.map(({ id }) => id)).toEqual(manifest.entries.map(({ id }) => id));
    expect([...reads.values()]).toEqual(manifest.entries.map(() => 1));
  });

  it("are not read when the run is aborted", async () => {
    const { reader } = countingReader();
    await expect(readRecords(reader, AbortSignal.abort())).rejects.toMatchObject({ code: "interrupted" });
  });
});
