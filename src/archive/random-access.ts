import { readSync } from "node:fs";

/**
 * Bytes that can be read at any place, without waiting: in memory or in a file. Files, too, because a plan reads records again
 * while it decides; and bytes that the system has read ahead come faster than another thread is asked for them.
 */
export interface RandomReads {
  /** Fills the array from `offset` on. Answers how many bytes came: fewer than `length` maybe, none at the end. */
  read(into: Uint8Array, offset: number, length: number, position: number): number;
}

/** Such bytes for as long as they are not closed. */
export interface RandomAccess extends RandomReads {
  close(): Promise<void>;
}

/** Bytes in memory, read like a file. */
export function memoryReads(bytes: Uint8Array): RandomReads {
  return {
    read: (into, offset, length, position) => {
      const part = bytes.subarray(position, position + length);
      into.set(part, offset);
      return part.length;
    },
  };
}

/** @param file is asked for its number each time: once a `FileHandle` is closed, that number may be another file's. */
export function fileReads(file: { readonly fd: number }): RandomReads {
  return { read: (into, offset, length, position) => readSync(file.fd, into, offset, length, position) };
}
