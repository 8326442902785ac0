import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { StackferryError } from "../core/errors.ts";
import { systemCode } from "./errors.ts";

/** Windows and some network file systems cannot flush a folder; there a rename is as durable as it gets. */
const UNSUPPORTED = new Set(["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP", "EBADF"]);

/** Flushes a folder's entries to disk, so that a rename survives a power cut. */
async function syncFolder(path: string): Promise<void> {
  try {
    await using handle = await open(path, "r");
    await handle.sync();
  } catch (error) {
    if (!UNSUPPORTED.has(systemCode(error) ?? "")) throw error;
  }
}

/** What a file is recognised by. */
export interface FileDigest {
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** Reads a file and answers its size and checksum. */
export async function fileDigest(path: string, signal?: AbortSignal): Promise<FileDigest> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path, signal === undefined ? {} : { signal })) {
    if (!Buffer.isBuffer(chunk)) continue;
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

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
