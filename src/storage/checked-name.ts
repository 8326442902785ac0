import { StackferryError } from "../domain/errors.ts";

/** Answers the name if it stays within the place; a name can come from the command line. @throws StackferryError `usage` */
export function checkedName(name: string): string {
  const parts = name.split("/");
  const strange = parts.some((part) => part === "" || part === "." || part === ".." || /[\\\p{Cc}]/u.test(part));
  if (!strange) return name;
  throw new StackferryError("usage", "the name of a stored file leads out of its place", {
    hint: "name a stack by letters, digits, . - and _",
  });
}
