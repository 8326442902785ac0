import { execFileSync } from "node:child_process";
import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { storedArchive, readArchive, sampleRecord, writeArchive, refusal } from "../../support/archive-samples.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

it("the zip writer stores entries uncompressed whose compression ratio a reader would take for a zip bomb", async () => {
  const records = [sampleRecord("spaces", "dashboards", { text: " ".repeat(3_000_000) })];
  const path = await storedArchive({ format: "zip" }, records);
  expect(await readArchive(path)).toEqual(records);
  expect((await stat(path)).size).toBeGreaterThan(3_000_000);
});

it("the zip writer compresses all other entries, whatever their size and ratio", async () => {
  const numbers = Array.from({ length: 100_000 }, (_, index) => index).join(" ");
  const records = [sampleRecord("numbers", "dashboards", { text: numbers })];
  const path = await storedArchive({ format: "zip" }, records);
  expect((await stat(path)).size).toBeLessThan(numbers.length / 2);
  await writeArchive({ path, format: "zip" }, [sampleRecord("spaces", "dashboards", { text: " ".repeat(900_000) })]);
  expect((await stat(path)).size).toBeLessThan(10_000);
});

it("the zip writer writes the sizes of a stored entry into its local header for readers of a zip stream", async () => {
  const records = [sampleRecord("a"), sampleRecord("spaces", "dashboards", { text: " ".repeat(3_000_000) })];
  const path = await storedArchive({ format: "zip" }, records);
  const zip = await readFile(path);
  const entries: { readonly stored: boolean; readonly sizesBehind: boolean; readonly size: number }[] = [];
  const signature = Buffer.from([0x50, 0x4b, 3, 4]);
  for (let at = zip.indexOf(signature); at !== -1; at = zip.indexOf(signature, at + 1))
    entries.push({
      stored: zip.readUInt16LE(at + 8) === 0,
      sizesBehind: (zip.readUInt16LE(at + 6) & 8) !== 0,
      size: zip.readUInt32LE(at + 18),
    });
  expect(entries.map(({ stored }) => stored)).toEqual([false, true, false]);
  expect(entries.map(({ stored, sizesBehind }) => stored && sizesBehind)).toEqual([false, false, false]);
  expect(entries[1]?.size).toBeGreaterThan(3_000_000);
});

it("the zip writer keeps the manifest as the last entry", async () => {
  const path = await storedArchive({ format: "zip" }, [sampleRecord("zzz", "zzz"), sampleRecord("a")]);
  const text = (await readFile(path)).toString("latin1");
  const order = [...text.matchAll(/(?:zzz\/zzz|dashboards\/a|manifest)\.json/g)].map(([name]) => name);
  expect(order.slice(-3)).toEqual(["zzz/zzz.json", "dashboards/a.json", "manifest.json"]);
});

// Linux lets a process lower its own limit on the size of files, which fails a write just as a full disk does.
it.skipIf(process.platform !== "linux").each(["zip", "folder"] as const)(
  "the zip writer leaves no files of a %s that the disk has no room for",
  async (format) => {
    const folder = temporaryFolder();
    const path = join(folder, "archive");
    const limitTo = (bytes: string): Buffer =>
      execFileSync("prlimit", ["--pid", String(process.pid), `--fsize=${bytes}:`]);
    const noise = Array.from({ length: 60_000 }, (_, index) => Math.imul(index, 2_654_435_761) >>> 0).join("");
    limitTo("50000");
    try {
      const record = sampleRecord("noise", "dashboards", { noise });
      await expect(writeArchive({ path, format }, [record])).rejects.toMatchObject(refusal("archive-io"));
    } finally {
      limitTo("unlimited");
    }
    expect(await readdir(folder)).toEqual([]);
  },
);
