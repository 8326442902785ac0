import { promisify } from "node:util";
import { crc32, deflateRawSync, inflateRaw, inflateRawSync } from "node:zlib";
import type { InputType, ZlibOptions } from "node:zlib";
import type { PackedBytes } from "../domain/encoded-record.ts";
import { RATIO_FREE_BYTES } from "./limits.ts";

/** How bytes are packed. */
export interface Packing {
  /** Of deflate, 0 (none) to 9 (smallest). */
  readonly level: number;
  /** What is over `RATIO_FREE_BYTES` and shrinks more than this is put in blocks as it is, since a reader would refuse it. */
  readonly maxRatio: number;
}

/** With less than this to spare, zlib takes another piece only to find that it was done; it is also the least it takes. */
const ROOM_TO_END = 64;

const NO_INFO = "zlib does not tell of its engine";

const inflate = promisify<InputType, ZlibOptions, Buffer>(inflateRaw);

/** Packs a file of an archive. Always by deflate: a stream's reader cannot tell where a stored file ends. */
export function packBytes(bytes: Uint8Array, { level, maxRatio }: Packing): PackedBytes {
  const packed = released(deflateRawSync(bytes, { level, info: true }));
  const shrinksTooMuch = bytes.length > RATIO_FREE_BYTES && bytes.length / packed.length >= maxRatio;
  // A copy: zlib gives a part of a larger buffer, which would stay in memory as a whole.
  const data = new Uint8Array(shrinksTooMuch ? released(deflateRawSync(bytes, { level: 0, info: true })) : packed);
  return { crc32: crc32(bytes), size: bytes.length, data };
}

/** The bytes that were packed. Rejects with zlib's own error, and before more than `size` bytes are unpacked. */
export async function unpackBytes(data: Uint8Array, size: number): Promise<Buffer> {
  return released(await inflate(data, unpacking(size)));
}

/** The same at once, in this thread. */
export function unpackBytesSync(data: Uint8Array, size: number): Buffer {
  return released(inflateRawSync(data, unpacking(size)));
}

function unpacking(size: number): ZlibOptions {
  // In one piece: several would be put together once more, in as much memory again.
  return { maxOutputLength: size, chunkSize: size + ROOM_TO_END, info: true };
}

/**
 * What zlib made, taken out of the engine that it answers with `info`. Node 24 lets go of engines in full collections only, and
 * an engine would hold its last output until then: 100 MB of an export. Nothing is lost should that member go.
 */
function released(made: unknown): Buffer {
  if (typeof made !== "object" || made === null || !("engine" in made) || !("buffer" in made)) throw new Error(NO_INFO);
  const { engine, buffer } = made;
  if (typeof engine !== "object" || engine === null || !Buffer.isBuffer(buffer)) throw new Error(NO_INFO);
  Reflect.set(engine, "_outBuffer", undefined);
  return buffer;
}
