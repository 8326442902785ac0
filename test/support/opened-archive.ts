import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { contentDigest } from "../../src/archive/content-digest.ts";
import { openArchive } from "../../src/archive/open-archive.ts";
import type { ArchiveReadOptions } from "../../src/archive/open-archive.ts";
import { StackferryError } from "../../src/domain/errors.ts";
import type { Manifest, ManifestEntry } from "../../src/domain/manifest.ts";
import { fileOf, manifestOf, temporaryFolder } from "./archive-samples.ts";
import { one } from "./hostile-archives.ts";

/** How reading an archive ended. */
export interface ReadingEnd {
  /** The step that found something wrong, or "read" where nothing was. */
  readonly step: "open" | "record" | "read";
  readonly code: string;
  readonly message: string;
}

/** Opens an archive and reads each record in both ways; says which step was refused, and why. */
export async function readingEnd(path: string, options: ArchiveReadOptions = {}): Promise<ReadingEnd> {
  const opened = await openArchive(path, options).catch(endOf("open"));
  if ("step" in opened) return opened;
  await using reader = opened;
  const ends: ReadingEnd[] = [];
  for (const entry of reader.manifest.entries) {
    ends.push(await reader.read(entry).then(() => READ, endOf("record")));
    ends.push(
      await Promise.resolve(entry)
        .then((again) => reader.readAgain(again))
        .then(() => READ, endOf("record")),
    );
  }
  const bad = ends.filter(({ step }) => step === "record");
  // Each way of reading has to find it, or neither.
  if (bad.length % 2 === 1 || new Set(bad.map(({ message }) => message)).size > 1)
    throw new Error("the two ways differ");
  return bad[0] ?? READ;
}

/** The same of a file of these bytes. */
export async function readingEndOfBytes(bytes: Buffer, options: ArchiveReadOptions = {}): Promise<ReadingEnd> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "archive.zip");
  await writeFile(path, bytes);
  return await readingEnd(path, options);
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
