import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { fileOf, manifestOf, sampleRecord, refusal } from "../../support/archive-samples.ts";
import {
  errorOfOpening,
  forgedManifest,
  manifestEntry,
  one,
  outcomeOfBytes,
  recordEntry,
  recordsOfBytes,
} from "../../support/hostile-archives.ts";
import { rawZip } from "../../support/raw-zip.ts";
import type { RawEntry } from "../../support/raw-zip.ts";

const outcomeOf = (entries: readonly RawEntry[]): Promise<string> => outcomeOfBytes(rawZip(entries));
const forged = (content: string | Buffer): RawEntry[] => [
  { name: fileOf(one).entry.path, content },
  forgedManifest(Buffer.from(content)),
];
const manifestText = (text: string): RawEntry[] => [recordEntry(), { name: "manifest.json", content: text }];
const manifest = JSON.stringify(manifestOf([one]));
const withMember = (member: string): string => manifest.replace("{", `{${member},`);

describe("archives in archives", () => {
  const inner = rawZip([recordEntry(), manifestEntry()]);
  it.each<[string, RawEntry[]]>([
    ["a zip in the place of a record", forged(inner)],
    ["a packed record in the place of a record", forged(gzipSync('{"id":"one"}'))],
    ["a zip beside the records", [recordEntry(), manifestEntry(), { name: "dashboards/inner.zip", content: inner }]],
  ])("%s is not unpacked", async (_, entries) => {
    expect(await outcomeOf(entries)).toBe("archive-damaged");
  });

  it("nor is one that is hidden in what looks like another format", async () => {
    expect(gunzipSync(gzipSync(inner)).equals(inner)).toBe(true);
    expect(await outcomeOfBytes(gzipSync(inner))).toBe("archive-unknown");
  });
});

describe("ZIP64", () => {
  const zip64Field = Buffer.alloc(4 + 24);
  zip64Field.writeUInt16LE(1, 0);
  zip64Field.writeUInt16LE(24, 2);
  zip64Field.writeBigUInt64LE(2n ** 40n, 4);
  zip64Field.writeBigUInt64LE(100n, 12);
  const negative = Buffer.from(zip64Field);
  negative.writeBigInt64LE(-1n, 4);

  it.each<[string, Partial<RawEntry>]>([
    ["sizes of a terabyte", { size: 0xffffffff, compressedSize: 0xffffffff, extra: zip64Field }],
    ["a size below zero", { size: 0xffffffff, extra: negative }],
    ["a field that is cut short", { size: 0xffffffff, extra: zip64Field.subarray(0, 8) }],
    ["a field that is longer than it may be", { extra: Buffer.from([1, 0, 255, 255]) }],
  ])("%s", async (_, more) => {
    // The last one is a field that nobody needs, and is passed over like any other.
    const outcome = await outcomeOf([recordEntry(one, more), manifestEntry()]);
    expect(outcome).toBe(more.size === undefined ? "opened" : "archive-damaged");
  });
});

describe("members that JavaScript treats specially", () => {
  it.each(['"__proto__":{"polluted":1}', '"constructor":{"prototype":{"polluted":1}}'])(
    "%s is no member of a manifest",
    async (member) => {
      expect(await outcomeOf(manifestText(withMember(member)))).toBe("archive-damaged");
      const inKinds = manifest.replace('"kinds":{', `"kinds":{${member},`);
      // zod leaves `__proto__` out of any record, so of the two only the other one gets as far as being refused.
      expect(await outcomeOf(manifestText(inKinds))).toBe(member.includes("__") ? "opened" : "archive-damaged");
      const inEntry = manifest.replace('"entries":[{', `"entries":[{${member},`);
      expect(await outcomeOf(manifestText(inEntry))).toBe("archive-damaged");
    },
  );

  it("are plain members of a record", async () => {
    const text = '{"id":"one","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":2}';
    const [record] = await recordsOfBytes(rawZip(forged(text)));
    expect(JSON.stringify(record?.body)).toBe(text);
    expect(Object.getPrototypeOf(record?.body)).toBe(Object.prototype);
    expect("polluted" in {}).toBe(false);
  });

  it("are plain ids", async () => {
    const records = ["__proto__", "constructor", "hasOwnProperty"].map((id) => sampleRecord(id));
    const read = await recordsOfBytes(
      rawZip([...records.map((record) => recordEntry(record)), manifestEntry(records)]),
    );
    expect(read).toEqual(records);
  });
});

describe("JSON made to exhaust", () => {
  const deep = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
  it.each<[string, RawEntry[], string]>([
    ["a record 10,000 deep", forged(`{"id":"one","a":${deep}}`), "archive-damaged"],
    [
      "objects 10,000 deep",
      forged(`{"id":"one","a":${'{"a":'.repeat(10_000)}1${"}".repeat(10_001)}`),
      "archive-damaged",
    ],
    ["a manifest 10,000 deep", manifestText(withMember(`"a":${deep}`)), "archive-unknown"],
    ["a number beyond all numbers", forged('{"id":"one","a":[{"b":1e999}]}'), "archive-damaged"],
    ["a number below all numbers", forged('{"id":"one","a":-1e999}'), "archive-damaged"],
    ["a size beyond all numbers", manifestText(manifest.replace(/"bytes":\d+/, '"bytes":1e999')), "archive-damaged"],
    ["a size that is no whole number", manifestText(manifest.replace(/"bytes":\d+/, '"bytes":1.5')), "archive-damaged"],
    ["a size below zero", manifestText(manifest.replace(/"bytes":\d+/, '"bytes":-1')), "archive-damaged"],
    ["a count over 2^53", manifestText(manifest.replace(/"count":1/, '"count":9007199254740993')), "archive-damaged"],
    ["a million digits", forged(`{"id":"one","a":${"9".repeat(1_000_000)}}`), "archive-damaged"],
    ["a million unknown members", manifestText(withMember(manyMembers(100_000))), "archive-damaged"],
  ])("%s", async (_, entries, code) => {
    const begun = performance.now();
    expect(await outcomeOf(entries)).toBe(code);
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  it("takes numbers and halves of characters that are merely odd, and gives them back", async () => {
    const text = String.raw`{"id":"one","name":"\ud800","a":[1e308,5e-324,-0.5,"\udfff\ud800"]}`;
    const [record] = await recordsOfBytes(rawZip(forged(text)));
    expect(record?.body).toMatchObject({ name: "\ud800", a: [1e308, 5e-324, -0.5, "\udfff\ud800"] });
  });

  it("does not repeat names of a megabyte in messages", async () => {
    const long = "x".repeat(1_000_000);
    const stray = { ...manifestOf([one]), redactions: [{ path: long, pointer: "", rule: "" }] };
    const errors = [
      await errorOfOpening(manifestText(withMember(`"${long}":1`))),
      await errorOfOpening(manifestText(manifest.replace('"path":"', `"path":"${long}`))),
      await errorOfOpening(manifestText(JSON.stringify(stray))),
      await errorOfOpening(manifestText(manifest.replace('"kind":"dashboards"', `"kind":"${long}"`))),
    ];
    for (const error of errors) {
      expect(error).toMatchObject(refusal("archive-damaged"));
      expect((error as Error).message.length).toBeLessThan(500);
    }
  });
});

function manyMembers(count: number): string {
  return Array.from({ length: count }, (_, index) => `"m${index}":0`).join(",");
}
