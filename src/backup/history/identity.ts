import type { Manifest } from "../../core/manifest.ts";
import { storedName } from "../archive-names.ts";
import type { StoredName } from "../archive-names.ts";

/** Clocks of machines that share a repository may differ by this much. */
export const CLOCK_TOLERANCE_MS = 10 * 60_000;

/** An archive whose name says a later time than this machine's clock can. */
export function isFromFuture({ at }: StoredName, now: number): boolean {
  return at > now + CLOCK_TOLERANCE_MS;
}

/**
 * How a stored archive contradicts its own name; undefined where the two agree. Somebody who can write to a repository cannot
 * sign, but can copy: an old archive under a new time, or that of another stack.
 */
export function contradiction(archive: StoredName, { createdAt, stack }: Manifest): string | undefined {
  if (stack === undefined) return "it is an export that was put there, not a backup";
  if (stack !== archive.stack) return "it is a backup of another stack";
  if (storedName(stack, Date.parse(createdAt), archive.encrypted) === archive.name) return undefined;
  return `it was made at ${createdAt} and copied to another time`;
}

/** What is said of an archive from the future. */
export const FROM_FUTURE =
  "it is dated in the future (was a clock wrong?), and is restored only if its time is named to the second";
