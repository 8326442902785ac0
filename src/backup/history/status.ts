import { z } from "zod";
import type { RunContext } from "../../core/events.ts";
import type { Repository } from "../../core/ports.ts";
import { statusName } from "../archive-names.ts";
import type { ArchiveContent, Shrinkage, SuspectReason } from "./suspect.ts";
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
  }),
);

const entrySchema = z.object({
  archive: z.string(),
  contentDigest: z.string(),
  recordsDigest: z.string().exactOptional(),
  bytes: z.number(),
  sha256: z.string(),
  storedAt: z.iso.datetime(),
  checkedAt: z.iso.datetime(),
  kinds: contentSchema,
  shrunkFrom: z.record(z.string(), z.int().min(0)).exactOptional(),
  suspect: z.array(reasonSchema).exactOptional(),
  accepted: z.literal(true).exactOptional(),
}) satisfies z.ZodType<ArchiveEntry>;

const statusSchema = entrySchema.extend({
  format: z.literal("stackferry-status"),
  version: z.literal(1),
  earlier: z.array(entrySchema),
});

/** What is known of an archive, so that it need not be opened. `checkedAt` is when the stack was last found to equal it. */
export interface ArchiveEntry {
  /** Name in the repository. */
  readonly archive: string;
  readonly contentDigest: string;
  /** Of the records without what the server owns; absent in entries of earlier releases. */
  readonly recordsDigest?: string;
  readonly bytes: number;
  /** Of the archive's file. */
  readonly sha256: string;
  /** ISO 8601, UTC. */
  readonly storedAt: string;
  readonly checkedAt: string;
  readonly kinds: ArchiveContent;
  /** Absent where no kind holds less than in the last good archive before it. */
  readonly shrunkFrom?: Shrinkage;
  /** Absent for an archive that is good, and for one that was accepted. */
  readonly suspect?: readonly SuspectReason[];
  /** Somebody has said that the stack is meant to hold so little. */
  readonly accepted?: true;
}

/** Reads what `status.json` says of a stack's archives; nothing where it is missing or cannot be parsed, as it only saves work. */
export async function readStatus(
  stack: string,
  repository: Repository,
  { events }: RunContext,
): Promise<readonly ArchiveEntry[]> {
  const found = await repository.readText(statusName(stack));
  if (found?.problem !== undefined) {
    const message = `${repository.address}/${statusName(stack)} is not read, because ${found.problem}: the archives are read in its place`;
    events({ type: "warning", warning: { code: "status-unreadable", message } });
  }
  try {
    const parsed: unknown = JSON.parse(found?.text ?? "");
    const { data } = statusSchema.safeParse(parsed);
    if (data === undefined) return [];
    const { format: _format, version: _version, earlier, ...newest } = data;
    return [newest, ...earlier];
  } catch {
    return [];
  }
}

/** Writes `status.json`: the newest archive's members, then one line for each earlier archive. */
export async function writeStatus(
  stack: string,
  entries: readonly ArchiveEntry[],
  repository: Repository,
): Promise<void> {
  const [newest, ...earlier] = entries;
  const about = JSON.stringify({ format: "stackferry-status", version: 1, ...newest }, undefined, 2).replace(
    /\n\}$/,
    "",
  );
  const lines = earlier.map((entry) => `\n    ${JSON.stringify(entry)}`).join(",");
  await repository.writeText(statusName(stack), `${about},\n  "earlier": [${lines}${lines === "" ? "" : "\n  "}]\n}\n`);
}
