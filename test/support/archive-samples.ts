import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { contentDigest, entryPath } from "../../src/archive/entry.ts";
import { openArchive, type ArchiveReadOptions } from "../../src/archive/reader.ts";
import { createArchiveWriter, type ArchiveWriterOptions } from "../../src/archive/writer.ts";
import { StackferryError } from "../../src/core/errors.ts";
import { canonicalJson, type JsonObject } from "../../src/core/json.ts";
import type { KindSummary, Manifest, ManifestEntry, ManifestHeader } from "../../src/core/manifest.ts";
import type { RecordReader } from "../../src/core/ports.ts";
import type { StackRecord } from "../../src/core/records/record.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Makes a record whose body has an id, a name and the given members. */
export function sampleRecord(id: string, kind = "dashboards", more: JsonObject = {}): StackRecord {
  const name = typeof more["name"] === "string" ? more["name"] : `name of ${id}`;
  return { kind, id, name, body: { ...more, id, name } };
}

/** Records of two kinds. */
export const sampleRecords: readonly StackRecord[] = [
  sampleRecord("6b00e154e5757e17d9e50001", "dashboards", {
    tiles: [{ id: "t1", w: 6 }],
    tags: [],
    zeta: null,
    alpha: 1.5,
  }),
  sampleRecord("6b00e154e5757e17d9e50002", "dashboards", { name: "Übersicht – 概要 🚢" }),
  sampleRecord("6b00e154e5757e17d9e50003", "webhooks", { url: "https://hooks.example.com/«redacted:webhook-url»" }),
];

/** Makes a manifest header that fits the records. */
export function sampleHeader(records: readonly StackRecord[], more: Partial<ManifestHeader> = {}): ManifestHeader {
  const kinds: Record<string, KindSummary> = { pipes: { status: "not-requested", count: 0 } };
  for (const { kind } of records) kinds[kind] = { status: "complete", count: (kinds[kind]?.count ?? 0) + 1 };
  return {
    createdAt: "2026-01-02T03:04:05.678Z",
    createdBy: { name: "stackferry", version: "0.1.0" },
    source: { variant: "self-hosted", baseUrl: "http://localhost:8000" },
    kinds,
    redactions: [],
    warnings: [],
    ...more,
  };
}

/** Writes an archive of the records. */
export async function writeArchive(
  options: ArchiveWriterOptions,
  records: readonly StackRecord[] = sampleRecords,
  more: Partial<ManifestHeader> = {},
): Promise<void> {
  await using writer = await createArchiveWriter(options);
  for (const record of records) await writer.add(record);
  await writer.finish(sampleHeader(records, more));
}

/** Writes an archive in a new folder, and returns its path. */
export async function storedArchive(
  options: Omit<ArchiveWriterOptions, "path">,
  ...content: readonly [records?: readonly StackRecord[], more?: Partial<ManifestHeader>]
): Promise<string> {
  const ending = { folder: "", zip: ".zip" }[options.format] + (options.encryption === undefined ? "" : ".age");
  const path = join(temporaryFolder(), `archive${ending}`);
  await writeArchive({ path, ...options }, ...content);
  return path;
}

/** Returns every record of an archive. */
export async function readArchive(path: string, options: ArchiveReadOptions = {}): Promise<StackRecord[]> {
  await using reader = await openArchive(path, options);
  return await recordsIn(reader);
}

/** Returns every record of an open archive. */
export async function recordsIn(reader: RecordReader): Promise<StackRecord[]> {
  const records: StackRecord[] = [];
  for (const entry of reader.manifest.entries) records.push(await reader.read(entry));
  return records;
}

/** Returns the bodies of an archive's records. */
export async function bodiesOf(path: string): Promise<unknown[]> {
  return (await readArchive(path)).map(({ body }) => body);
}

/** Opens an archive and reads every record. Returns the code of the error, or "opened" if there is none. */
export async function outcomeOfReading(path: string): Promise<string> {
  return readArchive(path).then(() => "opened", errorCodeOf);
}

/** Returns the code of a `StackferryError` that has a hint. Rethrows any other error. */
export function errorCodeOf(error: unknown): string {
  if (error instanceof StackferryError && error.hint !== undefined) return error.code;
  throw error;
}

/** Matches an error with this code and a hint. */
export const refusal = (code: string): { readonly code: string; readonly hint: unknown } => {
  return { code, hint: expect.any(String) };
};

/** Returns the content of a record's file and its manifest entry, made without the writer. */
export function fileOf(record: StackRecord): { readonly entry: ManifestEntry; readonly content: string } {
  const content = canonicalJson(record.body);
  const sha256 = createHash("sha256").update(content).digest("hex");
  const { kind, id, name } = record;
  return { content, entry: { path: entryPath(kind, id), kind, id, name, bytes: Buffer.byteLength(content), sha256 } };
}

/** Returns a manifest of the records, made without the writer. */
export function manifestOf(records: readonly StackRecord[]): Manifest {
  const entries = records.map((record) => fileOf(record).entry);
  const digest = contentDigest(entries);
  return { ...sampleHeader(records), format: "stackferry-archive", formatVersion: 1, contentDigest: digest, entries };
}

/** Returns the content of every file below a folder by its path, hidden files included. */
export async function filesBelow(path: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const dirent of await readdir(path, { recursive: true, withFileTypes: true })) {
    const file = join(dirent.parentPath, dirent.name);
    if (dirent.isFile()) files[file.slice(path.length + 1)] = (await readFile(file)).toString("latin1");
  }
  return files;
}
