import type { Manifest } from "../../core/manifest.ts";
import { storedName } from "../archive-names.ts";
import type { StoredName } from "../archive-names.ts";

/** Clocks of machines that share a repository may differ by this much. */
export const CLOCK_TOLERANCE_MS = 10 * 60_000;

/** Tells whether an archive's name has a time later than this machine's clock, with a tolerance. */
export function isFromFuture({ at }: StoredName, now: number): boolean {
  return at > now + CLOCK_TOLERANCE_MS;
}

/**
 * Returns the contradiction between a stored archive and its name; undefined if they agree. An attacker who can write to a
 * repository cannot sign, but can copy: an old archive under a new time, or another stack's archive.
 */
export function identityProblem(archive: StoredName, { createdAt, stack }: Manifest): string | undefined {
  if (stack === undefined) return "it is an export that somebody copied there, not a backup";
  if (stack !== archive.stack) return "it is a backup of another stack";
  if (storedName(stack, Date.parse(createdAt), archive.encrypted) === archive.name) return undefined;
  return `it was made at ${createdAt}, but its name has another time`;
}

/** The problem of an archive dated in the future. */
export const FROM_FUTURE = "it is dated in the future (was a clock wrong?); to restore it, name its time to the second";
