import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ArchiveLimits } from "../../src/archive/limits.ts";
import { contentDigest } from "../../src/archive/checksums.ts";
import { openArchive } from "../../src/archive/reader.ts";
import type { StackRecord } from "../../src/core/records/record.ts";
import { fileOf, manifestOf, outcomeOfReading, readArchive, sampleRecord } from "./archive-samples.ts";
import type { RawEntry } from "./raw-zip.ts";
import { rawZip } from "./raw-zip.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The record that hand-made zips hold unless told otherwise. */
export const one = sampleRecord("one");

/** The entry of a record, with whatever is to be a lie. */
export function recordEntry(record = one, more: Partial<RawEntry> = {}): RawEntry {
  const { entry, content } = fileOf(record);
  return { name: entry.path, content, ...more };
}

/** The entry of a manifest for the records. */
export function manifestEntry(records = [one], more: Partial<RawEntry> = {}): RawEntry {
  return { name: "manifest.json", content: JSON.stringify(manifestOf(records)), ...more };
}

/** A manifest that agrees with any bytes as the file of record `one`. */
export function forgedManifest(bytes: Buffer): RawEntry {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const entry = { ...fileOf(one).entry, bytes: bytes.length, sha256 };
  const manifest = { ...manifestOf([one]), entries: [entry], contentDigest: contentDigest([entry]) };
  return { name: "manifest.json", content: JSON.stringify(manifest) };
}

// `return await` below: without it the folder would be gone before the archive is read.

/** "opened", or the code that opening and reading a file of these bytes fails with. */
export async function outcomeOfBytes(bytes: Buffer): Promise<string> {
  const path = join(temporaryFolder(), "archive.zip");
  await writeFile(path, bytes);
  return await outcomeOfReading(path);
}

/** Every record of a file of these bytes. */
export async function recordsOfBytes(bytes: Buffer): Promise<StackRecord[]> {
  const path = join(temporaryFolder(), "archive.zip");
  await writeFile(path, bytes);
  return await readArchive(path);
}

/** The error that opening a zip of these entries fails with. */
export async function errorOfOpening(
  entries: readonly RawEntry[],
  limits: Partial<ArchiveLimits> = {},
): Promise<unknown> {
  const path = join(temporaryFolder(), "archive.zip");
  await writeFile(path, rawZip(entries));
  return await openArchive(path, limits).then(
    (reader) => reader[Symbol.asyncDispose](),
    (error: unknown) => error,
  );
}
