import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { StackferryError } from "../core/errors.ts";

/**
 * Writes a file that only its owner can read, whole or not at all. A link at that place is replaced, never followed.
 * @throws StackferryError `archive-io`
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(text, "utf8");
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => {});
    throw new StackferryError("archive-io", `${path} cannot be written`, {
      cause,
      hint: "see that the folder exists, that you may write there, and that the disk is not full",
    });
  }
}
