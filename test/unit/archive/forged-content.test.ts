import { describe, expect, it } from "vitest";
import { contentDigest } from "../../../src/archive/manifest/digest.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { fileOf, manifestOf } from "../../support/archive-samples.ts";
import {
  errorOfOpening,
  forgedManifest,
  manifestEntry,
  one,
  outcomeOfBytes,
  recordEntry,
} from "../../support/hostile-archives.ts";
import type { RawEntry } from "../../support/raw-zip.ts";
import { rawZip } from "../../support/raw-zip.ts";

const outcomeOf = (entries: readonly RawEntry[]): Promise<string> => outcomeOfBytes(rawZip(entries));

const shortened = (change: (manifest: Manifest) => object): RawEntry[] => [
  recordEntry(),
  manifestEntry([one], { content: JSON.stringify({ ...manifestOf([one]), ...change(manifestOf([one])) }) }),
];
const withEntry = (more: object): RawEntry[] => shortened(({ entries }) => ({ entries: [{ ...entries[0], ...more }] }));

describe("manifests that do not hold together", () => {
  it.each<[string, RawEntry[]]>([
    ["another digest", shortened(() => ({ contentDigest: "0".repeat(64) }))],
    ["another checksum", withEntry({ sha256: "0".repeat(64) })],
    ["another size", withEntry({ bytes: 1 })],
    ["another id", withEntry({ id: "two" })],
    ["another kind", withEntry({ kind: "alerts" })],
    ["a path that leads out", withEntry({ path: "../one.json" })],
    ["a kind that leads out", withEntry({ kind: "..", path: "../one.json" })],
    ["a member too many", shortened(() => ({ hello: 1 }))],
    ["a member too few", shortened(() => ({ warnings: undefined }))],
    ["entries that are no list", shortened(() => ({ entries: {} }))],
    ["a kind that is not counted", shortened(() => ({ kinds: {} }))],
    ["a kind that is counted wrongly", shortened(() => ({ kinds: { dashboards: { status: "complete", count: 2 } } }))],
    ["an entry twice", shortened(({ entries }) => ({ entries: [...entries, ...entries] }))],
    ["a redaction elsewhere", shortened(() => ({ redactions: [{ path: "a", pointer: "", rule: "b" }] }))],
  ])("%s", async (_, entries) => {
    expect(await outcomeOf(entries)).toBe("archive-damaged");
  });

  it("has each file where its kind and id place it, and nowhere else", async () => {
    const path = "dashboards/another-name.json";
    const entries = [{ ...fileOf(one).entry, path }];
    const manifest = { ...manifestOf([one]), entries, contentDigest: contentDigest(entries) };
    const moved = [recordEntry(one, { name: path }), manifestEntry([one], { content: JSON.stringify(manifest) })];
    expect(await outcomeOf(moved)).toBe("archive-damaged");
  });

  it("tells where, never what", async () => {
    const error = await errorOfOpening(shortened(() => ({ createdAt: "s3cret" })));
    expect(error).toMatchObject({ message: expect.stringContaining("createdAt") });
    expect(error).not.toMatchObject({ message: expect.stringContaining("s3cret") });
  });
});

describe("records that are not what the manifest says", () => {
  const forged = (content: string | Buffer): RawEntry[] => {
    const { entry } = fileOf(one);
    const bytes = Buffer.from(content);
    return [{ name: entry.path, content: bytes }, forgedManifest(bytes)];
  };
  it.each<[string, string | Buffer]>([
    ["no JSON", "{"],
    ["an array", "[]"],
    ["null", "null"],
    ["another id", '{"id":"two"}'],
    ["no id", "{}"],
    ["an inherited id", '{"__proto__":{"id":"one"}}'],
    ["too deep", `{"id":"one","a":${"[".repeat(128)}${"]".repeat(128)}}`],
    ["bottomless", `{"id":"one","a":${"[".repeat(1_000_000)}`],
    ["not UTF-8", Buffer.from('{"id":"one","a":"\u00ff"}', "latin1")],
    ["after a byte order mark", '\ufeff{"id":"one"}'],
  ])("%s", async (_, content) => {
    expect(await outcomeOf(forged(content))).toBe("archive-damaged");
  });

  it("takes what is deep but not too deep", async () => {
    expect(await outcomeOf(forged(`{"id":"one","a":${"[".repeat(127)}${"]".repeat(127)},"b":"[[[\\"[{"}`))).toBe(
      "opened",
    );
  });
});
