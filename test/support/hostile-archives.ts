import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { contentDigest } from "../../src/archive/digest.ts";
import type { ArchiveReadOptions } from "../../src/archive/reader.ts";
import { openArchive } from "../../src/archive/reader.ts";
import { StackferryError } from "../../src/core/errors.ts";
import type { Manifest, ManifestEntry } from "../../src/core/manifest.ts";
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

async function fileOfBytes(bytes: Buffer): Promise<string> {
  const path = join(temporaryFolder(), "archive.zip");
  await writeFile(path, bytes);
  return path;
}

/** Every record of a file of these bytes. */
export async function recordsOfBytes(bytes: Buffer): Promise<StackRecord[]> {
  return readArchive(await fileOfBytes(bytes));
}

/** "opened", or the code that opening and reading a file of these bytes fails with. */
export async function outcomeOfBytes(bytes: Buffer): Promise<string> {
  return outcomeOfReading(await fileOfBytes(bytes));
}

/** The error that opening a zip of these entries fails with. */
export async function errorOfOpening(entries: readonly RawEntry[]): Promise<unknown> {
  const path = await fileOfBytes(rawZip(entries));
  return openArchive(path).then(
    (reader) => reader[Symbol.asyncDispose](),
    (error: unknown) => error,
  );
}

/** How reading an archive ended. */
export interface ReadingEnd {
  /** The step that found something wrong, or "read" where nothing was. */
  readonly step: "open" | "record" | "read";
  readonly code: string;
  readonly message: string;
}

/** Opens an archive and reads each record; says which step was refused, and why. */
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

/** The same of a file of these bytes. */
export async function readingEndOfBytes(bytes: Buffer, options: ArchiveReadOptions = {}): Promise<ReadingEnd> {
  return readingEnd(await fileOfBytes(bytes), options);
}

/** A manifest of record `one` whose entries are changed, its content digest made to fit. */
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
