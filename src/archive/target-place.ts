import { lstat } from "node:fs/promises";
import { StackferryError } from "../domain/errors.ts";
import { systemCode } from "./archive-errors.ts";

/** What stands where an archive is to be written. */
export type TargetPlace = "nothing" | "file" | "folder";

/** Looks without following a link. Links and devices are refused (`usage`): the rename at the end would replace them. */
export async function targetPlace(path: string): Promise<TargetPlace> {
  try {
    const stats = await lstat(path);
    if (stats.isFile()) return "file";
    if (stats.isDirectory()) return "folder";
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "nothing";
    throw error;
  }
  throw new StackferryError("usage", `${path} is a link or a device, which an archive would replace`, {
    hint: "name the file or folder itself",
  });
}
