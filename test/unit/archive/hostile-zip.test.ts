import { describe, expect, it } from "vitest";
import type { ArchiveLimits } from "../../../src/archive/limits.ts";
import { fileOf, sampleRecord, refusal } from "../../support/archive-samples.ts";
import {
  errorOfOpening,
  manifestEntry,
  one,
  outcomeOfBytes,
  recordEntry,
  recordsOfBytes,
} from "../../support/hostile-archives.ts";
import { rawZip } from "../../support/raw-zip.ts";
import type { RawEnd, RawEntry } from "../../support/raw-zip.ts";

const two = sampleRecord("two");
const big = sampleRecord("big", "dashboards", { text: " ".repeat(3 * 1024 * 1024) });

const outcomeOf = (entries: readonly RawEntry[]): Promise<string> => outcomeOfBytes(rawZip(entries));

// Without a manifest: the guards on names come first, or the outcome would be archive-unknown.
const extraEntry = (name: string | Buffer, more: Partial<RawEntry> = {}): RawEntry[] => [
  { name: "Dashboards/ONE.json", content: "{}" },
  { name, content: "{}", ...more },
];

describe("containers made to do harm", () => {
  it.each<[string, RawEntry[], RawEnd?]>([
    ["an entry that the manifest does not name", [recordEntry(), recordEntry(two), manifestEntry()]],
    ["an entry that is missing", [manifestEntry()]],
    ["a name twice", [recordEntry(), recordEntry(), manifestEntry()]],
    ["a manifest twice", [recordEntry(), manifestEntry(), manifestEntry([])]],
    ["a name that differs by case", extraEntry("dashboards/one.json")],
    ["names that differ by Unicode form", [...extraEntry("a/\u00e4"), { name: "a/a\u0308", content: "{}" }]],
    ["an absolute name", extraEntry("/etc/passwd")],
    ["a drive name", extraEntry("C:/windows")],
    ["a way up", extraEntry("dashboards/../../up.json")],
    ["a backslash", extraEntry("dashboards\\..\\up.json")],
    ["a control character", extraEntry("dashboards/\u001b[2J.json")],
    ["a name that is not UTF-8", extraEntry(Buffer.from([0x61, 0xff]))],
    ["an empty name", extraEntry("")],
    ["an endless name", extraEntry("x".repeat(301))],
    ["a link", [recordEntry(one, { externalAttributes: 0o120777 * 65536 }), manifestEntry()]],
    ["a device", [recordEntry(one, { externalAttributes: 0o020666 * 65536 }), manifestEntry()]],
    ["a folder with content", extraEntry("dashboards/")],
    ["a folder that is called a file", [recordEntry(one, { externalAttributes: 0o40755 * 65536 }), manifestEntry()]],
    ["an encrypted entry", [recordEntry(one, { flags: 1 }), manifestEntry()]],
    ["a strongly encrypted entry", [recordEntry(one, { flags: 0x41 }), manifestEntry()]],
    ["an entry encrypted in its local header only", [recordEntry(one, { localFlags: 1 }), manifestEntry()]],
    ["an unknown compression", [recordEntry(one, { method: 14 }), manifestEntry()]],
    ["a bomb", [recordEntry(big), manifestEntry([big])]],
    ["an entry whose size is less than it unpacks to", [recordEntry(one, { size: 5 }), manifestEntry()]],
    ["a stored entry with two sizes", [recordEntry(one, { method: 0, size: 5 }), manifestEntry()]],
    ["a size of 4 GiB", [recordEntry(one, { size: 0xffffffff }), manifestEntry()]],
    ["a compressed size that is too short", [recordEntry(one, { compressedSize: 5 }), manifestEntry()]],
    ["a compressed size that is too long", [recordEntry(one, { compressedSize: 500 }), manifestEntry()]],
    ["a compressed size of nothing", [recordEntry(one, { compressedSize: 0 }), manifestEntry()]],
    ["an offset behind the end", [recordEntry(one, { offset: 0x7fffffff }), manifestEntry()]],
    ["two entries in one place", [recordEntry(), recordEntry(two, { offset: 0 }), manifestEntry([one, two])]],
    ["an entry inside another", [recordEntry(), recordEntry(two, { offset: 40 }), manifestEntry([one, two])]],
    ["another local name", [recordEntry(one, { localName: "dashboards/two.json" }), manifestEntry()]],
    ["another local compression", [recordEntry(one, { localMethod: 0 }), manifestEntry()]],
    ["another local CRC", [recordEntry(one, { localCrc: 1 }), manifestEntry()]],
    ["another local size", [recordEntry(one, { localSize: 5 }), manifestEntry()]],
    ["a wrong CRC", [recordEntry(one, { crc: 1 }), manifestEntry()]],
    ["a wrong CRC of the manifest", [recordEntry(), manifestEntry([one], { crc: 1 })]],
    ["something before the zip", [recordEntry(), manifestEntry()], { prefix: Buffer.from("#!/bin/sh\n") }],
    ["something between directory and end", [recordEntry(), manifestEntry()], { beforeEnd: Buffer.from("hidden") }],
    [
      "a ZIP64 locator",
      [recordEntry(), manifestEntry()],
      { beforeEnd: Buffer.concat([Buffer.from("PK\u0006\u0007"), Buffer.alloc(16, 255)]) },
    ],
    ["several disks", [recordEntry(), manifestEntry()], { disk: 1 }],
    ["a count of 65,535", [recordEntry(), manifestEntry()], { count: 65_535 }],
    ["a count too high", [recordEntry(), manifestEntry()], { count: 3 }],
    ["a count too low", [manifestEntry(), recordEntry()], { count: 1 }],
    ["an entry hidden behind the count", [recordEntry(), manifestEntry(), recordEntry(two)], { count: 2 }],
    ["a directory elsewhere", [recordEntry(), manifestEntry()], { directoryStart: 3 }],
    ["a directory of another size", [recordEntry(), manifestEntry()], { directorySize: 0xfffffffe }],
  ])("%s", async (_, entries, end) => {
    expect(await outcomeOfBytes(rawZip(entries, end))).toBe("archive-damaged");
  });

  it("counts the entries before it looks at any", async () => {
    const entries = [recordEntry(), recordEntry(two)];
    expect(await errorOfOpening(entries)).toMatchObject(refusal("archive-unknown"));
    expect(await errorOfOpening(entries, { maxEntries: 1 })).toMatchObject(refusal("archive-damaged"));
  });

  it("names the entry without passing on what a terminal obeys", async () => {
    const error = await errorOfOpening(extraEntry("dashboards/\u001b[2J.json"));
    expect(error).toMatchObject({ message: expect.stringContaining("\\u{1b}[2J") });
  });

  it("stops unpacking at the size that is stated", async () => {
    const content = " ".repeat(500_000);
    const liar = { name: "dashboards/one.json", content, size: fileOf(one).entry.bytes };
    expect(await outcomeOf([liar, manifestEntry()])).toBe("archive-damaged");
  });

  it.each<[string, Partial<ArchiveLimits>]>([
    ["maxEntries", { maxEntries: 1 }],
    ["maxEntryBytes", { maxEntryBytes: 10 }],
    ["maxTotalBytes", { maxTotalBytes: 10 }],
    ["maxManifestBytes", { maxManifestBytes: 10 }],
    ["maxNameLength", { maxNameLength: 15 }],
  ])("keeps %s", async (_, limits) => {
    const entries = [recordEntry(), manifestEntry()];
    expect(await errorOfOpening(entries)).toBeUndefined();
    expect(await errorOfOpening(entries, limits)).toMatchObject(refusal("archive-damaged"));
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

const FOLDER = { externalAttributes: 0o40755 * 65536 };

describe("the name of an entry", () => {
  const told = async (name: string): Promise<unknown> =>
    errorOfOpening([recordEntry(), manifestEntry([one]), { name, content: "{}" }]).then((error) =>
      error instanceof Error ? error.message : error,
    );

  it.each(["/one.json", "C:/one.json", "c:one", "./one.json", "a/./one.json", "a/.", "..", "../x", "a/../x", "a\\x"])(
    "does not lead out of the archive: %j",
    async (name) => {
      expect(await told(name)).toMatch(/has a name that leaves the archive/);
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
