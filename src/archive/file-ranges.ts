import { Readable } from "node:stream";
import type { RandomReads } from "./random-access.ts";

/** One open file that unzipper reads ranges of: it would otherwise open the file once per entry. */
export interface FileRanges {
  /** What went wrong while reading, if anything did. */
  error(): unknown;
  size(): Promise<number>;
  /** The bytes from `start` on, `length` of them or up to the end. */
  stream(start: number, length?: number): Readable;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * A view of the first `size` bytes of an open file. A failed read ends the stream early instead of failing it, because
 * unzipper does not listen for errors of its source, but reports a file that ends too soon; `error` tells the cause.
 */
export function fileRanges(zip: RandomReads, size: number): FileRanges {
  let failure: unknown;

  function* chunks(start: number, end: number): Generator<Buffer> {
    for (let position = start; position < end;) {
      try {
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - position));
        const bytesRead = zip.read(chunk, 0, chunk.length, position);
        if (bytesRead === 0) return;
        position += bytesRead;
        yield chunk.subarray(0, bytesRead);
      } catch (error) {
        failure = error;
        return;
      }
    }
  }

  return {
    error: () => failure,
    size: () => Promise.resolve(size),
    stream: (start, length = size) =>
      Readable.from(chunks(start, Math.min(size, start + length)), { objectMode: false }),
  };
}
