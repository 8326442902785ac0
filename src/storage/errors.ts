import { StackferryError } from "../core/errors.ts";

export function notStoredError(name: string, address: string, cause?: unknown): StackferryError {
  const hint = "`stackferry list` shows the backups";
  return new StackferryError("not-found", `there is no ${name} in ${address}`, { cause, hint });
}

/** Returns the error for a list of more than `most` files, or one that does not end: no set of stacks has so many. */
export function endlessListError(where: string, most: number): StackferryError {
  return new StackferryError("list-incomplete", `${where} lists more than ${most} files, or its list does not end`, {
    hint: "keep the backups in a place of their own; a store has to support ListObjectsV2",
  });
}

/** Returns the name of a stored file, if it does not lead out of the repository. @throws StackferryError `usage` */
export function requireSafeName(name: string): string {
  const parts = name.split("/");
  const strange = parts.some((part) => part === "" || part === "." || part === ".." || /[\\\p{Cc}]/u.test(part));
  if (!strange) return name;
  throw new StackferryError("usage", "the name of a stored file leads out of the repository", {
    hint: "name a stack by letters, digits, . - and _",
  });
}

/** Maximum size of a repository's small files. The entry of an archive has a few kilobytes. */
export const MAX_TEXT_BYTES = 1024 * 1024;

/** Maximum number of files in a list, more than hundreds of stacks collect in years. An endless list would take all memory. */
export const MAX_LISTED = 500_000;
