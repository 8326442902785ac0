import { z } from "zod";
import { parseJsonAs } from "../core/json.ts";
import type { Repository } from "../core/ports.ts";
import { sideFileName, type ArchiveFile } from "./archive-names.ts";
import { SUSPECT_CODES } from "./suspect.ts";

const entrySchema = z.object({
  format: z.literal("stackferry-backup"),
  version: z.literal(1),
  archive: z.string(),
  contentDigest: z.string(),
  /** Digest of the records without server-owned members; absent if no run has read the records. */
  recordsDigest: z.string().exactOptional(),
  bytes: z.number(),
  /** Checksum of the archive's file. */
  sha256: z.string(),
  /** Digest of the readers of an encrypted archive; absent for plain text, or if the readers are not known. */
  encryptedFor: z.string().exactOptional(),
  /** Fingerprint of the key that the run signed with. Only `--signer` checks a signature. */
  signedBy: z.string().exactOptional(),
  /** Digest of the stack's address. */
  address: z.string(),
  kinds: z.record(
    z.string(),
    z.object({
      status: z.enum(["complete", "partial", "failed", "not-offered", "not-requested"]),
      count: z.int().min(0),
      unlisted: z.int().min(0).exactOptional(),
    }),
  ),
  /** How many records of each kind changed since the last good archive; absent if they were not compared. */
  changes: z
    .record(z.string(), z.object({ added: z.int().min(0), removed: z.int().min(0), changed: z.int().min(0) }))
    .exactOptional(),
  /** Reasons why the archive is suspect; absent for a good archive. */
  suspect: z.array(z.object({ code: z.enum(SUSPECT_CODES), message: z.string() })).exactOptional(),
});

/** The facts about an archive, stored beside it when it is complete, so that no run has to open the archive for them. */
export type ArchiveEntry = Readonly<Omit<z.output<typeof entrySchema>, "format" | "version">>;

/** Reads the entry of a complete archive. Returns undefined if the entry is damaged, or not of this archive. */
export async function readEntry(archive: ArchiveFile, repository: Repository): Promise<ArchiveEntry | undefined> {
  const text = await repository.readText(sideFileName(archive, "json"));
  const { format: _format, version: _version, ...entry } = parseJsonAs(entrySchema, text ?? "") ?? {};
  return "archive" in entry && entry.archive === archive.name ? entry : undefined;
}

/** Writes the entry of an archive. From then on the archive counts as a backup. */
export async function writeEntry(archive: ArchiveFile, entry: ArchiveEntry, repository: Repository): Promise<void> {
  const text = JSON.stringify({ format: "stackferry-backup", version: 1, ...entry }, undefined, 2);
  await repository.writeText(sideFileName(archive, "json"), `${text}\n`);
}
