import { execFileSync } from "node:child_process";
import { mkdir, readdir, rename, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Open } from "unzipper";
import { describe, expect, it } from "vitest";
import { openArchive } from "../../../src/archive/reader.ts";
import { createArchiveWriter } from "../../../src/archive/writer.ts";
import {
  filesBelow,
  outcomeOfReading,
  readArchive,
  sampleHeader,
  sampleRecord,
  sampleRecords,
  writeArchive,
  refusal,
} from "../../support/archive-samples.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const RECORD = "dashboards/6b00e154e5757e17d9e50001.json";

/** Writes a folder archive into a new folder, which has no other file. */
async function archiveInFolder(): Promise<{ readonly folder: string; readonly path: string }> {
  const folder = temporaryFolder();
  const path = join(folder, "archive");
  await writeArchive({ path, format: "folder" });
  return { folder, path };
}

describe("reading a folder archive", () => {
  it("passes over names that begin with a dot", async () => {
    const { path } = await archiveInFolder();
    await mkdir(join(path, ".git"));
    await writeFile(join(path, ".git", "HEAD"), "ref: refs/heads/main\n");
    await writeFile(join(path, "dashboards", ".DS_Store"), "x");
    expect(await outcomeOfReading(path)).toBe("opened");
  });

  it.each<[string, (path: string) => Promise<unknown>, string]>([
    ["a missing file", (path) => rm(join(path, RECORD)), "archive-damaged"],
    ["a file too many", (path) => writeFile(join(path, "dashboards", "more.json"), "{}"), "archive-damaged"],
    ["a file beside the manifest", (path) => writeFile(join(path, "notes.txt"), "x"), "archive-damaged"],
    ["a folder in a folder", (path) => mkdir(join(path, "dashboards", "deep")), "archive-damaged"],
    ["no manifest", (path) => rm(join(path, "manifest.json")), "archive-unknown"],
    ["a manifest of something else", (path) => writeFile(join(path, "manifest.json"), "{}"), "archive-unknown"],
    ["an empty manifest", (path) => writeFile(join(path, "manifest.json"), ""), "archive-unknown"],
  ])("notices %s", async (_, damage, code) => {
    const { path } = await archiveInFolder();
    await damage(path);
    expect(await outcomeOfReading(path)).toBe(code);
  });

  it.each([RECORD, "manifest.json", "dashboards"])(
    "does not follow a symbolic link in the place of %s",
    async (name) => {
      const { folder, path } = await archiveInFolder();
      const elsewhere = join(folder, "elsewhere");
      await rename(join(path, name), elsewhere);
      await symlink(elsewhere, join(path, name));
      expect(await outcomeOfReading(path)).toBe("archive-damaged");
    },
  );

  it.skipIf(process.platform === "win32")("does not wait for a pipe in the place of a file", async () => {
    const { path } = await archiveInFolder();
    await rm(join(path, RECORD));
    execFileSync("mkfifo", [join(path, RECORD)]);
    expect(await outcomeOfReading(path)).toBe("archive-damaged");
  });
});

describe("replacing a folder archive", () => {
  const others = [sampleRecord("other", "alerts"), ...sampleRecords.slice(0, 1)];

  it("keeps hidden files and deletes files of records that are no longer in the archive", async () => {
    const { folder, path } = await archiveInFolder();
    await mkdir(join(path, ".git"));
    await writeFile(join(path, ".git", "HEAD"), "ref: refs/heads/main\n");
    await writeFile(join(path, ".gitattributes"), "* -text\n");
    await writeArchive({ path, format: "folder" }, others);
    expect(await readArchive(path)).toEqual(others);
    const files = await filesBelow(folder);
    expect(Object.keys(files).toSorted()).toEqual([
      "archive/.git/HEAD",
      "archive/.gitattributes",
      "archive/alerts/other.json",
      `archive/${RECORD}`,
      "archive/manifest.json",
    ]);
    expect(await readdir(path)).not.toContain("webhooks");
    expect(files["archive/.git/HEAD"]).toBe("ref: refs/heads/main\n");
  });

  it("keeps a hidden file in the folder of a kind, also if no record of that kind is left", async () => {
    const { folder, path } = await archiveInFolder();
    const notes = ["dashboards/.notes", "webhooks/.notes"];
    for (const note of notes) await writeFile(join(path, note), "theirs");
    await writeArchive({ path, format: "folder" }, others);
    expect(Object.keys(await filesBelow(folder))).toEqual(
      expect.arrayContaining(notes.map((note) => `archive/${note}`)),
    );
  });

  it("writes into an empty folder", async () => {
    const folder = temporaryFolder();
    await writeArchive({ path: folder, format: "folder" });
    expect(await readArchive(folder)).toEqual(sampleRecords);
  });

  it.each<[string, (path: string) => Promise<unknown>]>([
    ["is not an archive", (path) => writeFile(join(path, "manifest.json"), '{"name":"some web app"}')],
    ["has no manifest", (path) => rm(join(path, "manifest.json"))],
    ["also holds a file of somebody's", (path) => writeFile(join(path, "notes.txt"), "x")],
    ["also holds a folder of somebody's", (path) => mkdir(join(path, "dashboards", "mine"))],
    ["also holds a file of somebody's further down", (path) => writeFile(join(path, "dashboards", "mine.txt"), "x")],
  ])("refuses a folder that %s, and leaves it alone", async (_, change) => {
    const { folder, path } = await archiveInFolder();
    await change(path);
    const before = await filesBelow(folder);
    await expect(writeArchive({ path, format: "folder" }, others)).rejects.toMatchObject(refusal("usage"));
    expect(await filesBelow(folder)).toEqual(before);
    expect(await readdir(folder)).toEqual(["archive"]);
  });
});

describe("an archive in folder form that another archive replaces", () => {
  const again = sampleRecords.slice(0, 1);

  it.each<[string, (path: string) => Promise<unknown>]>([
    ["a folder whose name no kind has", (path) => mkdir(join(path, "My-Notes"))],
    [
      "a folder in the place of its manifest",
      async (path) => {
        await rm(join(path, "manifest.json"));
        await mkdir(join(path, "manifest.json"));
      },
    ],
    ["a manifest that is no JSON", (path) => writeFile(join(path, "manifest.json"), "{")],
    ["a manifest that is a list", (path) => writeFile(join(path, "manifest.json"), "[]")],
    ["a manifest of more than any archive's", (path) => truncate(join(path, "manifest.json"), 32 * 1024 * 1024 + 1)],
  ])("is not replaced if it has %s", async (_, change) => {
    const { folder, path } = await archiveInFolder();
    await change(path);
    await expect(writeArchive({ path, format: "folder" }, again)).rejects.toMatchObject(refusal("usage"));
    expect(await readdir(folder)).toEqual(["archive"]);
  });

  it("keeps somebody's hidden file in a kind's folder, and that folder", async () => {
    const { folder, path } = await archiveInFolder();
    await writeFile(join(path, "webhooks", ".keep"), "mine");
    await writeFile(join(path, ".gitignore"), "x");
    await writeArchive({ path, format: "folder" }, again);
    expect(Object.keys(await filesBelow(folder)).toSorted()).toEqual([
      "archive/.gitignore",
      `archive/${RECORD}`,
      "archive/manifest.json",
      "archive/webhooks/.keep",
    ]);
  });

  it("can be read by its owner only", async () => {
    const { path } = await archiveInFolder();
    const modeOf = async (name: string): Promise<number> => (await stat(join(path, name))).mode & 0o777;
    expect([await modeOf("."), await modeOf("dashboards"), await modeOf(RECORD)]).toEqual([0o700, 0o700, 0o600]);
    await writeFile(join(path, ".gitignore"), "x");
    await writeArchive({ path, format: "folder" }, [sampleRecord("other", "alerts")]);
    expect(await modeOf("alerts")).toBe(0o700);
  });

  it("is replaced as a whole, although several exports write it at the same time", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "archive");
    const exports = ["one", "two", "three", "four"].map((id) => [sampleRecord(id), sampleRecord("more")]);
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(exports.map((records) => writeArchive({ path, format: "folder" }, records)));
      expect(await readdir(folder)).toEqual(["archive"]);
      expect(exports).toContainEqual(await readArchive(path));
    }
  });

  it("is as many bytes as its summaries say", async () => {
    const path = join(temporaryFolder(), "archive");
    await using writer = await createArchiveWriter({ path, format: "folder" });
    for (const record of sampleRecords) await writer.add(record);
    const { bytes } = await writer.finish(sampleHeader(sampleRecords));
    const onDisk = Object.values(await filesBelow(path)).reduce((sum, content) => sum + content.length, 0);
    expect(bytes).toBe(onDisk);
    await using reader = await openArchive(path);
    expect(reader.summary.bytes).toBe(onDisk);
  });

  it("is as many files as the limits say, and no more", async () => {
    const { path } = await archiveInFolder();
    const files = sampleRecords.length + 1;
    await using reader = await openArchive(path, { maxEntries: files });
    expect(reader.manifest.entries).toHaveLength(sampleRecords.length);
    await expect(openArchive(path, { maxEntries: files - 1 })).rejects.toMatchObject(refusal("archive-damaged"));
    const [largest = 0] = reader.manifest.entries.map(({ bytes }) => bytes).toSorted((one, other) => other - one);
    await using same = await openArchive(path, { maxEntryBytes: largest });
    expect(same.summary).toEqual(reader.summary);
    await expect(openArchive(path, { maxEntryBytes: largest - 1 })).rejects.toMatchObject(refusal("archive-damaged"));
  });
});

it("a folder archive has the same files as the zip, byte for byte", async () => {
  const { folder, path } = await archiveInFolder();
  const zip = join(folder, "archive.zip");
  await writeArchive({ path: zip, format: "zip" });
  const files = await filesBelow(path);
  expect(Object.keys(files)).toHaveLength(sampleRecords.length + 1);
  const { files: entries } = await Open.file(zip);
  const unpacked = await Promise.all(
    entries.map(async (entry) => [entry.path, (await entry.buffer()).toString("latin1")]),
  );
  expect(Object.fromEntries(unpacked)).toEqual(files);
});
