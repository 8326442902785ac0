import { describe, expect, it } from "vitest";
import { manifestOf } from "../../support/archive-samples.ts";
import { errorOfOpening, manifestEntry, one, outcomeOfBytes, recordEntry } from "../../support/hostile-archives.ts";
import { rawZip } from "../../support/raw-zip.ts";
import type { RawEnd, RawEntry } from "../../support/raw-zip.ts";

const outcomeOf = (entries: readonly RawEntry[]): Promise<string> => outcomeOfBytes(rawZip(entries));

describe("zips that are fine though not ours in every byte", () => {
  it.each<[string, RawEntry[], RawEnd?]>([
    ["made by another tool", [recordEntry(), manifestEntry()]],
    ["stored", [recordEntry(one, { method: 0 }), manifestEntry([one], { method: 0 })]],
    ["with sizes behind an entry", [recordEntry(one, { localFlags: 8, localCrc: 0, localSize: 0 }), manifestEntry()]],
    ["with the manifest first", [manifestEntry(), recordEntry()]],
    ["with a comment", [recordEntry(), manifestEntry()], { comment: "PK\u0005\u0006 hello" }],
    [
      "with a comment that holds a whole end record",
      [recordEntry(), manifestEntry()],
      { comment: `PK\u0005\u0006${"\0".repeat(17)}x` },
    ],
    [
      "with folder entries",
      [
        { name: "dashboards/", content: "", method: 0, externalAttributes: 0o40755 * 65536 },
        recordEntry(),
        manifestEntry(),
      ],
    ],
    ["made on Windows", [recordEntry(one, { externalAttributes: 32 }), manifestEntry()]],
    [
      "with extra fields",
      [
        recordEntry(one, { extra: Buffer.from("UT\u0005\u0000\u0001\u0000\u0000\u0000\u0000", "latin1") }),
        manifestEntry(),
      ],
    ],
  ])("%s", async (_, entries, end) => {
    expect(await outcomeOfBytes(rawZip(entries, end))).toBe("opened");
  });
});

describe("files that never were an archive", () => {
  it.each<[string, Buffer]>([
    ["nothing", Buffer.alloc(0)],
    ["one byte", Buffer.from("P")],
    ["text", Buffer.from("hello, this is no zip at all, and never was")],
    ["zeros", Buffer.alloc(100_000)],
    ["an empty zip", rawZip([])],
    ["a zip of something else", rawZip([{ name: "readme.txt", content: "hello" }])],
    ["a zip with another program's manifest", rawZip([{ name: "manifest.json", content: '{"manifest_version":3}' }])],
    ["a zip with a manifest that is no JSON", rawZip([{ name: "manifest.json", content: "{" }])],
    ["a zip with a manifest that is an array", rawZip([{ name: "manifest.json", content: "[]" }])],
  ])("%s", async (_, bytes) => {
    expect(await outcomeOfBytes(bytes)).toBe("archive-unknown");
  });

  it.each([99, 2, 0, -1, 1.5, "1", null, undefined])("format version %s", async (formatVersion) => {
    const content = JSON.stringify({ ...manifestOf([one]), formatVersion });
    expect(await outcomeOf([recordEntry(), manifestEntry([one], { content })])).toBe("archive-unknown");
  });

  it("names a version that is too new, and what to do", async () => {
    const error = await errorOfOpening([
      { name: "manifest.json", content: '{"format":"stackferry-archive","formatVersion":99}' },
    ]);
    expect(error).toMatchObject({ message: expect.stringContaining("version 99") });
    expect(error).toMatchObject({ hint: expect.stringContaining("upgrade stackferry") });
  });
});
