import { createHash } from "node:crypto";
import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openArchive } from "../../src/archive/reader.ts";
import { createArchiveWriter } from "../../src/archive/writer.ts";
import { canonicalJson } from "../../src/core/json.ts";
import {
  filesBelow,
  readArchive,
  sampleHeader,
  sampleRecord,
  sampleRecords,
  writeArchive,
} from "../support/archive-samples.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const oddIds = [
  "",
  ".",
  "..",
  "../../etc/passwd",
  "a/b",
  "a\\b",
  "A",
  "a",
  "CON",
  "con",
  "com1.x",
  ".git",
  "%41",
  "ä",
  "a\u0308",
  "é",
  "🚢",
  "\ud800",
  "\udfff",
  "nul",
  "x".repeat(200),
  "x".repeat(5000),
  `${"x".repeat(5000)}y`,
  "a\u0000b\n",
];

/** Creates a folder for the test. Also returns the path for an archive in it. */
function archiveFolder(): { readonly folder: string; readonly path: string } {
  const folder = temporaryFolder();
  return { folder, path: join(folder, "archive") };
}

describe.each(["zip", "folder"] as const)("an archive as %s", (format) => {
  it("returns the records that were written, in the same order", async () => {
    const { path } = archiveFolder();
    await using writer = await createArchiveWriter({ path, format });
    const added = [];
    for (const record of sampleRecords) added.push(await writer.add(record));
    const summary = await writer.finish(sampleHeader(sampleRecords));
    await using reader = await openArchive(path);
    expect(await readArchive(path)).toEqual(sampleRecords);
    expect(reader.manifest.entries).toEqual(added);
    expect(reader.summary).toEqual(summary);
    expect(reader.manifest).toMatchObject({ formatVersion: 1, ...sampleHeader(sampleRecords) });
  });

  it("has a digest that follows from paths and checksums", async () => {
    const { path } = archiveFolder();
    await writeArchive({ path, format });
    await using reader = await openArchive(path);
    const lines = sampleRecords.map(({ kind, id, body }) => {
      return `${kind}/${id}.json ${createHash("sha256").update(canonicalJson(body)).digest("hex")}\n`;
    });
    const digest = createHash("sha256").update(lines.sort().join("")).digest("hex");
    expect(reader.summary.contentDigest).toBe(digest);
  });

  it("can hold no records", async () => {
    const { path } = archiveFolder();
    await writeArchive({ path, format }, []);
    expect(await readArchive(path)).toEqual([]);
  });

  it("is readable by its owner only", async () => {
    const { path } = archiveFolder();
    await writeArchive({ path, format });
    const files = format === "zip" ? [path] : Object.keys(await filesBelow(path)).map((file) => join(path, file));
    for (const file of files) expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("stores records with odd ids apart and returns each id unchanged", async () => {
    const { path } = archiveFolder();
    const records = oddIds.map((id) => sampleRecord(id));
    await writeArchive({ path, format }, records);
    expect(await readArchive(path)).toEqual(records);
  });

  it("leaves no file behind if the writer is not finished", async () => {
    const { folder, path } = archiveFolder();
    {
      await using writer = await createArchiveWriter({ path, format });
      for (const record of sampleRecords) await writer.add(record);
      expect(await readdir(folder)).toHaveLength(1);
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it("leaves an existing archive unchanged if the writer is not finished", async () => {
    const { folder, path } = archiveFolder();
    await writeArchive({ path, format });
    const before = await filesBelow(folder);
    {
      await using writer = await createArchiveWriter({ path, format });
      await writer.add(sampleRecord("other"));
      await expect(writer.finish(sampleHeader([]))).rejects.toMatchObject({ code: "incomplete" });
    }
    expect(await filesBelow(folder)).toEqual(before);
  });

  it("replaces an existing archive and leaves no other file", async () => {
    const { folder, path } = archiveFolder();
    await writeArchive({ path, format });
    const records = [sampleRecord("other", "alerts")];
    await writeArchive({ path, format }, records);
    expect(await readArchive(path)).toEqual(records);
    expect(await readdir(folder)).toEqual(["archive"]);
  });

  it("refuses a second record with the same id, and writes the records after it", async () => {
    const { path } = archiveFolder();
    await using writer = await createArchiveWriter({ path, format });
    await writer.add(sampleRecord("one"));
    await expect(writer.add(sampleRecord("one"))).rejects.toMatchObject({ code: "protocol" });
    await writer.add(sampleRecord("one", "alerts"));
    await writer.finish(sampleHeader([sampleRecord("one"), sampleRecord("one", "alerts")]));
    expect(await readArchive(path)).toHaveLength(2);
  });

  it("stores records in the order of the calls, even if no call was awaited", async () => {
    const { path } = archiveFolder();
    const records = Array.from({ length: 50 }, (_, index) => sampleRecord(`r${String(50 - index)}`));
    await using writer = await createArchiveWriter({ path, format });
    await Promise.all(records.map((record) => writer.add(record)));
    await writer.finish(sampleHeader(records));
    expect(await readArchive(path)).toEqual(records);
  });

  it("reports archive-io for an archive that does not exist", async () => {
    const folder = temporaryFolder();
    await expect(openArchive(join(folder, "none"))).rejects.toMatchObject({ code: "archive-io" });
  });

  it("reads the same record many times concurrently", async () => {
    const { path } = archiveFolder();
    await writeArchive({ path, format });
    await using reader = await openArchive(path);
    const entries = Array.from({ length: 60 }, () => reader.manifest.entries).flat();
    const read = await Promise.all(entries.map((entry) => reader.read(entry)));
    expect(read.slice(0, sampleRecords.length)).toEqual(sampleRecords);
    expect(read).toHaveLength(60 * sampleRecords.length);
  });
});

it("an archive has the same bytes for the same records, whatever the time zone, apart from the manifest", async () => {
  const folder = temporaryFolder();
  const zone = process.env["TZ"];
  const archives: Buffer[] = [];
  const offsets = new Set<number>();
  try {
    for (const TZ of ["UTC", "Asia/Tokyo", "America/St_Johns"]) {
      process.env["TZ"] = TZ;
      offsets.add(new Date(2026, 0, 1).getTimezoneOffset());
      const path = join(folder, "archive.zip");
      await writeArchive({ path, format: "zip" }, sampleRecords, {
        createdAt: `2026-01-0${String(offsets.size)}T00:00:00.000Z`,
      });
      archives.push(await readFile(path));
    }
  } finally {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  }
  expect(offsets.size).toBe(3);
  const untilManifest = archives.map((bytes) => bytes.subarray(0, bytes.indexOf("manifest.json")));
  expect(untilManifest[0]?.length).toBeGreaterThan(300);
  // The local header before the name has no field for a time, so its 30 bytes must be equal, too.
  for (const bytes of untilManifest) expect(bytes.equals(untilManifest[0] ?? Buffer.alloc(0))).toBe(true);
});
