import { createHash } from "node:crypto";
import { z } from "zod";
import { parseJsonAs } from "../core/json.ts";
import type { Manifest } from "../core/manifest.ts";
import type { Repository } from "../core/ports.ts";
import type { StackIdentity } from "../core/records/record.ts";
import { sideFileName, type ArchiveFile } from "./archive-names.ts";

const suspectReasonSchema = z.object({
  code: z.enum(["empty", "kind-shrunk", "missing-backup", "other-stack", "wrong-key"]),
  message: z.string(),
});

export type SuspectReason = Readonly<z.output<typeof suspectReasonSchema>>;

const entrySchema = z.object({
  format: z.literal("stackferry-backup"),
  version: z.literal(1),
  archive: z.string(),
  contentDigest: z.string(),
  /** Digest of the records without server-owned members. */
  recordsDigest: z.string().exactOptional(),
  bytes: z.number(),
  sha256: z.string(),
  encryptedFor: z.string().exactOptional(),
  signedBy: z.string().exactOptional(),
  address: z.string(),
  kinds: z.record(
    z.string(),
    z.object({
      status: z.enum(["complete", "partial", "failed", "not-offered", "not-requested"]),
      count: z.int().min(0),
      unlisted: z.int().min(0).exactOptional(),
    }),
  ),
  changes: z
    .record(z.string(), z.object({ added: z.int().min(0), removed: z.int().min(0), changed: z.int().min(0) }))
    .exactOptional(),
  suspect: z.array(suspectReasonSchema).exactOptional(),
});

/** Stored beside the archive, to describe a backup without opening the archive. */
export type ArchiveEntry = Readonly<Omit<z.output<typeof entrySchema>, "format" | "version">>;

export type ArchiveContent = ArchiveEntry["kinds"];

export function describeContent({
  contentDigest,
  kinds,
  source,
}: Pick<Manifest, "contentDigest" | "kinds" | "source">): Pick<ArchiveEntry, "contentDigest" | "kinds" | "address"> {
  const content = Object.entries(kinds).map(([kind, { error: _error, code: _code, ...summary }]) => [kind, summary]);
  return { contentDigest, kinds: Object.fromEntries(content), address: digestAddress(source) };
}

/** Hides the address, because an entry is readable even if the archive is encrypted. Equal digests mean `isSameStack`. */
function digestAddress({ variant, baseUrl, organizationId, serviceId, team }: StackIdentity): string {
  const ofServer = team === undefined ? [variant, baseUrl] : [variant, baseUrl, team];
  const address = organizationId === undefined ? ofServer : [variant, organizationId, serviceId];
  return createHash("sha256").update(JSON.stringify(address), "utf8").digest("hex");
}

/** Returns undefined if the entry is missing, damaged, or of another archive. */
export async function readEntry(archive: ArchiveFile, repository: Repository): Promise<ArchiveEntry | undefined> {
  const text = await repository.readText(sideFileName(archive, "json"));
  const { format: _format, version: _version, ...entry } = parseJsonAs(entrySchema, text ?? "") ?? {};
  return "archive" in entry && entry.archive === archive.name ? entry : undefined;
}

/** From this write on, the archive counts as a backup. */
export async function writeEntry(archive: ArchiveFile, entry: ArchiveEntry, repository: Repository): Promise<void> {
  const text = JSON.stringify({ format: "stackferry-backup", version: 1, ...entry }, undefined, 2);
  await repository.writeText(sideFileName(archive, "json"), `${text}\n`);
}
