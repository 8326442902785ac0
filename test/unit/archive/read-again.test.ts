import { createReadStream } from "node:fs";
import { mkdir, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bufferStream } from "../../../src/archive/age.ts";
import { archiveLimits } from "../../../src/archive/limits.ts";
import { openArchive } from "../../../src/archive/reader.ts";
import { openZip } from "../../../src/archive/zip/source.ts";
import { exitCodeOfError } from "../../../src/cli/program/exit-codes.ts";
import type { ArchiveReader } from "../../../src/core/ports.ts";
import type { StackRecord } from "../../../src/core/records/record.ts";
import {
  storedArchive,
  errorCodeOf,
  fileOf,
  manifestOf,
  sampleRecord,
  sampleRecords,
  writeArchive,
  refusal,
} from "../../support/archive-samples.ts";
import { manifestEntry, recordEntry } from "../../support/hostile-archives.ts";
import { rawZip } from "../../support/raw-zip.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const passphrase = "correct horse";
const keys = () => Promise.resolve({ identities: [], passphrases: [passphrase] });
const forms = [
  ["a zip", { format: "zip" }],
  ["a folder", { format: "folder" }],
  ["an encrypted zip", { format: "zip", encryption: { passphrase, workFactor: 10 } }],
] as const;

const everyRecord = (reader: ArchiveReader): Promise<StackRecord[]> =>
  Promise.all(reader.manifest.entries.map((entry) => reader.read(entry)));

describe.each(forms)("the records of %s", (_, options) => {
  it("are the same at every repeated read", async () => {
    const path = await storedArchive(options);
    await using reader = await openArchive(path, { keys });
    for (let round = 0; round < 3; round += 1) expect(await everyRecord(reader)).toEqual(sampleRecords);
  });
});

it("the reader reads what is encrypted and large again from its nameless file, until that is closed", async () => {
  const path = await storedArchive({ format: "zip" });
  const source = await openZip(path, await bufferStream(createReadStream(path), 1024 ** 3), archiveLimits);
  for (const { entry, content } of sampleRecords.map(fileOf))
    for (let round = 0; round < 2; round += 1)
      expect(Buffer.from(await source.read(entry.path, entry.bytes)).toString()).toBe(content);
  await source[Symbol.asyncDispose]();
  for (const { path: name, bytes } of manifestOf(sampleRecords).entries)
    expect(await source.read(name, bytes).then(() => "read", errorCodeOf)).toBe("archive-io");
});

describe("an archive that is changed while it is open", () => {
  const record = sampleRecord("6b00e154e5757e17d9e50001", "dashboards", { alpha: 1.5 });
  const { entry, content } = fileOf(record);
  /** Another record of the same size and form, under the same id. */
  const forged: StackRecord = { ...record, body: { ...record.body, alpha: 2.5 } };
  const zipOf = (shown: StackRecord): Buffer => rawZip([recordEntry(shown), manifestEntry([shown])]);

  async function afterReading(
    format: "zip" | "folder",
    change: (path: string) => Promise<unknown>,
    again: (reader: ArchiveReader) => Promise<unknown> = (reader) => reader.read(entry),
  ): Promise<unknown> {
    const path = join(temporaryFolder(), "archive");
    if (format === "zip") await writeFile(path, zipOf(record));
    else await writeArchive({ path, format }, [record]);
    await using reader = await openArchive(path);
    expect(await reader.read(entry)).toEqual(record);
    await change(path);
    try {
      return await again(reader);
    } catch (error) {
      return error;
    }
  }

  it.each<[string, "zip" | "folder", (path: string) => Promise<unknown>]>([
    ["overwritten by a whole one of another content", "zip", (path) => writeFile(path, zipOf(forged))],
    [
      "overwritten by something else",
      "zip",
      async (path) => writeFile(path, Buffer.alloc((await readFile(path)).length)),
    ],
    ["cut short", "zip", (path) => truncate(path, 100)],
    ["emptied", "zip", (path) => truncate(path, 0)],
    ["another file", "folder", (path) => writeFile(join(path, entry.path), fileOf(forged).content)],
    ["a longer file", "folder", (path) => writeFile(join(path, entry.path), `${content} `)],
    ["a shorter file", "folder", (path) => truncate(join(path, entry.path), 10)],
    ["a file that is gone", "folder", (path) => rm(join(path, entry.path))],
    [
      "a link to the very file",
      "folder",
      async (path) => {
        await rename(join(path, entry.path), `${path}.moved`);
        await symlink(`${path}.moved`, join(path, entry.path));
      },
    ],
    [
      "a folder in the file's place",
      "folder",
      async (path) => {
        await rm(join(path, entry.path));
        await mkdir(join(path, entry.path));
      },
    ],
  ])("is damaged: %s", async (_, format, change) => {
    expect(fileOf(forged).content).toHaveLength(content.length);
    const error = await afterReading(format, change);
    expect(error).toMatchObject(refusal("archive-damaged"));
    expect(exitCodeOfError(error)).toBe(4);
  });

  it("is read from the opened file after another file takes its name", async () => {
    const replace = async (path: string): Promise<void> => {
      await writeFile(`${path}.new`, zipOf(forged));
      await rename(`${path}.new`, path);
    };
    expect(await afterReading("zip", replace)).toEqual(record);
  });
});
