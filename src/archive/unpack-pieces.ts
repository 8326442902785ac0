import { crc32, createInflateRaw } from "node:zlib";
import { flawOf, STORED, wrongContent, wrongSize } from "./unpack-file.ts";
import type { KeptFile } from "./unpack-file.ts";

/** What is not packed is handed on in as much at a time, too: whoever reads it makes something of each piece. */
const PIECE_BYTES = 65_536;

/**
 * Unpacks a file piece by piece, so that a large one is never in memory as a whole. Size and CRC are only known to be right
 * once the last piece has been taken. Throws `archive-damaged`, and hands on no more than the zip states.
 */
export async function* unpackPieces({ bytes, zipped }: KeptFile): AsyncGenerator<Uint8Array> {
  if (zipped === undefined) {
    yield* piecesOf(bytes);
    return;
  }
  let size = 0;
  let crc = 0;
  try {
    for await (const piece of zipped.method === STORED ? piecesOf(bytes) : inflated(bytes)) {
      size += piece.length;
      if (size > zipped.uncompressedSize) throw wrongSize(zipped);
      crc = crc32(piece, crc);
      yield piece;
    }
  } catch (error) {
    throw flawOf(zipped, error);
  }
  if (size !== zipped.uncompressedSize) throw wrongSize(zipped);
  if (crc !== zipped.crc32) throw wrongContent(zipped);
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES);
}

function inflated(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  const inflate = createInflateRaw({ chunkSize: PIECE_BYTES });
  inflate.end(bytes);
  return inflate;
}
