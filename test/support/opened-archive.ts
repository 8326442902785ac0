import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { contentDigest } from "../../src/archive/checksums.ts";
import type { ArchiveReadOptions } from "../../src/archive/reader.ts";
import { openArchive } from "../../src/archive/reader.ts";
import { StackferryError } from "../../src/core/errors.ts";
import type { Manifest, ManifestEntry } from "../../src/core/manifest.ts";
import { fileOf, manifestOf } from "./archive-samples.ts";
import { one } from "./hostile-archives.ts";
import { temporaryFolder } from "./temporary-folder.ts";

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
  const path = join(temporaryFolder(), "archive.zip");
  await writeFile(path, bytes);
  return await readingEnd(path, options);
}

/** The bodies of an archive's records. */
export async function bodiesOf(path: string): Promise<unknown[]> {
  await using reader = await openArchive(path);
  const bodies: unknown[] = [];
  for await (const { body } of reader.records()) bodies.push(body);
  return bodies;
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
