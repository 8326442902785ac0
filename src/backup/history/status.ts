import { z } from "zod";
import type { RunContext } from "../../core/events.ts";
import { parseJsonAs } from "../../core/json.ts";
import type { Repository } from "../../core/ports.ts";
import { statusFileName } from "../archive-names.ts";
import { originSchema } from "./origin.ts";
import { SUSPECT_CODES } from "./suspect.ts";

const reasonSchema = z.object({
  code: z.enum(SUSPECT_CODES),
  message: z.string(),
});

const contentSchema = z.record(
  z.string(),
  z.object({
    status: z.enum(["complete", "partial", "failed", "not-offered", "not-requested"]),
    count: z.int().min(0),
    unlisted: z.int().min(0).exactOptional(),
    bytes: z.int().min(0).exactOptional(),
  }),
);

const entrySchema = z.object({
  /** The archive's name in the repository. */
  archive: z.string(),
  contentDigest: z.string(),
  /** Digest of the records without server-owned members; absent in entries of earlier releases. */
  recordsDigest: z.string().exactOptional(),
  bytes: z.number(),
  /** Checksum of the archive's file. */
  sha256: z.string(),
  /**
   * Names the readers of an encrypted archive; absent for plain text, in entries of earlier releases, and if the status was lost.
   */
  encryptedFor: z.string().exactOptional(),
  /** Time when the archive was stored, ISO 8601, UTC. */
  storedAt: z.iso.datetime(),
  /** Time when a run last found the stack equal to the archive. */
  checkedAt: z.iso.datetime(),
  kinds: contentSchema,
  /** Absent in entries of earlier releases. */
  origin: originSchema.exactOptional(),
  /** Kinds that hold less than in the last good archive before this one, with the earlier numbers; absent if there are none. */
  shrunkFrom: z.record(z.string(), z.int().min(0)).exactOptional(),
  /** Reasons why the archive is suspect; absent for a good archive, and for an accepted one. */
  suspect: z.array(reasonSchema).exactOptional(),
  /** Set if the archive was suspect and the user confirmed that the stack really holds so little. */
  accepted: z.literal(true).exactOptional(),
  /** Set if a run saw that the archive is dated in the future. A later run whose own clock is wrong could not see that. */
  ahead: z.literal(true).exactOptional(),
});

/** The facts about an archive that `status.json` records, so that no run has to open the archive for them. */
export type ArchiveEntry = Readonly<z.output<typeof entrySchema>>;

const statusSchema = entrySchema.extend({
  format: z.literal("stackferry-status"),
  version: z.literal(1),
  earlier: z.array(entrySchema),
});

/** Reads the entries of `status.json`. Returns none if the file cannot be parsed: the archives are then read instead. */
export async function readStatus(
  stack: string,
  repository: Repository,
  { events }: RunContext,
): Promise<readonly ArchiveEntry[]> {
  const found = await repository.readText(statusFileName(stack));
  if (found === undefined) return [];
  const data = found.problem === undefined ? parseJsonAs(statusSchema, found.text) : undefined;
  if (data === undefined) {
    const message = `${repository.address}/${statusFileName(stack)} is not read, because ${found.problem ?? "it is damaged"}: the archives are read instead, and the next backup writes the file anew`;
    events({ type: "warning", warning: { code: "status-unreadable", message } });
    return [];
  }
  const { format: _format, version: _version, earlier, ...newest } = data;
  return [newest, ...earlier];
}

/**
 * Writes `status.json`: the entry of the newest archive as the file's own members, then one line for each earlier archive.
 * @param archives may include an older entry of the newest archive
 */
export async function writeStatus(
  stack: string,
  newest: ArchiveEntry,
  archives: readonly { readonly entry?: ArchiveEntry }[],
  repository: Repository,
): Promise<void> {
  const earlier = archives.flatMap(({ entry }) => entry ?? []).filter(({ archive }) => archive !== newest.archive);
  const about = JSON.stringify({ format: "stackferry-status", version: 1, ...newest }, undefined, 2).replace(
    /\n\}$/,
    "",
  );
  const lines = earlier.map((entry) => `\n    ${JSON.stringify(entry)}`).join(",");
  await repository.writeText(
    statusFileName(stack),
    `${about},\n  "earlier": [${lines}${lines === "" ? "" : "\n  "}]\n}\n`,
  );
}
