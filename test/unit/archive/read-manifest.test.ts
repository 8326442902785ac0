import { describe, expect, it } from "vitest";
import { archiveLimits } from "../../../src/archive/limits.ts";
import { parseManifest } from "../../../src/archive/manifest/manifest.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { manifestOf, sampleRecord } from "../../support/archive-samples.ts";

const manifest = manifestOf(Array.from({ length: 2000 }, (_, number) => sampleRecord(`ü ${String(number)}`)));
const listFirst: Partial<Manifest> = { entries: [] };
const text = JSON.stringify(manifest, undefined, 2);
const empty = manifestOf([]);

const reading = (json: string, limits = archiveLimits): ReturnType<typeof parseManifest> =>
  parseManifest(Buffer.from(json), limits);

describe("a manifest", () => {
  it.each([
    ["as it is written", text],
    ["on one line", JSON.stringify(manifest)],
    ["with its list first", JSON.stringify({ ...listFirst, ...manifest })],
    ["with the name of its list spelled otherwise", text.replace('"entries"', String.raw`"entr\u0069es"`)],
  ])("comes to the same %s", (_, json) => {
    expect(reading(json).manifest).toEqual(manifest);
  });

  it.each([
    ["white space that is none", JSON.stringify(empty).replace("[]", "[\u00a0]"), "manifest.json is not JSON"],
    ["no end", text.slice(0, -2), "manifest.json is not JSON"],
    ["an entry that is not JSON", text.replace('"bytes": ', '"bytes": x'), "manifest.json is not JSON"],
    ["a byte order mark", `\ufeff${text}`, "manifest.json is not JSON"],
    ["a list for a manifest", "[]", "manifest.json is not of the format"],
  ])("is refused with %s, as something that is not ours", (_, json, problem) => {
    expect(() => reading(json)).toThrow(
      expect.objectContaining({ code: "archive-unknown", message: expect.stringContaining(problem) }),
    );
  });

  it("is not looked at further once it names more files than an archive may have", () => {
    const limits = { ...archiveLimits, maxEntries: 2000 };
    expect(() => reading(text, limits)).toThrow("manifest.json: more than 2000 files");
    const later = text.replace('"formatVersion": 1', '"formatVersion": 2');
    expect(() => reading(later, limits)).toThrow("the archive has format version 2");
    const endless = text.replace('"entries": [', `"entries": [${"1,".repeat(1_000_000)}`);
    expect(() => reading(endless, limits)).toThrow("manifest.json: more than 2000 files");
  });
});
