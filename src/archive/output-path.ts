import { lstat } from "node:fs/promises";
import { StackferryError } from "../core/errors.ts";
import { systemCode } from "../files/errors.ts";

/** The kind of entry at the path that an archive is to be written to. */
export type ExistingTarget = "nothing" | "file" | "folder";

/**
 * Checks the path without following a link.
 * @throws StackferryError `usage` for a link or a device: the final rename would replace it
 */
export async function existingTarget(path: string): Promise<ExistingTarget> {
  try {
    const stats = await lstat(path);
    if (stats.isFile()) return "file";
    if (stats.isDirectory()) return "folder";
  } catch (error) {
    // Below a file nothing can exist. The later write reports the error.
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return "nothing";
    throw error;
  }
  throw new StackferryError("usage", `${path} is a link or a device, which an archive would replace`, {
    hint: "name the file or folder itself",
  });
}
