import { StackferryError } from "../core/errors.ts";

/** The error for a file that the repository does not have. */
export function notStored(name: string, address: string, cause?: unknown): StackferryError {
  const hint = "`stackferry list` shows the backups";
  return new StackferryError("not-found", `there is no ${name} in ${address}`, { cause, hint });
}

/** The error for a list of more files than any fleet keeps. */
export function endlessList(where: string, most: number): StackferryError {
  return new StackferryError("list-incomplete", `${where} lists more than ${most} files, or its list does not end`, {
    hint: "keep the backups in a place of their own, and check which other files are there",
  });
}

/** Returns the name if it stays within the repository; it may come from the command line. @throws StackferryError `usage` */
export function checkedName(name: string): string {
  const parts = name.split("/");
  const strange = parts.some((part) => part === "" || part === "." || part === ".." || /[\\\p{Cc}]/u.test(part));
  if (!strange) return name;
  throw new StackferryError("usage", "the name of a stored file leads out of the repository", {
    hint: "name a stack by letters, digits, . - and _",
  });
}

/** Maximum size of a repository's small files, which are far smaller: a status has about a kilobyte for each archive. */
export const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** Maximum number of listed files, more than a fleet keeps for years. A list without end would take all memory. */
export const MAX_LISTED = 500_000;

/** The problem of a file that is over the limit. */
export const TOO_LARGE = `it is over ${MAX_TEXT_BYTES / 1024 / 1024} MiB`;
