import { open } from "node:fs/promises";
import { systemCode } from "./archive-errors.ts";

/** Windows and some network file systems cannot flush a directory; there a rename is as durable as it gets. */
const UNSUPPORTED = new Set(["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP", "EBADF"]);

/** Flushes a directory's entries to disk, so that a rename survives a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  try {
    await using handle = await open(path, "r");
    await handle.sync();
  } catch (error) {
    if (!UNSUPPORTED.has(systemCode(error) ?? "")) throw error;
  }
}
