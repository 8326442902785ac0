import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { recordsOn } from "../../support/on-stack.ts";
import { storedArchive, fileOf, sampleRecord } from "../../support/archive-samples.ts";
import {
  forgedEntries,
  manifestEntry,
  one,
  readingEnd,
  readingEndOfBytes,
  recordEntry,
} from "../../support/hostile-archives.ts";
import { rawZip, type RawEnd, type RawEntry } from "../../support/raw-zip.ts";
import {
  outcomesOf,
  programWithArchive,
  warningCodes,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";
import { documentOf } from "../../support/run-cli.ts";
import { hexId } from "../../support/stack-records.ts";

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
  [
    "one entry more than the directory has",
    /central directory is broken/,
    withRecord({ extra: Buffer.alloc(60) }),
    { count: 3 },
  ],
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
  ["a name twice", /two entries have the same name/, [...whole, recordEntry()]],
  ["a manifest twice", /two entries have the same name/, [...whole, manifestEntry([])]],
  ["a name twice but for case", /two entries have the same name/, extra("Dashboards/ONE.json")],
  [
    "a name twice in two Unicode forms",
    /two entries have the same name/,
    [...extra("a/\u00e4"), ...extra("a/a\u0308").slice(-1)],
  ],
  ["a size over the limit", /is over \d+ bytes/, withRecord({ size: 0xffff_fffe })],
  ["a size left to a ZIP64 field", /ZIP64/, withRecord({ size: 0xffff_ffff })],
  [
    "a ZIP64 field that tells the true size",
    /ZIP64/,
    withRecord({ size: 0xffff_ffff, extra: zip64(fileOf(one).entry.bytes) }),
  ],
  ["a compressed size of nothing", /is empty/, withRecord({ compressedSize: 0 })],
  ["a stored entry of two sizes", /two different sizes/, withRecord({ method: 0, size: 5 })],
  ["a bomb", /more than 200 times its size/, [recordEntry(big), manifestEntry([big])]],
  ["two entries in one place", /overlaps another/, besideAnother(0)],
  ["an entry inside another", /overlaps another/, besideAnother(40)],
  ["an entry that reaches into the next", /overlaps another/, withRecord({ compressedSize: 500 })],
  [
    "an entry that reaches into the directory",
    /reaches into its central directory/,
    [manifestEntry(), recordEntry(one, { compressedSize: 400 })],
  ],
  ["an offset behind the end", /reaches into its central directory/, withRecord({ offset: 0x7fff_ffff })],
  ["bytes before the first entry", /something before its first entry/, whole, { prefix: Buffer.from("#!/bin/sh\n") }],
  [
    "a wrong CRC of the manifest",
    /manifest.json does not match its CRC/,
    [recordEntry(), manifestEntry([one], { crc: 1 })],
  ],
];

const READING: readonly Case[] = [
  [
    "no local header",
    /contradicts the directory/,
    [manifestEntry(), recordEntry(one, { offset: rawLength([manifestEntry()]) + 2, compressedSize: 30 })],
  ],
  [
    "an output longer than stated",
    /not have the size that is stated/,
    packed((content) => `${content}${" ".repeat(8)}`),
  ],
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

describe("the guards of the zip reader", () => {
  it.each(OPENING)("refuse to open: %s", async (_, message, entries, end) => {
    const found = await readingEndOfBytes(rawZip(entries, end));
    expect(found).toMatchObject({ step: "open", code: "archive-damaged", message: expect.stringMatching(message) });
  });

  it.each(READING)("refuse to read a record: %s", async (_, message, entries) => {
    const found = await readingEndOfBytes(rawZip(entries));
    expect(found).toMatchObject({ step: "record", code: "archive-damaged", message: expect.stringMatching(message) });
  });

  it.each(["/x.json", "C:/x.json", "c:x", "./x.json", "a/./x.json", "a/.", "..", "../x", "a/../x", "a\\x"])(
    "refuse the name %j, which may lead out of the archive",
    async (name) => {
      const { step, message } = await readingEndOfBytes(rawZip(extra(name)));
      expect([step, message]).toEqual(["open", expect.stringMatching(/may point outside the archive/)]);
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
    const { step, message } = await readingEndOfBytes(bytes);
    expect([step, message]).toEqual(["record", expect.stringMatching(/contradicts the directory/)]);
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
  const forged = (...given: Parameters<typeof forgedEntries>): RawEntry[] => [
    recordEntry(),
    { name: "manifest.json", content: forgedEntries(...given) },
  ];
  const same = (entry: object): object[] => [entry];
  const source = { variant: "self-hosted", baseUrl: "https://u:secret@stack.test" } as const;
  const redactions = [{ path: "dashboards/two.json", pointer: "", rule: "x" }];

  it.each<[string, RegExp, readonly RawEntry[]]>([
    ["a record that is missing", /is in the manifest but not in the archive/, [manifestEntry()]],
    ["a record too many", /is in the archive but not in the manifest/, [...whole, recordEntry(two)]],
    ["a file beside the records", /is in the archive but not in the manifest/, extra("notes.txt")],
    ["an entry that is listed twice", /listed twice/, forged((entry) => [entry, entry])],
    [
      "a path that is not its record's",
      /has another path than its kind and id require/,
      forged((entry) => [{ ...entry, id: "other" }]),
    ],
    ["another size", /size that the manifest states/, forged((entry) => [{ ...entry, bytes: entry.bytes + 1 }])],
    ["another content digest", /contentDigest does not match/, forged(same, { contentDigest: "0".repeat(64) })],
    ["a stack's address with a password, which a log would print", /contains a credential/, forged(same, { source })],
    [
      "a kind with another count",
      /count does not match/,
      forged(same, { kinds: { dashboards: { status: "complete", count: 2 } } }),
    ],
    ["a redaction of no entry", /names no entry/, forged(same, { redactions })],
  ])("agree, or the archive is damaged: %s", async (_, message, entries) => {
    const found = await readingEndOfBytes(rawZip(entries));
    expect(found).toMatchObject({ step: "open", code: "archive-damaged", message: expect.stringMatching(message) });
  });

  it("agree on each checksum, which is looked at when the record is read", async () => {
    const zip = rawZip(forged((entry) => [{ ...entry, sha256: "0".repeat(64) }]));
    const message = expect.stringMatching(/does not match its checksum/);
    expect(await readingEndOfBytes(zip)).toMatchObject({ step: "record", code: "archive-damaged", message });
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

describe("content that is no damage, and files that are no archive", () => {
  it("include a comment that a zip program has added to an entry", async () => {
    const commented = [recordEntry(one, { entryComment: "kept by a zip program" }), manifestEntry()];
    expect(await readingEndOfBytes(rawZip(commented))).toMatchObject({ step: "read" });
  });

  it("include a device: it is refused as a device, and never read", async () => {
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
    const path = await storedArchive({ format: "folder" });
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
      const path = await storedArchive({ format: "folder" });
      await writeFile(join(path, RECORD), change(await readFile(join(path, RECORD), "utf8")));
      const found = await readingEnd(path);
      expect(found).toMatchObject({ step: "record", code: "archive-damaged" });
      expect(found.message).toMatch(/is over \d+ bytes|size that the manifest states/);
    }
  });
});

const DAMAGED = [`dashboards/${hexId("a", 16)}.json`, `alerts/${hexId("a", 33)}.json`];

/** Creates a program with an archive in the folder `f`, in which the dashboard "One" and the alert "Quiet" are damaged. */
async function programWithDamagedArchive(): Promise<ProgramWithArchive> {
  const program = await programWithArchive();
  const exported = await program.run(["export", "--from", program.from.stack, "--format", "folder", "--out", "f"]);
  expect(exported.exitCode).toBe(0);
  for (const path of DAMAGED) {
    const text = await readFile(join(program.cwd, "f", path), "utf8");
    await writeFile(join(program.cwd, "f", path), text.replace("name", "nane"));
  }
  return program;
}

it.each(["verify f", "report f", "import f --to TARGET --yes"])(
  "`%s` names every damaged record of an archive",
  async (line) => {
    await using program = await programWithDamagedArchive();
    const run = documentOf(await program.run(line.replace("TARGET", program.to.stack).split(" ")));
    const error = { code: "archive-damaged", hint: expect.stringContaining("--exclude ID") as string, faults: DAMAGED };
    expect(run).toMatchObject({ exitCode: 4, error });
  },
);

it("an import without the damaged records creates all that do not need them, and a whole copy adds the rest", async () => {
  await using program = await programWithDamagedArchive();
  const others = ["import", "f", "--to", program.to.stack, "--exclude", "One", "--exclude", "Quiet", "--yes"];
  const rescue = await program.run(others);
  const written = outcomesOf(rescue).filter(({ action }) => action !== "skip");
  expect(written.map(({ name, action, code }) => [name, action, code])).toEqual([
    ["Two", "blocked", "missing-reference"],
    ["Three", "create", undefined],
    ["Busy", "blocked", "missing-reference"],
  ]);
  expect(warningCodes(rescue)).toEqual(["unreadable-record", "unreadable-record"]);

  const whole = await program.import("--yes");
  expect(whole.exitCode).toBe(0);
  const names = async (kind: string) => (await recordsOn(program.to, kind)).map(({ name }) => name).toSorted();
  expect([await names("dashboards"), await names("alerts")]).toEqual([
    ["One", "Three", "Two"],
    ["Busy", "Quiet"],
  ]);
});
