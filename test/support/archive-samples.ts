import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { contentDigest } from "../../src/archive/digest.ts";
import { entryPath } from "../../src/archive/entry-path.ts";
import type { ArchiveReadOptions } from "../../src/archive/reader.ts";
import { openArchive } from "../../src/archive/reader.ts";
import type { ArchiveWriterOptions } from "../../src/archive/writer.ts";
import { createArchiveWriter } from "../../src/archive/writer.ts";
import { StackferryError } from "../../src/core/errors.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { canonicalJson } from "../../src/core/json.ts";
import type { KindSummary, Manifest, ManifestEntry, ManifestHeader } from "../../src/core/manifest.ts";
import type { ArchiveReader } from "../../src/core/ports.ts";
import type { StackRecord } from "../../src/core/records/record.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A record whose body has just an id, a name and what else is given. */
export function sampleRecord(id: string, kind = "dashboards", more: JsonObject = {}): StackRecord {
  const name = typeof more["name"] === "string" ? more["name"] : `name of ${id}`;
  return { kind, id, name, body: { ...more, id, name } };
}

/** Some records of two kinds. */
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

/** A header that fits the records. */
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

/** Writes one in a folder of its own; answers its path. */
export async function storedArchive(
  options: Omit<ArchiveWriterOptions, "path">,
  ...content: readonly [records?: readonly StackRecord[], more?: Partial<ManifestHeader>]
): Promise<string> {
  const ending = { folder: "", zip: ".zip" }[options.format] + (options.encryption === undefined ? "" : ".age");
  const path = join(temporaryFolder(), `archive${ending}`);
  await writeArchive({ path, ...options }, ...content);
  return path;
}

/** Every record of an archive. */
export async function readArchive(path: string, options: ArchiveReadOptions = {}): Promise<StackRecord[]> {
  await using reader = await openArchive(path, options);
  return await recordsIn(reader);
}

/** The same of one that is open. */
export async function recordsIn(reader: Pick<ArchiveReader, "records">): Promise<StackRecord[]> {
  const records: StackRecord[] = [];
  for await (const record of reader.records()) records.push(record);
  return records;
}

/** The bodies of an archive's records. */
export async function bodiesOf(path: string): Promise<unknown[]> {
  return (await readArchive(path)).map(({ body }) => body);
}

/** The code that opening and reading all of an archive fails with; "opened" when it does not. */
export async function outcomeOfReading(path: string): Promise<string> {
  return readArchive(path).then(() => "opened", errorCodeOf);
}

/** The code of an error of ours that says what to do; throws anything else on. */
export function errorCodeOf(error: unknown): string {
  if (error instanceof StackferryError && error.hint !== undefined) return error.code;
  throw error;
}

/** Matches an error of ours: it has this code and a hint. */
export const refusal = (code: string): { readonly code: string; readonly hint: unknown } => {
  return { code, hint: expect.any(String) };
};

/** The file that a record becomes, and its manifest entry, made without the writer. */
export function fileOf(record: StackRecord): { readonly entry: ManifestEntry; readonly content: string } {
  const content = canonicalJson(record.body);
  const sha256 = createHash("sha256").update(content).digest("hex");
  const { kind, id, name } = record;
  return { content, entry: { path: entryPath(kind, id), kind, id, name, bytes: Buffer.byteLength(content), sha256 } };
}

/** A manifest for the records, made without the writer. */
export function manifestOf(records: readonly StackRecord[]): Manifest {
  const entries = records.map((record) => fileOf(record).entry);
  const digest = contentDigest(entries);
  return { ...sampleHeader(records), format: "stackferry-archive", formatVersion: 1, contentDigest: digest, entries };
}

/** Every file below a folder with its content, hidden ones included. */
export async function filesBelow(path: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const dirent of await readdir(path, { recursive: true, withFileTypes: true })) {
    const file = join(dirent.parentPath, dirent.name);
    if (dirent.isFile()) files[file.slice(path.length + 1)] = (await readFile(file)).toString("latin1");
  }
  return files;
}
