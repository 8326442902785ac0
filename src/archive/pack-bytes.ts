import { crc32 } from "node:zlib";
import type { PackedBytes } from "../domain/encoded-record.ts";
import { deflatedSync } from "../domain/raw-deflate.ts";
import { RATIO_FREE_BYTES } from "./limits.ts";

/** How bytes are packed. */
export interface Packing {
  /** Of deflate, 0 (none) to 9 (smallest). */
  readonly level: number;
  /** What is over `RATIO_FREE_BYTES` and shrinks more than this is put in blocks as it is, since a reader would refuse it. */
  readonly maxRatio: number;
}

/** Packs a file of an archive. Always by deflate: a stream's reader cannot tell where a stored file ends. */
export function packBytes(bytes: Uint8Array, { level, maxRatio }: Packing): PackedBytes {
  const packed = deflatedSync(bytes, level);
  const shrinksTooMuch = bytes.length > RATIO_FREE_BYTES && bytes.length / packed.length >= maxRatio;
  // A copy: what was packed is a part of a larger buffer, which would stay in memory as a whole.
  const data = new Uint8Array(shrinksTooMuch ? deflatedSync(bytes, 0) : packed);
  return { crc32: crc32(bytes), size: bytes.length, data };
}
