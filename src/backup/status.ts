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
 * What is known of a stack's newest archive without opening it: `status.json` beside the archives, written anew by each run.
 * `checkedAt` is when the stack was last found to hold just what the archive holds.
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

/** Reads a stack's status. One that cannot be understood is as good as none: it only saves work. */
export async function readStatus(stack: string, repository: Repository): Promise<BackupStatus | undefined> {
  const found = await repository.readText(statusName(stack));
  try {
    const parsed: unknown = JSON.parse(found?.text ?? "");
    return statusSchema.safeParse(parsed).data;
  } catch {
    return undefined;
  }
}

/** Writes a stack's status. */
export async function writeStatus(stack: string, status: BackupStatus, repository: Repository): Promise<void> {
  const { archive, contentDigest, bytes, sha256, storedAt, checkedAt } = status;
  const members = { archive, contentDigest, bytes, sha256, storedAt, checkedAt };
  const text = JSON.stringify({ format: "stackferry-status", version: 1, ...members }, undefined, 2);
  await repository.writeText(statusName(stack), `${text}\n`);
}
