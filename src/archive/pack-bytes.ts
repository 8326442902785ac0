import { promisify } from "node:util";
import { crc32, deflateRawSync, inflateRaw } from "node:zlib";
import type { PackedBytes } from "../domain/encoded-record.ts";
import { RATIO_FREE_BYTES } from "./limits.ts";

/** How bytes are packed. */
export interface Packing {
  /** Of deflate, 0 (none) to 9 (smallest). */
  readonly level: number;
  /** What is over `RATIO_FREE_BYTES` and shrinks more than this is stored as it is, since a reader would refuse it. */
  readonly maxRatio: number;
}

const inflate = promisify(inflateRaw);

/** Packs a file of an archive. */
export function packBytes(bytes: Uint8Array<ArrayBuffer>, { level, maxRatio }: Packing): PackedBytes {
  const about = { crc32: crc32(bytes), size: bytes.length };
  const stored = { ...about, method: "store", data: bytes } as const;
  if (level === 0) return stored;
  const packed = deflateRawSync(bytes, { level });
  if (bytes.length > RATIO_FREE_BYTES && bytes.length / packed.length >= maxRatio) return stored;
  // A copy: zlib gives a part of a larger buffer, which would stay in memory as a whole.
  return { ...about, method: "deflate", data: Uint8Array.from(packed) };
}

/** The bytes that were packed. */
export async function unpackBytes({ method, size, data }: PackedBytes): Promise<Uint8Array> {
  return method === "store" ? data : inflate(data, { maxOutputLength: Math.max(1, size) });
}
