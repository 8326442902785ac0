import { z } from "zod";
import type { Repository } from "../core/ports.ts";
import { statusName } from "./names.ts";

const statusSchema = z.looseObject({
  format: z.literal("stackferry-status"),
  version: z.literal(1),
  archive: z.string(),
  contentDigest: z.string(),
  bytes: z.number(),
  sha256: z.string(),
  storedAt: z.iso.datetime(),
  checkedAt: z.iso.datetime(),
});

/**
 * What each run writes to `status.json` about a stack's newest archive, so that the archive need not be opened.
 * `checkedAt` is when the stack was last found to equal the archive.
 */
export interface BackupStatus {
  /** Name in the repository. */
  readonly archive: string;
  readonly contentDigest: string;
  readonly bytes: number;
  /** Of the archive's file. */
  readonly sha256: string;
  /** ISO 8601, UTC. */
  readonly storedAt: string;
  readonly checkedAt: string;
}

/** Reads a stack's status; undefined for one that is missing or cannot be parsed, as it only saves work. */
export async function readStatus(stack: string, repository: Repository): Promise<BackupStatus | undefined> {
  const found = await repository.readText(statusName(stack));
  try {
    const parsed: unknown = JSON.parse(found?.text ?? "");
    return statusSchema.safeParse(parsed).data;
  } catch {
    return undefined;
  }
}

export async function writeStatus(stack: string, status: BackupStatus, repository: Repository): Promise<void> {
  const { archive, contentDigest, bytes, sha256, storedAt, checkedAt } = status;
  const members = { archive, contentDigest, bytes, sha256, storedAt, checkedAt };
  const text = JSON.stringify({ format: "stackferry-status", version: 1, ...members }, undefined, 2);
  await repository.writeText(statusName(stack), `${text}\n`);
}
