import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { fileOf, sampleRecord } from "../../support/archive-samples.ts";
import { manifestEntry, one, readingEndOfBytes, recordEntry } from "../../support/hostile-archives.ts";
import { rawZip, type RawEnd, type RawEntry } from "../../support/raw-zip.ts";

const two = sampleRecord("two");
const whole = [recordEntry(), manifestEntry()];
const big = sampleRecord("big", "dashboards", { text: " ".repeat(3 * 1024 * 1024) });
const locator = Buffer.concat([Buffer.from("PK\u0006\u0007"), Buffer.alloc(16, 255)]);
const extra = (name: string | Buffer, more: Partial<RawEntry> = {}): RawEntry[] => [
  ...whole,
  { name, content: "{}", ...more },
];
const withRecord = (more: Partial<RawEntry>): RawEntry[] => [recordEntry(one, more), manifestEntry()];
const withMode = (mode: number): RawEntry[] => withRecord({ externalAttributes: mode * 0x10000 });
const folder = (more: Partial<RawEntry> = {}): RawEntry[] => extra("dashboards/", { content: "", method: 0, ...more });
const FOLDER = { externalAttributes: 0o040755 * 0x10000 };
const { bytes: total } = fileOf(one).entry;
const besideAnother = (offset: number): RawEntry[] => [
  recordEntry(),
  recordEntry(two, { offset }),
  manifestEntry([one, two]),
];

/** Replaces the content of the record `one`; the directory still states the size and CRC of the original content. */
function packed(change: (content: string) => string): RawEntry[] {
  const { entry, content } = fileOf(one);
  return withRecord({ content: change(content), size: entry.bytes, crc: crc32(content) });
}

type Case = [title: string, message: RegExp, entries: readonly RawEntry[], end?: RawEnd];

// Each case expects the message of its own check, because a later check might refuse the same archive too.
const OPENING: readonly Case[] = [
  ["an end record of several disks", /one part of several/, whole, { disk: 1 }],
  ["a ZIP64 locator", /ZIP64/, whole, { beforeEnd: locator }],
  ["a directory that is elsewhere", /not where its end record says/, whole, { directoryStart: 3 }],
  ["a directory of another size", /not where its end record says/, whole, { directorySize: 0xffff_fffe }],
  ["something between directory and end", /not where its end record says/, whole, { beforeEnd: Buffer.from("x") }],
  ["more entries than a directory can hold", /cannot hold 9 entries/, whole, { count: 9 }],
  ["65,535 entries", /more than \d+ entries|cannot hold 65535 entries/, whole, { count: 65_535 }],
  ["fewer entries than the directory holds", /not as long as its records/, whole, { count: 1 }],
  ["more entries than the directory has", /directory is broken/, withRecord({ extra: Buffer.alloc(60) }), { count: 3 }],
  ["an encrypted entry", /is encrypted/, withRecord({ flags: 1 })],
  ["a strongly encrypted entry", /is encrypted/, withRecord({ flags: 0x40 })],
  ["an encrypted directory", /is encrypted/, withRecord({ flags: 0x2000 })],
  ["an unknown compression", /unknown compression/, withRecord({ method: 9 })],
  ["a link", /a link or a device/, withMode(0o120777)],
  ["a device", /a link or a device/, withMode(0o020666)],
  ["a pipe", /a link or a device/, withMode(0o010600)],
  ["a file that is said to be a folder", /its name and its type disagree/, withMode(0o040755)],
  ["a folder that is said to be a file", /its name and its type disagree/, folder()],
  ["a folder with content", /folder with content/, folder({ ...FOLDER, content: "{}" })],
  ["no name", /no name/, extra("")],
  ["a name of 301 bytes", /too long/, extra(`${"\u00e4".repeat(150)}x`)],
  ["a name of 300 bytes", /not in the manifest/, extra("\u00e4".repeat(150))],
  ["a name that is not UTF-8", /not UTF-8/, extra(Buffer.from([0x61, 0xff]))],
  ["a control character in a name", /control characters/, extra("dashboards/\u0007.json")],
  ["a name that turns the reading direction", /control characters/, extra("dashboards/\u202e.json")],
  ["a name twice", /the same name/, [...whole, recordEntry()]],
  ["a manifest twice", /the same name/, [...whole, manifestEntry([])]],
  ["a name twice but for case", /the same name/, extra("Dashboards/ONE.json")],
  ["a name in two Unicode forms", /the same name/, [...extra("a/\u00e4"), { name: "a/a\u0308", content: "{}" }]],
  ["a size over the limit", /is over \d+ bytes/, withRecord({ size: 0xffff_fffe })],
  ["a size left to a ZIP64 field", /ZIP64/, withRecord({ size: 0xffff_ffff })],
  ["a ZIP64 field that tells the true size", /ZIP64/, withRecord({ size: 0xffff_ffff, extra: zip64(total) })],
  ["a compressed size of nothing", /is empty/, withRecord({ compressedSize: 0 })],
  ["a stored entry of two sizes", /two different sizes/, withRecord({ method: 0, size: 5 })],
  ["a bomb", /more than 200 times its size/, [recordEntry(big), manifestEntry([big])]],
  ["two entries in one place", /overlaps another/, besideAnother(0)],
  ["an entry inside another", /overlaps another/, besideAnother(40)],
  ["an entry that begins a byte too early", /overlaps another/, besideAnother(rawLength([recordEntry()]) - 1)],
  ["an entry that reaches into the next", /overlaps another/, withRecord({ compressedSize: 500 })],
  [
    "an entry that reaches into the directory",
    /reaches into its central directory/,
    [manifestEntry(), recordEntry(one, { compressedSize: 400 })],
  ],
  ["an offset behind the end", /reaches into its central directory/, withRecord({ offset: 0x7fff_ffff })],
  ["bytes before the first entry", /something before its first entry/, whole, { prefix: Buffer.from("#!/bin/sh\n") }],
  ["a wrong CRC of the manifest", /manifest.json does not match/, [recordEntry(), manifestEntry([one], { crc: 1 })]],
];

const READING: readonly Case[] = [
  [
    "no local header",
    /contradicts the directory/,
    [manifestEntry(), recordEntry(one, { offset: rawLength([manifestEntry()]) + 2, compressedSize: 30 })],
  ],
  ["an output longer than stated", /not have the size that is stated/, packed((content) => `${content} `)],
  ["an output shorter than stated", /not have the size that is stated/, packed((content) => content.slice(0, -8))],
  ["an output of half a megabyte", /not have the size that is stated/, packed(() => " ".repeat(500_000))],
  ["bytes that do not unpack", /cannot be unpacked/, withRecord({ compressedSize: 5 })],
  ["a wrong CRC", /does not match its CRC/, withRecord({ crc: 1 })],
  ["a wrong CRC of a stored entry", /does not match its CRC/, withRecord({ method: 0, crc: 1 })],
];

/** Returns the number of bytes before the directory. */
function rawLength(entries: readonly RawEntry[]): number {
  const zip = rawZip(entries);
  return zip.readUInt32LE(zip.length - 6);
}

/** Returns the extra field that holds an entry's sizes if they need 64 bits. */
function zip64(size: number): Buffer {
  const field = Buffer.alloc(4 + 24);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(24, 2);
  field.writeBigUInt64LE(BigInt(size), 4);
  field.writeBigUInt64LE(100n, 12);
  return field;
}

/** The end of reading an archive that is refused at this step. */
const refusal = (step: "open" | "record", message: RegExp) => ({
  step,
  code: "archive-damaged",
  message: expect.stringMatching(message),
});

describe("the guards of the zip reader", () => {
  it.each(OPENING)("refuse to open: %s", async (_, message, entries, end) => {
    expect(await readingEndOfBytes(rawZip(entries, end))).toMatchObject(refusal("open", message));
  });

  it.each(READING)("refuse to read a record: %s", async (_, message, entries) => {
    expect(await readingEndOfBytes(rawZip(entries))).toMatchObject(refusal("record", message));
  });

  it.each(["/x.json", "C:/x.json", "c:x", "./x.json", "a/./x.json", "a/.", "..", "../x", "a/../x", "a\\x"])(
    "refuse the name %j, which may lead out of the archive",
    async (name) => {
      const leadsOut = refusal("open", /may point outside the archive/);
      expect(await readingEndOfBytes(rawZip(extra(name)))).toMatchObject(leadsOut);
    },
  );

  it.each(["..a/x", "a/..b", "a./x", "ab:/x", "x/c:/x"])("let the name %j pass, which leads nowhere", async (name) => {
    expect((await readingEndOfBytes(rawZip(extra(name)))).message).toMatch(/in the archive but not in the manifest/);
  });

  it.each([
    ["signature", 0],
    ["encryption", 6],
    ["compression", 8],
    ["checksum", 14],
    ["size in the zip", 18],
    ["size", 22],
    ["length of the name", 26],
    ["name", 30],
  ])("hold the local header against the directory: %s", async (_, at) => {
    const bytes = rawZip(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    expect(await readingEndOfBytes(bytes)).toMatchObject(refusal("record", /contradicts the directory/));
  });

  it.each([
    ["that is none", 0, [0]],
    ["whose name reaches over the end", 28, [255, 255]],
    ["whose extra field reaches over the end", 30, [255, 255]],
    ["whose comment reaches over the end", 32, [255, 255]],
    ["that swallows the start of the next", 32, [4, 0]],
  ])("refuse a directory record %s", async (_, at, bytes) => {
    const zip = rawZip(whole);
    zip.set(bytes, rawLength(whole) + at);
    expect(await readingEndOfBytes(zip)).toMatchObject({ step: "open", code: "archive-damaged" });
  });

  it.each<[object, RegExp, object]>([
    [{ maxEntries: 1 }, /zip has more than 1 entries/, { maxEntries: 2 }],
    [{ maxEntryBytes: total - 1 }, /is over \d+ bytes/, { maxEntryBytes: total }],
    [{ maxTotalBytes: total - 1 }, /more than \d+ bytes in all/, { maxTotalBytes: total }],
    [{ maxManifestBytes: 10 }, /entry manifest.json is over 10 bytes/, {}],
    [{ maxNameLength: 18 }, /too long/, { maxNameLength: 19 }],
  ])("refuse the limit %o at its edge", async (limits, message, enough) => {
    expect(await readingEndOfBytes(rawZip(whole), limits)).toMatchObject(refusal("open", message));
    expect(await readingEndOfBytes(rawZip(whole), enough)).toMatchObject({ step: "read" });
  });

  it.each<[string, (zip: Buffer) => Buffer]>([
    ["that lacks its last byte", (zip) => zip.subarray(0, -1)],
    ["of which only the beginning is left", (zip) => zip.subarray(0, 40)],
    ["to which a byte was appended", (zip) => Buffer.concat([zip, Buffer.from("x")])],
  ])("find no end in a zip %s", async (_, change) => {
    expect(await readingEndOfBytes(change(rawZip(whole)))).toMatchObject(refusal("open", /has no end/));
  });

  it("let a comment pass that a zip program has added to an entry", async () => {
    const commented = [recordEntry(one, { entryComment: "kept by a zip program" }), manifestEntry()];
    expect(await readingEndOfBytes(rawZip(commented))).toMatchObject({ step: "read" });
  });
});
