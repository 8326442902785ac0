import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { memorySource } from "../../../src/archive/age.ts";
import { archiveLimits } from "../../../src/archive/limits.ts";
import { openZip } from "../../../src/archive/zip/source.ts";
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
import { rawZip, type RawEnd, type RawEntry } from "../../support/raw-zip.ts";

// Zips that stackferry did not write, damaged or hostile. Each row is a zip, or a file that is not a zip; the title of its table
// tells the result of reading it. The checks of the zip format itself are tested in test/behaviour/backups/zip.test.ts.

type Case = readonly [title: string, zip: readonly RawEntry[] | Buffer, end?: RawEnd];

const whole = [recordEntry(), manifestEntry()];
const manifest = manifestOf([one]);
const manifestJson = JSON.stringify(manifest);
const inner = rawZip(whole);
const FOLDER = { externalAttributes: 0o40755 * 65536 };

const bytesOf = (zip: readonly RawEntry[] | Buffer, end?: RawEnd): Buffer =>
  Buffer.isBuffer(zip) ? zip : rawZip(zip, end);

/** Returns an archive of one record whose zip headers have the given fields. */
const withRecord = (more: Partial<RawEntry>): RawEntry[] => [recordEntry(one, more), manifestEntry()];
const withManifestJson = (json: string): RawEntry[] => [recordEntry(), { name: "manifest.json", content: json }];
const withManifest = (change: object): RawEntry[] => withManifestJson(JSON.stringify({ ...manifest, ...change }));
const withMember = (member: string): RawEntry[] => withManifestJson(manifestJson.replace("{", `{${member},`));
const withListed = (more: object): RawEntry[] => withManifest({ entries: [{ ...manifest.entries[0], ...more }] });

/** Returns an archive whose record has the given content, with a manifest that agrees. */
const withContent = (content: string | Buffer): RawEntry[] => [
  { name: fileOf(one).entry.path, content },
  forgedManifest(Buffer.from(content)),
];

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
  ...[99, 2, 0, -1, 1.5, "1", undefined, 2 ** 60].map((formatVersion): Case => {
    return [`format version ${JSON.stringify(formatVersion)}`, withManifest({ formatVersion })];
  }),
];

const DAMAGED_MANIFESTS: Case[] = [
  ["kind", withListed({ kind: "alerts" })],
  ["path that leads out", withListed({ path: "../one.json" })],
  ["kind that leads out", withListed({ kind: "..", path: "../one.json" })],
  ["member too many", withManifest({ hello: 1 })],
  ["member too few", withManifest({ warnings: undefined })],
  ["entries that are no list", withManifest({ entries: {} })],
  ["kind that is not counted", withManifest({ kinds: {} })],
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
  ["archive-damaged", "a manifest with", DAMAGED_MANIFESTS],
  ["archive-damaged", "the content of a record", DAMAGED_RECORDS],
];

describe.each(TABLES)("%s: %s", (outcome, _, cases) => {
  it.each(cases.map(([title, zip, end]) => [title, bytesOf(zip, end)] as const))("%s", async (__, bytes) => {
    expect(await outcomeOfBytes(bytes)).toBe(outcome);
  });
});

it("the zip reader names every file of a zip with its size", async () => {
  const zip = rawZip([
    { name: "dashboards/one.json", content: "{}", extra: Buffer.from([9, 9, 2, 0, 1, 1]) },
    { name: "dashboards/ünï.json", content: "x".repeat(3000), flags: 0x800, externalAttributes: 32 },
    { name: "dashboards/stored.json", content: "stored", method: 0 },
    { name: "alerts/", content: "", method: 0, ...FOLDER },
  ]);
  const { files } = await openZip("archive.zip", memorySource(zip), archiveLimits);
  expect([...files].map(([path, { uncompressedSize }]) => [path, uncompressedSize])).toEqual([
    ["dashboards/one.json", 2],
    ["dashboards/ünï.json", 3000],
    ["dashboards/stored.json", 6],
  ]);
});

describe("members and values that JavaScript treats specially", () => {
  it.each(['"__proto__":{"polluted":1}', '"constructor":{"prototype":{"polluted":1}}'])(
    "%s is no member of a manifest",
    async (member) => {
      expect(await outcomeOfBytes(bytesOf(withMember(member)))).toBe("archive-damaged");
      const inKinds = manifestJson.replace('"kinds":{', `"kinds":{${member},`);
      // zod drops `__proto__` from every record, so only the other member is refused here.
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

describe("the error of a damaged archive", () => {
  it("names the position of the damage and never the content", async () => {
    const error = await errorOfOpening(withManifest({ createdAt: "s3cret" }));
    expect(error).toMatchObject({ message: expect.stringContaining("createdAt") });
    expect(error).not.toMatchObject({ message: expect.stringContaining("s3cret") });
  });

  it("names a format version that is too new and the remedy", async () => {
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
