import { promisify } from "node:util";
import { deflateRawSync, inflateRaw, inflateRawSync } from "node:zlib";
import type { InputType, ZlibOptions } from "node:zlib";

/** With less than this to spare, zlib takes another piece only to find that it was done; it is also the least it takes. */
const ROOM_TO_END = 64;

const NO_INFO = "zlib does not tell of its engine";

const inflate = promisify<InputType, ZlibOptions, Buffer>(inflateRaw);

/**
 * Packs bytes at once, in this thread. The answer is a part of a larger buffer: copy what is to be kept.
 * @param level 0 (none) to 9 (smallest)
 */
export function deflatedSync(bytes: Uint8Array, level: number): Buffer {
  return released(deflateRawSync(bytes, { level, info: true }));
}

/** The bytes that were packed, by one of Node's own threads. Rejects with zlib's error, and before more than `size` are unpacked. */
export async function inflated(data: Uint8Array, size: number): Promise<Buffer> {
  return released(await inflate(data, unpacking(size)));
}

/** The same at once, in this thread. */
export function inflatedSync(data: Uint8Array, size: number): Buffer {
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
