import { createReadStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { StackferryError } from "../domain/errors.ts";
import { fileDigest } from "./file-digest.ts";
import { syncFolder } from "./sync-folder.ts";

/**
 * Copies a file to a new private one: temporary name, flush, compare, rename. Nothing is left of it on failure.
 * @param temporary on the same file system as the target
 */
export async function copyFileDurably(
  from: string,
  temporary: string,
  target: string,
  signal?: AbortSignal,
): Promise<void> {
  try {
    // "wx" neither follows a link nor opens what somebody else put there.
    const handle = await open(temporary, "wx", 0o600);
    try {
      for await (const chunk of createReadStream(from, signal === undefined ? {} : { signal })) {
        await handle.writeFile(chunk);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    const [sent, arrived] = await Promise.all([fileDigest(from, signal), fileDigest(temporary, signal)]);
    if (sent.sha256 !== arrived.sha256) {
      throw new StackferryError("archive-io", `${target} was not stored as it was sent`, {
        hint: "the disk may be failing; check it, then run again",
      });
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(target));
}
