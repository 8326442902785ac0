import { open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { archiveIoError } from "./archive-errors.ts";
import { syncDirectory } from "./sync-directory.ts";
import { temporaryPath } from "./temporary-path.ts";

/** Writes a file that only its owner can read, whole or not at all. A link at that place is replaced, never followed. */
export async function placeFile(path: string, text: string): Promise<void> {
  const temporary = temporaryPath(path, "new");
  try {
    {
      await using handle = await open(temporary, "wx", 0o600);
      await handle.writeFile(text, "utf8");
      await handle.sync();
    }
    await rename(temporary, path);
    await syncDirectory(dirname(resolve(path)));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw archiveIoError("write", path, error);
  }
}
