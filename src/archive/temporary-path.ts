import { randomBytes } from "node:crypto";
import { basename, dirname, join, resolve } from "node:path";

/** A hidden name next to `path`, on the same file system, that nobody can foresee. */
export function temporaryPath(path: string, purpose: "new" | "old"): string {
  const target = resolve(path);
  return join(dirname(target), `.${basename(target)}.${randomBytes(8).toString("hex")}.${purpose}`);
}
