import { Open } from "unzipper";
import { describe, expect, it } from "vitest";
import { archiveLimits } from "../../../src/archive/limits.ts";
import { memoryReads } from "../../../src/archive/random-access.ts";
import { readZipDirectory } from "../../../src/archive/read-zip-directory.ts";
import { findZipEnd } from "../../../src/archive/zip-end.ts";
import { rawZip } from "../../support/raw-zip.ts";

const zip = rawZip([
  { name: "dashboards/one.json", content: "{}", extra: Buffer.from([9, 9, 2, 0, 1, 1]) },
  { name: "dashboards/ünï.json", content: "x".repeat(3000), flags: 0x800, externalAttributes: 32 },
  { name: Buffer.from([0x61, 0xff]), content: "stored", method: 0, crc: 0xfffffffe, size: 0xfffffffd },
  { name: "alerts/", content: "", method: 0 },
]);
const directoryOf = (bytes: Buffer): ReturnType<typeof readZipDirectory> => {
  const reads = memoryReads(bytes);
  return readZipDirectory(reads, findZipEnd(reads, bytes.length, archiveLimits));
};
/** With other bytes from `at` on in the first record of the directory. */
const withRecord = (at: number, bytes: readonly number[]): Buffer => {
  const changed = Buffer.from(zip);
  changed.set(bytes, changed.indexOf("PK\u0001\u0002", 0, "latin1") + at);
  return changed;
};

describe("the directory of a zip", () => {
  it("says what another reader finds there", async () => {
    const { files } = await Open.buffer(zip);
    expect(directoryOf(zip)).toEqual(
      files.map((file) => ({
        path: file.path,
        isUtf8: !file.path.includes("\ufffd"),
        nameBytes: file.fileNameLength,
        flags: file.flags,
        method: file.compressionMethod,
        crc32: file.crc32,
        compressedSize: file.compressedSize,
        uncompressedSize: file.uncompressedSize,
        offset: file.offsetToLocalFileHeader,
        externalAttributes: file.externalFileAttributes,
      })),
    );
  });

  it.each([
    ["is none", 0, [0]],
    ["has a name that reaches over the end", 28, [255, 255]],
    ["has a field that reaches over the end", 30, [255, 255]],
    ["has a comment that reaches over the end", 32, [255, 255]],
  ])("tells which record %s", (_, at, bytes) => {
    expect(() => directoryOf(withRecord(at, bytes))).toThrow("record 1 of the zip's directory is broken");
  });

  it("notices a record that swallows the start of the next", () => {
    expect(() => directoryOf(withRecord(32, [4, 0]))).toThrow("record 2 of the zip's directory is broken");
  });
});
