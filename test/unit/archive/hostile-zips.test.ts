import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { memorySource } from "../../../src/archive/container.ts";
import type { ArchiveLimits } from "../../../src/archive/limits.ts";
import { archiveLimits } from "../../../src/archive/limits.ts";
import { contentDigest } from "../../../src/archive/record.ts";
import { openZip } from "../../../src/archive/zip/source.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { fileOf, manifestOf, refusal, sampleRecord } from "../../support/archive-samples.ts";
import {
  errorOfOpening,
  forgedManifest,
  manifestEntry,
  one,
  outcomeOfBytes,
  recordEntry,
  recordsOfBytes,
} from "../../support/hostile-archives.ts";
import type { RawEnd, RawEntry } from "../../support/raw-zip.ts";
import { rawZip } from "../../support/raw-zip.ts";

// Zips that somebody else made, by mistake or to do harm. Each row is a zip, or a file that is none; the title of its table says
// what reading it comes to.

type Case = readonly [title: string, zip: readonly RawEntry[] | Buffer, end?: RawEnd];

const two = sampleRecord("two");
const big = sampleRecord("big", "dashboards", { text: " ".repeat(3 * 1024 * 1024) });
const whole = [recordEntry(), manifestEntry()];
const manifest = manifestOf([one]);
const manifestJson = JSON.stringify(manifest);
const inner = rawZip(whole);
const FOLDER = { externalAttributes: 0o40755 * 65536 };

const bytesOf = (zip: readonly RawEntry[] | Buffer, end?: RawEnd): Buffer =>
  Buffer.isBuffer(zip) ? zip : rawZip(zip, end);

/** The one record with another field in its headers. */
const withRecord = (more: Partial<RawEntry>): RawEntry[] => [recordEntry(one, more), manifestEntry()];
const withManifestJson = (json: string): RawEntry[] => [recordEntry(), { name: "manifest.json", content: json }];
const withManifest = (change: object): RawEntry[] => withManifestJson(JSON.stringify({ ...manifest, ...change }));
const withMember = (member: string): RawEntry[] => withManifestJson(manifestJson.replace("{", `{${member},`));
const withListed = (more: object): RawEntry[] => withManifest({ entries: [{ ...manifest.entries[0], ...more }] });

/** The one record with other content, with which the manifest agrees. */
const withContent = (content: string | Buffer): RawEntry[] => [
  { name: fileOf(one).entry.path, content },
  forgedManifest(Buffer.from(content)),
];

/** The one record in a file that neither its kind nor its id names, with which the manifest agrees. */
function moved(): RawEntry[] {
  const entries: Manifest["entries"] = [{ ...fileOf(one).entry, path: "dashboards/another-name.json" }];
  const content = JSON.stringify({ ...manifest, entries, contentDigest: contentDigest(entries) });
  return [recordEntry(one, { name: "dashboards/another-name.json" }), manifestEntry([one], { content })];
}

/** The field of an entry that has its sizes where they need 64 bits. */
function zip64(size: bigint): Buffer {
  const field = Buffer.alloc(4 + 24);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(24, 2);
  field.writeBigInt64LE(size, 4);
  field.writeBigUInt64LE(100n, 12);
  return field;
}

const OPENED: Case[] = [
  ["made by another tool", whole],
  ["stored", [recordEntry(one, { method: 0 }), manifestEntry([one], { method: 0 })]],
  ["sizes behind an entry", withRecord({ localFlags: 8, localCrc: 0, localSize: 0 })],
  ["manifest first", [manifestEntry(), recordEntry()]],
  ["comment", whole, { comment: "PK\u0005\u0006 hello" }],
  ["comment that holds a whole end record", whole, { comment: `PK\u0005\u0006${"\0".repeat(17)}x` }],
  ["folder entry without content", [{ name: "dashboards/", content: "", method: 0, ...FOLDER }, ...whole]],
  ["made on Windows", withRecord({ externalAttributes: 32 })],
  ["extra field", withRecord({ extra: Buffer.from("UT\u0005\u0000\u0001\u0000\u0000\u0000\u0000", "latin1") })],
  ["ZIP64 field that nobody needs, longer than it may be", withRecord({ extra: Buffer.from([1, 0, 255, 255]) })],
  ["record 127 deep", withContent(`{"id":"one","a":${"[".repeat(127)}${"]".repeat(127)},"b":"[[[\\"[{"}`)],
];

const UNKNOWN: Case[] = [
  ["nothing", Buffer.alloc(0)],
  ["one byte", Buffer.from("P")],
  ["text", Buffer.from("hello, this is no zip at all, and never was")],
  ["zeros", Buffer.alloc(100_000)],
  ["packed zip", gzipSync(inner)],
  ["empty zip", []],
  ["zip of something else", [{ name: "readme.txt", content: "hello" }]],
  ["another program's manifest", [{ name: "manifest.json", content: '{"manifest_version":3}' }]],
  ["manifest that is no JSON", [{ name: "manifest.json", content: "{" }]],
  ["manifest that is an array", [{ name: "manifest.json", content: "[]" }]],
  ["manifest 10,000 deep", withMember(`"a":${"[".repeat(10_000)}${"]".repeat(10_000)}`)],
  ...[99, 2, 0, "1"].map((formatVersion): Case => {
    return [`format version ${JSON.stringify(formatVersion)}`, withManifest({ formatVersion })];
  }),
];

const DAMAGED_ZIPS: Case[] = [
  ["entry that the manifest does not name", [recordEntry(), recordEntry(two), manifestEntry()]],
  ["missing entry", [manifestEntry()]],
  ["name twice", [recordEntry(), ...whole]],
  ["manifest twice", [...whole, manifestEntry([])]],
  ["zip beside the records", [...whole, { name: "dashboards/inner.zip", content: inner }]],
  ["link", withRecord({ externalAttributes: 0o120777 * 65536 })],
  ["device", withRecord({ externalAttributes: 0o020666 * 65536 })],
  ["folder that is called a file", withRecord(FOLDER)],
  ["encrypted entry", withRecord({ flags: 1 })],
  ["strongly encrypted entry", withRecord({ flags: 0x41 })],
  ["unknown compression", withRecord({ method: 14 })],
  ["bomb", [recordEntry(big), manifestEntry([big])]],
  ["entry that unpacks to more than its size", withRecord({ size: 5 })],
  [
    "entry of the right size that unpacks to more",
    [{ ...recordEntry(), content: " ".repeat(500_000), size: fileOf(one).entry.bytes }, manifestEntry()],
  ],
  ["stored entry with two sizes", withRecord({ method: 0, size: 5 })],
  ["size of 4 GiB", withRecord({ size: 0xffffffff })],
  ["compressed size that is too short", withRecord({ compressedSize: 5 })],
  ["compressed size that is too long", withRecord({ compressedSize: 500 })],
  ["compressed size of nothing", withRecord({ compressedSize: 0 })],
  ["offset behind the end", withRecord({ offset: 0x7fffffff })],
  ["two entries in one place", [recordEntry(), recordEntry(two, { offset: 0 }), manifestEntry([one, two])]],
  ["entry inside another", [recordEntry(), recordEntry(two, { offset: 40 }), manifestEntry([one, two])]],
  ["wrong CRC", withRecord({ crc: 1 })],
  ["wrong CRC of the manifest", [recordEntry(), manifestEntry([one], { crc: 1 })]],
  ["something before the zip", whole, { prefix: Buffer.from("#!/bin/sh\n") }],
  ["something between directory and end", whole, { beforeEnd: Buffer.from("hidden") }],
  ["ZIP64 locator", whole, { beforeEnd: Buffer.concat([Buffer.from("PK\u0006\u0007"), Buffer.alloc(16, 255)]) }],
  ["several disks", whole, { disk: 1 }],
  ["count of 65,535", whole, { count: 65_535 }],
  ["count too high", whole, { count: 3 }],
  ["count too low", [manifestEntry(), recordEntry()], { count: 1 }],
  ["entry hidden behind the count", [...whole, recordEntry(two)], { count: 2 }],
  ["directory elsewhere", whole, { directoryStart: 3 }],
  ["directory of another size", whole, { directorySize: 0xfffffffe }],
  ["ZIP64 sizes of a terabyte", withRecord({ size: 0xffffffff, compressedSize: 0xffffffff, extra: zip64(2n ** 40n) })],
  ["ZIP64 size below zero", withRecord({ size: 0xffffffff, extra: zip64(-1n) })],
  ["ZIP64 size that is true", withRecord({ size: 0xffffffff, extra: zip64(BigInt(fileOf(one).entry.bytes)) })],
  ["ZIP64 field that is cut short", withRecord({ size: 0xffffffff, extra: zip64(2n ** 40n).subarray(0, 8) })],
];

const DAMAGED_MANIFESTS: Case[] = [
  ["digest", withManifest({ contentDigest: "0".repeat(64) })],
  ["checksum", withListed({ sha256: "0".repeat(64) })],
  ["size", withListed({ bytes: 1 })],
  ["id", withListed({ id: "two" })],
  ["kind", withListed({ kind: "alerts" })],
  ["path that leads out", withListed({ path: "../one.json" })],
  ["kind that leads out", withListed({ kind: "..", path: "../one.json" })],
  ["file that neither kind nor id names", moved()],
  ["member too many", withManifest({ hello: 1 })],
  ["member too few", withManifest({ warnings: undefined })],
  ["entries that are no list", withManifest({ entries: {} })],
  ["kind that is not counted", withManifest({ kinds: {} })],
  ["kind that is counted wrongly", withManifest({ kinds: { dashboards: { status: "complete", count: 2 } } })],
  ["entry twice", withManifest({ entries: [...manifest.entries, ...manifest.entries] })],
  ["redaction elsewhere", withManifest({ redactions: [{ path: "a", pointer: "", rule: "b" }] })],
  ["size beyond all numbers", withManifestJson(manifestJson.replace(/"bytes":\d+/, '"bytes":1e999'))],
  ["size that is no whole number", withListed({ bytes: 1.5 })],
  ["size below zero", withListed({ bytes: -1 })],
  ["count over 2^53", withManifestJson(manifestJson.replace(/"count":1/, '"count":9007199254740993'))],
  ["100,000 unknown members", withMember(Array.from({ length: 100_000 }, (_, at) => `"m${at}":0`).join(","))],
];

const DAMAGED_RECORDS: Case[] = (
  [
    ["no JSON", "{"],
    ["array", "[]"],
    ["null", "null"],
    ["another id", '{"id":"two"}'],
    ["no id", "{}"],
    ["inherited id", '{"__proto__":{"id":"one"}}'],
    ["128 deep", `{"id":"one","a":${"[".repeat(128)}${"]".repeat(128)}}`],
    ["objects 10,000 deep", `{"id":"one","a":${'{"a":'.repeat(10_000)}1${"}".repeat(10_001)}`],
    ["bottomless", `{"id":"one","a":${"[".repeat(1_000_000)}`],
    ["not UTF-8", Buffer.from('{"id":"one","a":"\u00ff"}', "latin1")],
    ["after a byte order mark", '\ufeff{"id":"one"}'],
    ["number beyond all numbers", '{"id":"one","a":[{"b":1e999}]}'],
    ["number below all numbers", '{"id":"one","a":-1e999}'],
    ["a million digits", `{"id":"one","a":${"9".repeat(1_000_000)}}`],
    ["zip", inner],
    ["packed record", gzipSync('{"id":"one"}')],
  ] as const
).map(([title, content]) => [title, withContent(content)] as const);

const TABLES: [outcome: string, subject: string, cases: Case[]][] = [
  ["opened", "a foreign zip", OPENED],
  ["archive-unknown", "a file that is no archive", UNKNOWN],
  ["archive-damaged", "a zip", DAMAGED_ZIPS],
  ["archive-damaged", "a manifest with another or wrong", DAMAGED_MANIFESTS],
  ["archive-damaged", "the content of a record", DAMAGED_RECORDS],
];

describe.each(TABLES)("%s: %s", (outcome, _, cases) => {
  it.each(cases.map(([title, zip, end]) => [title, bytesOf(zip, end)] as const))("%s", async (__, bytes) => {
    expect(await outcomeOfBytes(bytes)).toBe(outcome);
  });
});

describe("the limits of an archive", () => {
  it("hold for the number of entries before any is looked at", async () => {
    const entries = [recordEntry(), recordEntry(two)];
    expect(await errorOfOpening(entries)).toMatchObject(refusal("archive-unknown"));
    expect(await errorOfOpening(entries, { maxEntries: 1 })).toMatchObject(refusal("archive-damaged"));
  });

  it.each<Partial<ArchiveLimits>>([
    { maxEntries: 1 },
    { maxEntryBytes: 10 },
    { maxTotalBytes: 10 },
    { maxManifestBytes: 10 },
    { maxNameLength: 15 },
  ])("are kept: %j", async (limits) => {
    expect(await errorOfOpening(whole)).toBeUndefined();
    expect(await errorOfOpening(whole, limits)).toMatchObject(refusal("archive-damaged"));
  });
});

describe("the directory of a zip", () => {
  const zip = rawZip([
    { name: "dashboards/one.json", content: "{}", extra: Buffer.from([9, 9, 2, 0, 1, 1]) },
    { name: "dashboards/ünï.json", content: "x".repeat(3000), flags: 0x800, externalAttributes: 32 },
    { name: "dashboards/stored.json", content: "stored", method: 0 },
    { name: "alerts/", content: "", method: 0, ...FOLDER },
  ]);
  const opening = (bytes: Buffer): ReturnType<typeof openZip> =>
    openZip("archive.zip", memorySource(bytes), archiveLimits);

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
    const changed = Buffer.from(zip);
    changed.set(bytes, changed.indexOf("PK\u0001\u0002", 0, "latin1") + at);
    await expect(opening(changed)).rejects.toMatchObject({ code: "archive-damaged" });
  });
});

describe("the local header of an entry", () => {
  it.each([
    ["signature", 0],
    ["encryption", 6],
    ["compression", 8],
    ["checksum", 14],
    ["size in the zip", 18],
    ["size", 22],
    ["length of the name", 26],
    ["name", 30],
  ])("says what the directory says: %s", async (_, at) => {
    const bytes = rawZip([recordEntry(), manifestEntry([one])]);
    expect(await outcomeOfBytes(bytes)).toBe("opened");
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await expect(recordsOfBytes(bytes)).rejects.toThrow(/contradicts the directory/);
  });
});

describe("the name of an entry", () => {
  const told = async (name: string): Promise<unknown> =>
    errorOfOpening([recordEntry(), manifestEntry([one]), { name, content: "{}" }]).then((error) =>
      error instanceof Error ? error.message : error,
    );

  it.each(["/one.json", "C:/one.json", "c:one", "./one.json", "a/./one.json", "a/.", "..", "../x", "a/../x", "a\\x"])(
    "does not lead out of the archive: %j",
    async (name) => {
      expect(await told(name)).toMatch(/has a name that may point outside the archive/);
    },
  );

  const entry = (name: string | Buffer, more: Partial<RawEntry> = {}): RawEntry => ({ name, content: "{}", ...more });
  it.each<[string, RawEntry[], RegExp]>([
    ["differs by case", [entry("Dashboards/ONE.json")], /two entries are called/],
    ["differs by Unicode form", [entry("a/\u00e4"), entry("a/a\u0308")], /two entries are called/],
    ["has a control character", [entry("dashboards/\u001b[2J.json")], /control characters/],
    ["is no UTF-8", [entry(Buffer.from([0x61, 0xff]))], /not UTF-8/],
    ["is empty", [entry("")], /no name/],
    ["is too long", [entry("x".repeat(301))], /too long/],
    ["is as long as it may be", [entry("x".repeat(300))], /not in the manifest/],
    ["is a folder's, with content", [entry("dashboards/", FOLDER)], /folder with content/],
  ])("is told of where it %s", async (_, entries, problem) => {
    const error = await errorOfOpening([...entries, recordEntry(), manifestEntry([one])]);
    expect(error).toMatchObject({ code: "archive-damaged", message: expect.stringMatching(problem) });
  });

  it("may be a folder's where that has no content", async () => {
    const folder = entry("dashboards/", { ...FOLDER, content: "", method: 0 });
    expect(await outcomeOfBytes(rawZip([folder, recordEntry(), manifestEntry([one])]))).toBe("opened");
  });

  it.each(["..a/x", "a/..b", "a./x", "ab:/x", "x/c:/x"])("may look a little as if it did: %j", async (name) => {
    expect(await told(name)).toMatch(/is in the archive but not in the manifest/);
  });
});

describe("members and values that JavaScript treats specially", () => {
  it.each(['"__proto__":{"polluted":1}', '"constructor":{"prototype":{"polluted":1}}'])(
    "%s is no member of a manifest",
    async (member) => {
      expect(await outcomeOfBytes(bytesOf(withMember(member)))).toBe("archive-damaged");
      const inKinds = manifestJson.replace('"kinds":{', `"kinds":{${member},`);
      // zod leaves `__proto__` out of any record, so of the two only the other one gets as far as being refused.
      expect(await outcomeOfBytes(bytesOf(withManifestJson(inKinds)))).toBe(
        member.includes("__") ? "opened" : "archive-damaged",
      );
      const inEntry = manifestJson.replace('"entries":[{', `"entries":[{${member},`);
      expect(await outcomeOfBytes(bytesOf(withManifestJson(inEntry)))).toBe("archive-damaged");
    },
  );

  it("are plain members of a record", async () => {
    const text = '{"id":"one","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":2}';
    const [record] = await recordsOfBytes(rawZip(withContent(text)));
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

  it("takes numbers and halves of characters that are merely odd, and gives them back", async () => {
    const text = String.raw`{"id":"one","name":"\ud800","a":[1e308,5e-324,-0.5,"\udfff\ud800"]}`;
    const [record] = await recordsOfBytes(rawZip(withContent(text)));
    expect(record?.body).toMatchObject({ name: "\ud800", a: [1e308, 5e-324, -0.5, "\udfff\ud800"] });
  });
});

describe("what is said of a damaged archive", () => {
  it("tells where, never what", async () => {
    const error = await errorOfOpening(withManifest({ createdAt: "s3cret" }));
    expect(error).toMatchObject({ message: expect.stringContaining("createdAt") });
    expect(error).not.toMatchObject({ message: expect.stringContaining("s3cret") });
  });

  it("names a version that is too new, and what to do", async () => {
    const error = await errorOfOpening([
      { name: "manifest.json", content: '{"format":"stackferry-archive","formatVersion":99}' },
    ]);
    expect(error).toMatchObject({ message: expect.stringContaining("version 99") });
    expect(error).toMatchObject({ hint: expect.stringContaining("upgrade stackferry") });
  });

  it("names the entry without passing on what a terminal obeys", async () => {
    const error = await errorOfOpening([{ name: "dashboards/\u001b[2J.json", content: "{}" }]);
    expect(error).toMatchObject({ message: expect.stringContaining("\\u{1b}[2J") });
  });

  it("does not repeat names of a megabyte in messages", async () => {
    const long = "x".repeat(1_000_000);
    const errors = [
      await errorOfOpening(withMember(`"${long}":1`)),
      await errorOfOpening(withManifestJson(manifestJson.replace('"path":"', `"path":"${long}`))),
      await errorOfOpening(withManifest({ redactions: [{ path: long, pointer: "", rule: "" }] })),
      await errorOfOpening(withManifestJson(manifestJson.replace('"kind":"dashboards"', `"kind":"${long}"`))),
    ];
    for (const error of errors) {
      expect(error).toMatchObject(refusal("archive-damaged"));
      expect((error as Error).message.length).toBeLessThan(500);
    }
  });
});
