import { describe, expect, it } from "vitest";
import type { ArchiveReader } from "../../../src/domain/ports.ts";
import { holdRecords } from "../../../src/jobs/hold-records.ts";
import { largeArchive } from "../../support/large-archive.ts";

const { manifest, records } = largeArchive(40);
const reader = {
  manifest,
  read: (entry: { readonly id: string }) => Promise.resolve(records.find(({ id }) => id === entry.id)),
} as unknown as ArchiveReader;

describe("holding an archive's records", () => {
  it.each([
    ["as they are", { plainBytes: 1e9, unpacked: 1 }],
    ["packed", { plainBytes: 0, unpacked: 2 }],
  ])("%s comes to the same, in the manifest's order", async (_, limits) => {
    const held = await holdRecords(reader, undefined, limits);
    const expected = manifest.entries.map(({ id }) => records.find((record) => record.id === id));
    expect(held.map(({ kind, id, name, body }) => ({ kind, id, name, body }))).toEqual(expected);
  });

  it("unpacks a body once while it is looked at, and again when others have been", async () => {
    const [first, second, third] = await holdRecords(reader, undefined, { plainBytes: 0, unpacked: 2 });
    const body = first?.body;
    expect(first?.body).toBe(body);
    expect(second?.body).toBe(second?.body);
    expect(first?.body).toBe(body);
    expect(third?.body).toBeDefined();
    expect(first?.body).not.toBe(body);
    expect(first?.body).toEqual(body);
  });

  it("stops when it is told to", async () => {
    await expect(holdRecords(reader, AbortSignal.abort())).rejects.toMatchObject({ code: "interrupted" });
  });
});
