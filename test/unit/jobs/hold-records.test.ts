import { describe, expect, it } from "vitest";
import type { ArchiveReader } from "../../../src/domain/ports.ts";
import { holdRecords, recordHolder } from "../../../src/jobs/hold-records.ts";
import { largeArchive } from "../../support/large-archive.ts";

const { manifest, records } = largeArchive(40);

/** An archive in memory that counts how often each record is read, and read again. Each time it is another object. */
function countingReader() {
  const [reads, again] = [new Map<string, number>(), new Map<string, number>()];
  const from = (counts: Map<string, number>, id: string) => {
    counts.set(id, (counts.get(id) ?? 0) + 1);
    return structuredClone(records.find((record) => record.id === id));
  };
  const reader = {
    manifest,
    prepare: ({ id }: { readonly id: string }) => Promise.resolve(() => from(reads, id)),
    readAgain: ({ id }: { readonly id: string }) => from(again, id),
  };
  return { reader: reader as unknown as ArchiveReader, reads, again };
}

describe("holding an archive's records", () => {
  it.each([
    ["as they are", { plainBytes: 1e9, bodies: 1 }, 0],
    ["to be read again", { plainBytes: 0, bodies: 2 }, manifest.entries.length],
  ])("%s comes to the same, in the manifest's order", async (_, limits, readAgain) => {
    const { reader, reads, again } = countingReader();
    const held = await holdRecords(reader, undefined, limits);
    expect([...reads.values()]).toEqual(manifest.entries.map(() => 1));
    expect(again.size).toBe(0);
    const expected = manifest.entries.map(({ id }) => records.find((record) => record.id === id));
    expect(held.map(({ kind, id, name, body }) => ({ kind, id, name, body }))).toEqual(expected);
    expect(again.size).toBe(readAgain);
  });

  it("reads a body again once while it is looked at, and anew when others have been", async () => {
    const { reader, again } = countingReader();
    const [first, second, third] = await holdRecords(reader, undefined, { plainBytes: 0, bodies: 2 });
    const body = first?.body;
    expect(first?.body).toBe(body);
    expect(second?.body).toBe(second?.body);
    expect(first?.body).toBe(body);
    expect(third?.body).toBeDefined();
    expect(first?.body).not.toBe(body);
    expect(first?.body).toEqual(body);
    expect([...again.values()]).toEqual([2, 1, 1]);
  });

  it("stops when it is told to", async () => {
    const { reader } = countingReader();
    await expect(holdRecords(reader, AbortSignal.abort())).rejects.toMatchObject({ code: "interrupted" });
  });
});

it("holds the first records of a list as they are, and unpacks the others as they were", () => {
  const hold = recordHolder({ plainBytes: 1, bodies: 1 });
  const held = records.map((record) => hold(record, { value: record.body }));
  expect(held.map(({ body }) => body)).toEqual(records.map(({ body }) => body));
  expect(held.map(({ body }, index) => body === records[index]?.body)).toEqual(records.map((_, index) => index === 0));
});
