import { describe, expect, it } from "vitest";
import { memorySource } from "../../../src/archive/byte-source.ts";
import { archiveLimits } from "../../../src/archive/limits.ts";
import { openZip } from "../../../src/archive/zip/source.ts";
import { rawZip } from "../../support/raw-zip.ts";

const zip = rawZip([
  { name: "dashboards/one.json", content: "{}", extra: Buffer.from([9, 9, 2, 0, 1, 1]) },
  { name: "dashboards/ünï.json", content: "x".repeat(3000), flags: 0x800, externalAttributes: 32 },
  { name: "dashboards/stored.json", content: "stored", method: 0 },
  { name: "alerts/", content: "", method: 0, externalAttributes: 0o40755 * 65536 },
]);
const opening = (bytes: Buffer): ReturnType<typeof openZip> =>
  openZip("archive.zip", memorySource(bytes), archiveLimits);

/** With other bytes from `at` on in the first record of the directory. */
const withRecord = (at: number, bytes: readonly number[]): Buffer => {
  const changed = Buffer.from(zip);
  changed.set(bytes, changed.indexOf("PK\u0001\u0002", 0, "latin1") + at);
  return changed;
};

describe("the directory of a zip", () => {
  it("names every file, and its size", async () => {
    const { files } = await opening(zip);
    expect([...files].map(([path, { uncompressedSize }]) => [path, uncompressedSize])).toEqual([
      ["dashboards/one.json", 2],
      ["dashboards/ünï.json", 3000],
      ["dashboards/stored.json", 6],
    ]);
  });

  it.each([
    ["is none", 0, [0]],
    ["has a name that reaches over the end", 28, [255, 255]],
    ["has a field that reaches over the end", 30, [255, 255]],
    ["has a comment that reaches over the end", 32, [255, 255]],
    ["swallows the start of the next", 32, [4, 0]],
  ])("is damaged where a record %s", async (_, at, bytes) => {
    await expect(opening(withRecord(at, bytes))).rejects.toMatchObject({ code: "archive-damaged" });
  });

  it("is damaged where sizes are in ZIP64 fields, though they are true", async () => {
    const field = Buffer.alloc(12);
    field.writeUInt16LE(1, 0);
    field.writeUInt16LE(8, 2);
    field.writeBigUInt64LE(2n, 4);
    const bytes = rawZip([{ name: "dashboards/one.json", content: "{}", size: 0xffffffff, extra: field }]);
    await expect(opening(bytes)).rejects.toMatchObject({ code: "archive-damaged" });
  });
});
