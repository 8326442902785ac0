import { generateKeyPairSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { fileOf, sampleRecord, sampleRecords, writeArchive } from "../support/archive-samples.ts";
import { manifestEntry, one, recordEntry } from "../support/hostile-archives.ts";
import { forgedEntries, readingEnd, readingEndOfBytes } from "../support/opened-archive.ts";
import { rawZip } from "../support/raw-zip.ts";
import type { RawEnd, RawEntry } from "../support/raw-zip.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const two = sampleRecord("two");
const whole = [recordEntry(), manifestEntry()];
const big = sampleRecord("big", "dashboards", { text: " ".repeat(3 * 1024 * 1024) });
const locator = Buffer.concat([Buffer.from("PK\u0006\u0007"), Buffer.alloc(16, 255)]);
const extra = (name: string | Buffer, more: Partial<RawEntry> = {}): RawEntry[] => [
  ...whole,
  { name, content: "{}", ...more },
];
const unix = (mode: number): number => mode * 0x10000;

type Case = [string, RegExp, "open" | "record", readonly RawEntry[], RawEnd?];

// Each guard is told by its own words: what another one would catch later is not the same thing.
const guards: readonly Case[] = [
  ["an end record of several disks", /one part of several/, "open", whole, { disk: 1 }],
  ["a ZIP64 locator", /ZIP64/, "open", whole, { beforeEnd: locator }],
  ["a directory that is elsewhere", /not where its end record says/, "open", whole, { directoryStart: 3 }],
  [
    "something between directory and end",
    /not where its end record says/,
    "open",
    whole,
    { beforeEnd: Buffer.from("x") },
  ],
  ["more entries than a directory can hold", /cannot hold 9 entries/, "open", whole, { count: 9 }],
  ["fewer entries than the directory holds", /not as long as its records/, "open", whole, { count: 1 }],
  [
    "one entry more than the directory has",
    /central directory is broken/,
    "open",
    [recordEntry(one, { extra: Buffer.alloc(60) }), manifestEntry()],
    { count: 3 },
  ],
  ["an encrypted entry", /is encrypted/, "open", [recordEntry(one, { flags: 1 }), manifestEntry()]],
  ["a strongly encrypted entry", /is encrypted/, "open", [recordEntry(one, { flags: 0x40 }), manifestEntry()]],
  ["an encrypted directory", /is encrypted/, "open", [recordEntry(one, { flags: 0x2000 }), manifestEntry()]],
  ["an unknown compression", /unknown compression/, "open", [recordEntry(one, { method: 9 }), manifestEntry()]],
  ["a link", /a link or a device/, "open", [recordEntry(one, { externalAttributes: unix(0o120777) }), manifestEntry()]],
  ["a pipe", /a link or a device/, "open", [recordEntry(one, { externalAttributes: unix(0o010600) }), manifestEntry()]],
  [
    "a file that is said to be a folder",
    /not what its name says/,
    "open",
    [recordEntry(one, { externalAttributes: unix(0o040755) }), manifestEntry()],
  ],
  [
    "a folder that is said to be a file",
    /not what its name says/,
    "open",
    extra("dashboards/", { content: "", method: 0 }),
  ],
  [
    "a folder with content",
    /folder with content/,
    "open",
    extra("dashboards/", { externalAttributes: unix(0o040755) }),
  ],
  ["no name", /no name/, "open", extra("")],
  ["a name of 301 bytes", /too long/, "open", extra(`${"\u00e4".repeat(150)}x`)],
  ["a name that is not UTF-8", /not UTF-8/, "open", extra(Buffer.from([0x61, 0xff]))],
  ["an absolute name", /may point outside the archive/, "open", extra("/dashboards/x.json")],
  ["a drive name", /may point outside the archive/, "open", extra("c:x.json")],
  ["a way up", /may point outside the archive/, "open", extra("dashboards/../x.json")],
  ["a way up at the end", /may point outside the archive/, "open", extra("dashboards/..")],
  ["a way to the same folder", /may point outside the archive/, "open", extra("./x.json")],
  ["a backslash", /may point outside the archive/, "open", extra("dashboards\\x.json")],
  ["a control character", /control characters/, "open", extra("dashboards/\u0007.json")],
  ["a character that turns the reading direction", /control characters/, "open", extra("dashboards/\u202e.json")],
  ["a name twice", /two entries are called/, "open", [...whole, recordEntry()]],
  ["a name twice but for case", /two entries are called/, "open", extra("Dashboards/ONE.json")],
  [
    "names that differ by Unicode form",
    /two entries are called/,
    "open",
    [...extra("a/\u00e4"), { name: "a/a\u0308", content: "{}" }],
  ],
  ["a size over the limit", /is over \d+ bytes/, "open", [recordEntry(one, { size: 0xffff_fffe }), manifestEntry()]],
  ["a size left to a ZIP64 field", /ZIP64/, "open", [recordEntry(one, { size: 0xffff_ffff }), manifestEntry()]],
  ["a compressed size of nothing", /is empty/, "open", [recordEntry(one, { compressedSize: 0 }), manifestEntry()]],
  [
    "a stored entry of two sizes",
    /two different sizes/,
    "open",
    [recordEntry(one, { method: 0, size: 5 }), manifestEntry()],
  ],
  ["a bomb", /more than 200 times its size/, "open", [recordEntry(big), manifestEntry([big])]],
  [
    "two entries in one place",
    /overlaps another/,
    "open",
    [recordEntry(), recordEntry(two, { offset: 0 }), manifestEntry([one, two])],
  ],
  [
    "an entry inside another",
    /overlaps another/,
    "open",
    [recordEntry(), recordEntry(two, { offset: 40 }), manifestEntry([one, two])],
  ],
  [
    "an entry that reaches into the directory",
    /reaches into its central directory/,
    "open",
    [manifestEntry(), recordEntry(one, { compressedSize: 400 })],
  ],
  [
    "an offset behind the end",
    /reaches into its central directory/,
    "open",
    [recordEntry(one, { offset: 0x7fff_ffff }), manifestEntry()],
  ],
  [
    "bytes before the first entry",
    /something before its first entry/,
    "open",
    whole,
    { prefix: Buffer.from("#!/bin/sh\n") },
  ],
  [
    "another name in the local header",
    /contradicts the directory/,
    "record",
    [recordEntry(one, { localName: "dashboards/two.json" }), manifestEntry()],
  ],
  [
    "a longer name in the local header",
    /contradicts the directory/,
    "record",
    [recordEntry(one, { localName: "dashboards/one.json2" }), manifestEntry()],
  ],
  [
    "another method in the local header",
    /contradicts the directory/,
    "record",
    [recordEntry(one, { localMethod: 0 }), manifestEntry()],
  ],
  [
    "encryption in the local header",
    /contradicts the directory/,
    "record",
    [recordEntry(one, { localFlags: 1 }), manifestEntry()],
  ],
  [
    "no local header",
    /contradicts the directory/,
    "record",
    [manifestEntry(), recordEntry(one, { offset: rawLength([manifestEntry()]) + 2, compressedSize: 30 })],
  ],
  [
    "an entry that reaches into the next",
    /overlaps another|reaches into what follows/,
    "open",
    [recordEntry(one, { compressedSize: 500 }), manifestEntry()],
  ],
  ["an output longer than stated", /not have the size that is stated/, "record", longer(8)],
  ["an output shorter than stated", /not have the size that is stated/, "record", shorter(8)],
  [
    "bytes that do not unpack",
    /cannot be unpacked/,
    "record",
    [recordEntry(one, { content: "x" }), manifestEntry()].map((each, index) => (index === 0 ? stored(each) : each)),
  ],
  ["a wrong CRC", /does not match its CRC/, "record", [recordEntry(one, { crc: 1 }), manifestEntry()]],
  [
    "a wrong CRC of a stored entry",
    /does not match its CRC/,
    "record",
    [recordEntry(one, { method: 0, crc: 1 }), manifestEntry()],
  ],
  [
    "a wrong CRC of the manifest",
    /manifest.json does not match its CRC/,
    "open",
    [recordEntry(), manifestEntry([one], { crc: 1 })],
  ],
];

/** The bytes before the directory. */
function rawLength(entries: readonly RawEntry[]): number {
  const zip = rawZip(entries);
  return zip.readUInt32LE(zip.length - 6);
}

/** Packs more than record `one`, and states its size and CRC in the directory. */
function longer(more: number): RawEntry[] {
  const { entry, content } = fileOf(one);
  const { crc } = crcOf(content);
  return [recordEntry(one, { content: `${content}${" ".repeat(more)}`, size: entry.bytes, crc }), manifestEntry()];
}

/** Packs less than record `one`, and states its size. */
function shorter(less: number): RawEntry[] {
  const { entry, content } = fileOf(one);
  return [
    recordEntry(one, { content: content.slice(0, -less), size: entry.bytes, crc: crcOf(content).crc }),
    manifestEntry(),
  ];
}

function crcOf(content: string): { readonly crc: number } {
  const zip = rawZip([{ name: "x", content }]);
  return { crc: zip.readUInt32LE(14) };
}

/** An entry that is called deflated and holds what no deflate stream is, of the size of record `one`. */
function stored(entry: RawEntry): RawEntry {
  const { entry: real } = fileOf(one);
  const packed = deflateRawSync(Buffer.from("{}"));
  return { ...entry, content: "{}", trailing: Buffer.alloc(0), compressedSize: packed.length - 1, size: real.bytes };
}

describe("the guards of the zip reader", () => {
  it("let a sound zip through, however it is packed, with folders and a comment", async () => {
    const folder: RawEntry = { name: "dashboards/", content: "", method: 0, externalAttributes: unix(0o040755) };
    for (const bytes of [
      rawZip(whole),
      rawZip([folder, recordEntry(one, { method: 0 }), manifestEntry([one], { method: 0, externalAttributes: 0 })]),
      rawZip(whole, { comment: "made by hand" }),
    ]) {
      expect(await readingEndOfBytes(bytes)).toMatchObject({ step: "read" });
    }
  });

  it.each<Case>(guards)("%s", async (_, message, step, entries, end) => {
    const found = await readingEndOfBytes(rawZip(entries, end));
    expect(found).toMatchObject({ step, code: "archive-damaged" });
    expect(found.message).toMatch(message);
  });

  it("ask for the signature of each local header and of each directory record", async () => {
    const zip = rawZip(whole);
    const flipped = (at: number): Buffer => {
      const bytes = Buffer.from(zip);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return bytes;
    };
    const local = await readingEndOfBytes(flipped(3));
    expect([local.step, local.message]).toEqual(["record", expect.stringMatching(/contradicts the directory/)]);
    const record = await readingEndOfBytes(flipped(rawLength(whole) + 3));
    expect([record.step, record.message]).toEqual(["open", expect.stringMatching(/central directory is broken/)]);
  });

  it("refuse each limit by itself, at its edge", async () => {
    const { entry } = fileOf(one);
    const total = entry.bytes;
    const over: readonly (readonly [object, RegExp])[] = [
      [{ maxEntries: 1 }, /zip has more than 1 entries/],
      [{ maxEntryBytes: total - 1 }, /is over \d+ bytes/],
      [{ maxTotalBytes: total - 1 }, /more than \d+ bytes in all/],
      [{ maxManifestBytes: 10 }, /entry manifest.json is over 10 bytes/],
      [{ maxNameLength: 18 }, /too long/],
    ];
    for (const [limits, message] of over) {
      const found = await readingEndOfBytes(rawZip(whole), limits);
      expect(found).toMatchObject({ step: "open", code: "archive-damaged" });
      expect(found.message).toMatch(message);
    }
    for (const limits of [
      { maxEntries: 2 },
      { maxEntryBytes: total },
      { maxTotalBytes: total },
      { maxNameLength: 19 },
    ]) {
      expect(await readingEndOfBytes(rawZip(whole), limits)).toMatchObject({ step: "read" });
    }
  });

  it("tell a zip that was cut from what never was one", async () => {
    const zip = rawZip(whole);
    for (const bytes of [zip.subarray(0, -1), zip.subarray(0, 40), Buffer.concat([zip, Buffer.from("x")])]) {
      expect(await readingEndOfBytes(bytes)).toMatchObject({
        code: "archive-damaged",
        message: expect.stringMatching(/has no end/),
      });
    }
    for (const bytes of [Buffer.alloc(0), Buffer.from("hello"), Buffer.alloc(100)]) {
      expect(await readingEndOfBytes(bytes)).toMatchObject({ step: "open", code: "archive-unknown" });
    }
  });
});

describe("a manifest and what is in the archive", () => {
  const withManifest = (content: string, entries: readonly RawEntry[] = [recordEntry()]): Buffer =>
    rawZip([...entries, { name: "manifest.json", content }]);
  it.each<[string, RegExp, "open" | "record", Buffer]>([
    ["a record that is missing", /is in the manifest but not in the archive/, "open", rawZip([manifestEntry()])],
    ["a record too many", /is in the archive but not in the manifest/, "open", rawZip([...whole, recordEntry(two)])],
    ["a file beside the records", /is in the archive but not in the manifest/, "open", rawZip(extra("notes.txt"))],
    ["an entry that is listed twice", /listed twice/, "open", withManifest(forgedEntries((entry) => [entry, entry]))],
    [
      "a path that is not its record's",
      /has another path than its kind and id require/,
      "open",
      withManifest(forgedEntries((entry) => [{ ...entry, id: "other" }])),
    ],
    [
      "another size",
      /size that the manifest states/,
      "open",
      withManifest(forgedEntries((entry) => [{ ...entry, bytes: entry.bytes + 1 }])),
    ],
    [
      "another checksum",
      /does not match its checksum/,
      "record",
      withManifest(forgedEntries((entry) => [{ ...entry, sha256: "0".repeat(64) }])),
    ],
    [
      "another content digest",
      /contentDigest does not match/,
      "open",
      withManifest(forgedEntries((entry) => [entry], { contentDigest: "0".repeat(64) })),
    ],
    [
      "a stack's address with a password, which a log would print",
      /contains a credential/,
      "open",
      withManifest(
        forgedEntries((entry) => [entry], {
          source: { variant: "self-hosted", baseUrl: "https://u:secret@stack.test" },
        }),
      ),
    ],
    [
      "a kind with another count",
      /count does not match/,
      "open",
      withManifest(forgedEntries((entry) => [entry], { kinds: { dashboards: { status: "complete", count: 2 } } })),
    ],
    [
      "a redaction of no entry",
      /names no entry/,
      "open",
      withManifest(
        forgedEntries((entry) => [entry], { redactions: [{ path: "dashboards/two.json", pointer: "", rule: "x" }] }),
      ),
    ],
  ])("%s", async (_, message, step, bytes) => {
    const found = await readingEndOfBytes(bytes);
    expect(found).toMatchObject({ step, code: "archive-damaged" });
    expect(found.message).toMatch(message);
  });

  it("go by the digest over path and checksum of each entry: two records cannot change places", async () => {
    const a = sampleRecord("one", "dashboards", { x: 1 });
    const b = sampleRecord("two", "dashboards", { x: 2 });
    const sizes = [fileOf(a).entry.bytes, fileOf(b).entry.bytes];
    expect(sizes[0]).toBe(sizes[1]);
    const swapped = [recordEntry(a, { name: fileOf(b).entry.path }), recordEntry(b, { name: fileOf(a).entry.path })];
    expect(await readingEndOfBytes(rawZip([...swapped, manifestEntry([a, b])]))).toMatchObject({
      step: "record",
      code: "archive-damaged",
    });
    const [first] = swapped;
    if (first === undefined) throw new Error("no entry");
    expect(await readingEndOfBytes(rawZip([recordEntry(a), first, manifestEntry([a, b])]))).toMatchObject({
      step: "record",
      code: "archive-damaged",
    });
  });
});

describe("what is no damage, and what is no archive", () => {
  it("is a comment that a zip program has given an entry", async () => {
    const commented = [recordEntry(one, { entryComment: "kept by a zip program" }), manifestEntry()];
    expect(await readingEndOfBytes(rawZip(commented))).toMatchObject({ step: "read" });
  });

  it("is a device: it is refused for what it is, and never read", async () => {
    const found = await readingEnd("/dev/zero");
    expect([found.step, found.code]).toEqual(["open", "archive-unknown"]);
    expect(found.message).toMatch(/neither a file nor a folder/);
  });
});

describe("an archive in folder form", () => {
  const RECORD = "dashboards/6b00e154e5757e17d9e50001.json";

  it.each([
    ["a record", RECORD, "name of", "name 0f", "record"],
    ["the manifest's entries", "manifest.json", '"sha256": "', '"sha256": "', "open"],
  ] as const)("of which %s was changed without changing its size is damaged", async (_, file, from, to, step) => {
    const folder = temporaryFolder();
    const path = join(folder, "archive");
    await writeArchive({ path, format: "folder" });
    expect(await readingEnd(path)).toMatchObject({ step: "read" });
    const text = await readFile(join(path, file), "utf8");
    const changed =
      from === to
        ? text.replace(/"sha256": "(.)/, (_all, digit) => `"sha256": "${digit === "0" ? "1" : "0"}`)
        : text.replace(from, to);
    expect([changed.length, changed === text]).toEqual([text.length, false]);
    await writeFile(join(path, file), changed);
    expect(await readingEnd(path)).toMatchObject({ step, code: "archive-damaged" });
  });

  it("with a record that grew or shrank is damaged, and told by its size", async () => {
    for (const change of [(text: string) => `${text} `, (text: string) => text.slice(0, -1)]) {
      const folder = temporaryFolder();
      const path = join(folder, "archive");
      await writeArchive({ path, format: "folder" });
      await writeFile(join(path, RECORD), change(await readFile(join(path, RECORD), "utf8")));
      const found = await readingEnd(path);
      expect(found).toMatchObject({ step: "record", code: "archive-damaged" });
      expect(found.message).toMatch(/is over \d+ bytes|size that the manifest states/);
    }
  });
});

describe("a signed archive", () => {
  const mine = generateKeyPairSync("ed25519");
  const theirs = generateKeyPairSync("ed25519");

  it("is refused by another key, and by its own key once its records are others", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "archive.zip");
    await writeArchive({ path, format: "zip", signer: mine.privateKey }, sampleRecords);
    expect(await readingEnd(path, { signer: mine.publicKey })).toMatchObject({ step: "read" });
    const other = await readingEnd(path, { signer: theirs.publicKey });
    expect(other).toMatchObject({ step: "open", code: "archive-damaged" });
    expect(other.message).toMatch(/made with another key/);
    await writeArchive({ path, format: "zip" }, sampleRecords.slice(1));
    const replaced = await readingEnd(path, { signer: mine.publicKey });
    expect(replaced).toMatchObject({ step: "open", code: "archive-damaged" });
    expect(replaced.message).toMatch(/not the signature of this archive/);
  });
});
