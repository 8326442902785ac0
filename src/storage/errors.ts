import { StackferryError } from "../core/errors.ts";

/** A file that the repository does not have. */
export function notStored(name: string, address: string, cause?: unknown): StackferryError {
  const hint = "`stackferry list` shows what there is";
  return new StackferryError("not-found", `there is no ${name} in ${address}`, { cause, hint });
}

/** Returns the name if it stays within the repository; it can come from the command line. @throws StackferryError `usage` */
export function checkedName(name: string): string {
  const parts = name.split("/");
  const strange = parts.some((part) => part === "" || part === "." || part === ".." || /[\\\p{Cc}]/u.test(part));
  if (!strange) return name;
  throw new StackferryError("usage", "the name of a stored file leads out of the repository", {
    hint: "name a stack by letters, digits, . - and _",
  });
}
