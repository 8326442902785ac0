import { open } from "node:fs/promises";
import { systemCode } from "./place-errors.ts";

/** Windows and some network file systems cannot flush a folder; there a rename is as durable as it gets. */
const UNSUPPORTED = new Set(["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP", "EBADF"]);

/** Flushes a folder's entries to disk, so that a rename survives a power cut. */
export async function syncFolder(path: string): Promise<void> {
  try {
    await using handle = await open(path, "r");
    await handle.sync();
  } catch (error) {
    if (!UNSUPPORTED.has(systemCode(error) ?? "")) throw error;
  }
}
