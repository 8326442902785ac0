import { describe, expect, it } from "vitest";
import { archiveLimits } from "../../../src/archive/limits.ts";
import { parseManifest } from "../../../src/archive/manifest.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { manifestOf, sampleRecord } from "../../support/archive-samples.ts";

const manifest = manifestOf(Array.from({ length: 300 }, (_, number) => sampleRecord(`ü ${String(number)}`)));
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
    expect(reading(json)).toEqual(manifest);
  });

  it.each([
    ["white space that is none", JSON.stringify(empty).replace("[]", "[\u00a0]"), "manifest.json is not JSON"],
    ["no end", text.slice(0, -2), "manifest.json is not JSON"],
    ["an entry that is not JSON", text.replace('"bytes": ', '"bytes": x'), "manifest.json is not JSON"],
    ["a byte order mark", `\ufeff${text}`, "manifest.json is not JSON"],
  ])("is refused with %s as archive-unknown", (_, json, problem) => {
    expect(() => reading(json)).toThrow(
      expect.objectContaining({ code: "archive-unknown", message: expect.stringContaining(problem) }),
    );
  });

  it("is not looked at further once it names more files than an archive may have", () => {
    const limits = { ...archiveLimits, maxEntries: 300 };
    expect(() => reading(text, limits)).toThrow("manifest.json: more than 300 files");
    const later = text.replace('"formatVersion": 1', '"formatVersion": 2');
    expect(() => reading(later, limits)).toThrow("the archive has format version 2");
    const endless = text.replace('"entries": [', `"entries": [${"1,".repeat(1_000_000)}`);
    expect(() => reading(endless, limits)).toThrow("manifest.json: more than 300 files");
  });

  it.each([
    ["has more than 10 values", { maxManifestValues: 10 }],
    ["nests more than once", { maxDepth: 1 }],
  ])("is refused if it %s and may not", (_exceeds, limit) => {
    const unread = { code: "archive-unknown", hint: expect.any(String) };
    expect(() => reading(text, { ...archiveLimits, ...limit })).toThrow(expect.objectContaining(unread));
  });

  it("may list as many kinds, redactions and warnings as the limits say, and no more", () => {
    const kinds = (count: number) => ({
      ...manifest.kinds,
      ...Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`k${at}`, { status: "not-requested", count: 0 }] as const),
      ),
    });
    const own = Object.keys(manifest.kinds).length;
    expect(Object.keys(reading(JSON.stringify({ ...manifest, kinds: kinds(1000 - own) })).kinds)).toHaveLength(1000);
    expect(() => reading(JSON.stringify({ ...manifest, kinds: kinds(1001 - own) }))).toThrow("more than 1000 kinds");
    const limits = { ...archiveLimits, maxNotes: 2 };
    const path = manifest.entries[0]?.path ?? "";
    const notes = {
      redactions: (count: number) => Array.from({ length: count }, () => ({ path, pointer: "/a", rule: "jwt" })),
      warnings: (count: number) => Array.from({ length: count }, () => ({ code: "c", message: "m" })),
    };
    for (const [member, list] of Object.entries(notes)) {
      expect(reading(JSON.stringify({ ...manifest, [member]: list(2) }), limits)).toHaveProperty(member, list(2));
      expect(() => reading(JSON.stringify({ ...manifest, [member]: list(3) }), limits)).toThrow(
        `more than 2 ${member}`,
      );
    }
  });

  it("is refused with the position of its first invalid item", () => {
    const [first, ...others] = manifest.entries;
    const wrong = (entries: readonly unknown[]): string => JSON.stringify({ ...manifest, entries });
    expect(() => reading(wrong([first, { ...others[0], bytes: -1 }, 7]))).toThrow(
      /manifest\.json: entries\.1\.bytes: /,
    );
    expect(() => reading(wrong([first, 7]))).toThrow(/manifest\.json: entries\.1: /);
    expect(() => reading(JSON.stringify({ ...manifest, entries: {} }))).toThrow(/manifest\.json: entries: /);
    expect(() => reading(JSON.stringify({ ...manifest, kinds: 7 }))).toThrow(/manifest\.json: kinds: /);
    const wrongTwice = JSON.stringify({ ...manifest, createdAt: 1, createdBy: 1 });
    expect(() => reading(wrongTwice)).toThrow(/createdAt: [^;]*; createdBy: /);
  });
});
