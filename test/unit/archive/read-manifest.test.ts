import { deflateRawSync, crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { archiveLimits } from "../../../src/archive/limits.ts";
import { readManifest } from "../../../src/archive/read-manifest.ts";
import type { KeptFile } from "../../../src/archive/unpack-file.ts";
import type { Manifest } from "../../../src/domain/manifest.ts";
import { manifestOf, sampleRecord } from "../../support/archive-samples.ts";

const manifest = manifestOf(Array.from({ length: 2000 }, (_, number) => sampleRecord(`ü ${String(number)}`)));
const listFirst: Partial<Manifest> = { entries: [] };
const text = JSON.stringify(manifest, undefined, 2);

const empty = manifestOf([]);
const other = (member: string): string => text.replace(/\}$/, `,${member}}`);

function kept(json: string): KeptFile {
  const content = Buffer.from(json);
  const about = { path: "manifest.json", method: 8, uncompressedSize: content.length, crc32: crc32(content) };
  return { bytes: deflateRawSync(content), zipped: about };
}

const reading = (json: string, limits = archiveLimits): ReturnType<typeof readManifest> =>
  readManifest(kept(json), limits);

describe("a manifest that is read piece by piece", () => {
  it.each([
    ["as it is written", text],
    ["on one line", JSON.stringify(manifest)],
    ["with its list first", JSON.stringify({ ...listFirst, ...manifest })],
    ["with another spelling before its list", text.replace("{", String.raw`{"entr\u0069es":[1],`)],
    ["with the name of its list spelled otherwise", text.replace('"entries"', String.raw`"entr\u0069es"`)],
  ])("comes to the same %s", async (_, json) => {
    const read = await reading(json);
    expect(read.manifest).toEqual(manifest);
    expect(read.bytes).toBe(Buffer.byteLength(json));
  });

  it.each([
    ["a list and one whose name is spelled otherwise", other(String.raw`"entr\u0069es":[]`), 'has "entries" twice'],
    ["a list and one far from its name", other(`"entries":${" ".repeat(100)}[{}]`), 'has "entries" twice'],
    ["an empty list and one more", text.replace('"entries": [', '"entries": [],\n"entries": ['), 'has "entries" twice'],
    ["white space that is none", JSON.stringify(empty).replace("[]", "[\u00a0]"), "manifest.json is not JSON"],
    ["two lists", text.replace('"entries": [', '"entries": [1],\n"entries": ['), 'manifest.json has "entries" twice'],
    ["no end", text.slice(0, -2), "manifest.json is not JSON"],
    ["an entry that is not JSON", text.replace('"bytes": ', '"bytes": x'), "manifest.json is not JSON"],
    ["a byte order mark", `\ufeff${text}`, "manifest.json is not JSON"],
    ["a list for a manifest", "[]", "manifest.json is not of the format"],
  ])("is refused with %s, as something that is not ours", async (_, json, problem) => {
    await expect(reading(json)).rejects.toMatchObject({
      code: "archive-unknown",
      message: expect.stringContaining(problem),
    });
  });

  it("is damaged where its bytes are not as they were written, whatever they say now", async () => {
    const { bytes, zipped } = kept(text.replace("[", "("));
    const crc = crc32(Buffer.from(text));
    const file = { bytes, ...(zipped && { zipped: { ...zipped, crc32: crc } }) };
    await expect(readManifest(file, archiveLimits)).rejects.toMatchObject({ code: "archive-damaged" });
  });

  it("is not read on once it names more files than an archive may have", async () => {
    const limits = { ...archiveLimits, maxEntries: 2000 };
    await expect(reading(text, limits)).rejects.toThrow("manifest.json: more than 2000 files");
    const later = text.replace('"formatVersion": 1', '"formatVersion": 2');
    await expect(reading(later, limits)).rejects.toThrow("the archive has format version 2");
    const endless = text.replace('"entries": [', `"entries": [${"1,".repeat(2_000_000)}`);
    await expect(reading(endless, limits)).rejects.toThrow("entries.0");
  });
});
