import { crc32, deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { KeptFile, ZippedFile } from "../../../src/archive/unpack-file.ts";
import { unpackPieces } from "../../../src/archive/unpack-pieces.ts";

const content = Buffer.from("a manifest is longer than any record of it, ".repeat(20_000));
const [STORED, DEFLATED] = [0, 8];

function zipped(changes: Partial<ZippedFile> = {}, bytes: Uint8Array = deflateRawSync(content)): KeptFile {
  const about = { path: "manifest.json", method: DEFLATED, uncompressedSize: content.length, crc32: crc32(content) };
  return { bytes, zipped: { ...about, ...changes } };
}

async function piecesOf(file: KeptFile): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of unpackPieces(file)) pieces.push(piece);
  return pieces;
}

describe("unpacking piece by piece", () => {
  it.each([
    ["deflated", zipped()],
    ["stored", zipped({ method: STORED }, content)],
    ["in a folder", { bytes: content }],
  ])("gives a file that is %s, never much of it at a time", async (_, file) => {
    const pieces = await piecesOf(file);
    expect(Buffer.concat(pieces).equals(content)).toBe(true);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(65_536);
  });

  it.each([
    ["another CRC", zipped({ crc32: 1 }), "does not match its CRC"],
    ["a size that is too small", zipped({ uncompressedSize: 10 }), "does not have the size that is stated"],
    ["a size that is too large", zipped({ uncompressedSize: 10_000_000 }), "does not have the size that is stated"],
    ["an end that is missing", zipped({}, deflateRawSync(content).subarray(0, 900)), "cannot be unpacked"],
    ["bytes that were never deflated", zipped({}, Buffer.alloc(99, 255)), "cannot be unpacked"],
  ])("refuses %s", async (_, file, problem) => {
    await expect(piecesOf(file)).rejects.toMatchObject({
      code: "archive-damaged",
      message: expect.stringContaining(problem),
    });
  });

  it("unpacks no further than the zip says", async () => {
    let bytes = 0;
    const all = async (): Promise<void> => {
      for await (const piece of unpackPieces(zipped({ uncompressedSize: 100_000 }))) bytes += piece.length;
    };
    await expect(all()).rejects.toThrow("does not have the size that is stated");
    expect(bytes).toBeLessThanOrEqual(100_000);
  });
});
