import { printable as shown } from "../core/printable.ts";
import { StackferryError, errorMessage } from "../core/errors.ts";

const HINTS: Readonly<Record<string, string>> = {
  ENOENT: "check the path; the folder that it is in must exist",
  ENOSPC: "make room on the disk and run again",
  EDQUOT: "make room within the disk quota and run again",
  EFBIG: "raise the limit on file sizes, or write to another place",
  EACCES: "check the permissions, or choose another place",
  EPERM: "check the permissions, or choose another place",
  EROFS: "the place is read-only; choose another one",
  EXDEV: "choose a folder below the mount point",
  EBUSY: "the place is in use or a mount point; choose a folder below it",
};

/** Bytes that do not match, or that somebody made to do harm. */
export function damagedArchive(message: string, cause?: unknown): StackferryError {
  return new StackferryError("archive-damaged", message, {
    cause,
    hint: "the archive was cut short or altered; use another copy, or export again",
  });
}

/** Bytes that are no archive of ours, or one of a later version. */
export function unknownArchive(
  message: string,
  hint = "name an archive that `stackferry export` has written",
): StackferryError {
  return new StackferryError("archive-unknown", message, { hint });
}

/** Somebody reads an archive that nobody holds open any more: a fault of the program, told before anything else is read. */
export function closedArchive(path: string): StackferryError {
  return new StackferryError("archive-io", `the archive ${path} was closed while it was still needed`);
}

/**
 * A failure of the file system, told with the path and what to do about it. Errors of ours pass as they are.
 * @param doing what was tried, for instance "write the archive".
 */
export function archiveIoError(doing: string, path: string, error: unknown): StackferryError {
  if (error instanceof StackferryError) return error;
  const hint = HINTS[systemCode(error) ?? ""] ?? "check the disk and the path, then run again";
  return new StackferryError("archive-io", `cannot ${doing} ${path}: ${errorMessage(error)}`, { cause: error, hint });
}

/** The system's own code of a failed call (`ENOENT`, …), if it is one. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

const MOST_CHARACTERS = 120;

/** Text from an untrusted archive, fit for a message. */
export function printable(text: string): string {
  return shown(text, MOST_CHARACTERS);
}
