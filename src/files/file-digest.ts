import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** Size and checksum of a file. */
export interface FileDigest {
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
}

/** Reads a file in chunks and returns its size and checksum. */
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
