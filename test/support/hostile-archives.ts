import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { contentDigest } from "../../src/archive/entry.ts";
import { openArchive, type ArchiveReadOptions } from "../../src/archive/reader.ts";
import { StackferryError } from "../../src/core/errors.ts";
import type { Manifest, ManifestEntry } from "../../src/core/manifest.ts";
import type { StackRecord } from "../../src/core/records/record.ts";
import { fileOf, manifestOf, outcomeOfReading, readArchive, sampleRecord } from "./archive-samples.ts";
import { rawZip, type RawEntry } from "./raw-zip.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The record that hand-made zips hold by default. */
export const one = sampleRecord("one");

/** Makes the zip entry of a record. `more` replaces fields with false ones. */
export function recordEntry(record = one, more: Partial<RawEntry> = {}): RawEntry {
  const { entry, content } = fileOf(record);
  return { name: entry.path, content, ...more };
}

/** Makes the zip entry of a manifest of the records. */
export function manifestEntry(records = [one], more: Partial<RawEntry> = {}): RawEntry {
  return { name: "manifest.json", content: JSON.stringify(manifestOf(records)), ...more };
}

/** Makes the entry of a manifest in which these bytes are the file of the record `one`. */
export function forgedManifest(bytes: Buffer): RawEntry {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const entry = { ...fileOf(one).entry, bytes: bytes.length, sha256 };
  const manifest = { ...manifestOf([one]), entries: [entry], contentDigest: contentDigest([entry]) };
  return { name: "manifest.json", content: JSON.stringify(manifest) };
}

async function fileOfBytes(bytes: Buffer): Promise<string> {
  const path = join(temporaryFolder(), "archive.zip");
  await writeFile(path, bytes);
  return path;
}

/** Returns every record of an archive with these bytes. */
export async function recordsOfBytes(bytes: Buffer): Promise<StackRecord[]> {
  return readArchive(await fileOfBytes(bytes));
}

/** Opens an archive with these bytes and reads it. Returns the code of the error, or "opened" if there is none. */
export async function outcomeOfBytes(bytes: Buffer): Promise<string> {
  return outcomeOfReading(await fileOfBytes(bytes));
}

/** Opens a zip of these entries, and returns the error. */
export async function errorOfOpening(entries: readonly RawEntry[]): Promise<unknown> {
  const path = await fileOfBytes(rawZip(entries));
  return openArchive(path).then(
    (reader) => reader[Symbol.asyncDispose](),
    (error: unknown) => error,
  );
}

/** The end of reading an archive. */
export interface ReadingEnd {
  /** The step that failed, or "read" if none did. */
  readonly step: "open" | "record" | "read";
  readonly code: string;
  readonly message: string;
}

/** Opens an archive and reads each record. Returns the step that was refused, and the reason. */
export async function readingEnd(path: string, options: ArchiveReadOptions = {}): Promise<ReadingEnd> {
  const opened = await openArchive(path, options).catch(endOf("open"));
  if ("step" in opened) return opened;
  await using reader = opened;
  for (const entry of reader.manifest.entries) {
    const end = await reader.read(entry).then(() => READ, endOf("record"));
    if (end.step === "record") return end;
  }
  return READ;
}

/** Opens an archive with these bytes and reads each record. */
export async function readingEndOfBytes(bytes: Buffer, options: ArchiveReadOptions = {}): Promise<ReadingEnd> {
  return readingEnd(await fileOfBytes(bytes), options);
}

/** Makes the entry of a manifest of the record `one`, with changed entries and a matching content digest. */
export function forgedEntries(
  change: (entry: ManifestEntry) => readonly object[],
  more: Partial<Manifest> = {},
): string {
  const entries = change(fileOf(one).entry) as readonly ManifestEntry[];
  return JSON.stringify({ ...manifestOf([one]), entries, contentDigest: contentDigest(entries), ...more });
}

const READ: ReadingEnd = { step: "read", code: "", message: "" };

function endOf(step: ReadingEnd["step"]): (error: unknown) => ReadingEnd {
  return (error) => {
    if (!(error instanceof StackferryError)) throw error;
    return { step, code: error.code, message: error.message };
  };
}
