import { byCodeUnit } from "../core/collections.ts";
import type { Manifest } from "../core/manifest.ts";
import type { Repository, StoredFile } from "../core/ports.ts";
import { fileTimeStamp } from "../core/text/format.ts";

/** The parts of a stored archive's name: `<stack>/<UTC time>.zip`, or `.zip.age` if the archive is encrypted. */
export interface StoredName {
  readonly name: string;
  readonly stack: string;
  /** Creation time in Unix milliseconds, always a whole second. */
  readonly at: number;
  readonly encrypted: boolean;
}

const NAME = /^([A-Za-z0-9][A-Za-z0-9._-]*)\/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.zip(\.age)?$/;

/** Returns the name of a stack's archive made at the given time. `parseStoredName` reads only names of the years 0 to 9999. */
export function formatStoredName(stack: string, at: number, encrypted: boolean): string {
  return `${stack}/${fileTimeStamp(at)}.zip${encrypted ? ".age" : ""}`;
}

/** Parses the name of a file in a repository. Returns undefined if no backup could have given the file that name. */
function parseStoredName(name: string): StoredName | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  const [, stack = "", year, month, day, hour, minute, second, age] = match;
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const encrypted = age !== undefined;
  // `Date.UTC` turns 30 February into a day of March, so the name is built again from the time and compared.
  return formatStoredName(stack, at, encrypted) === name ? { name, stack, at, encrypted } : undefined;
}

export function statusFileName(stack: string): string {
  return `${stack}/status.json`;
}

export function lockFileName(stack: string): string {
  return `${stack}/.lock`;
}

export interface StoredArchive extends StoredName {
  readonly bytes: number;
}

/** Lists the archives of one stack, or of all stacks; the newest first. Other files of the repository are ignored. */
export async function listStoredArchives(
  repository: Repository,
  stack?: string,
  signal?: AbortSignal,
): Promise<StoredArchive[]> {
  const files = await repository.list(stack === undefined ? "" : `${stack}/`, signal);
  return files
    .flatMap((file: StoredFile): StoredArchive[] => {
      const parsed = parseStoredName(file.name);
      return parsed === undefined ? [] : [{ ...parsed, bytes: file.bytes }];
    })
    .toSorted(
      (left, right) => byCodeUnit(left.stack, right.stack) || right.at - left.at || byCodeUnit(left.name, right.name),
    );
}

/** Tells whether the repository lists a file of this name now. */
export async function isFileListed(name: string, repository: Repository, signal?: AbortSignal): Promise<boolean> {
  return (await repository.list(name, signal)).some((file) => file.name === name);
}

/** Clocks of machines that share a repository may differ by this much. */
export const CLOCK_TOLERANCE_MS = 10 * 60_000;

/** Tells whether the time in an archive's name is later than `now`, by more than `CLOCK_TOLERANCE_MS`. */
export function isFromFuture({ at }: StoredName, now: number): boolean {
  return at > now + CLOCK_TOLERANCE_MS;
}

/**
 * Describes how a stored archive contradicts its name; undefined if the two agree. An attacker who can write to a repository but
 * cannot sign could copy a signed archive: an old archive to a name with a new time, or the archive of one stack to another stack.
 */
export function identityProblem(archive: StoredName, { createdAt, stack }: Manifest): string | undefined {
  if (stack === undefined) return "it is an export that somebody copied there, not a backup";
  if (stack !== archive.stack) return "it is a backup of another stack";
  if (formatStoredName(stack, Date.parse(createdAt), archive.encrypted) === archive.name) return undefined;
  return `it was made at ${createdAt}, but its name has another time`;
}

export const FROM_FUTURE_PROBLEM =
  "it is dated in the future (was a clock wrong?); to restore it, name its time to the second";
