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
