/** Bytes that can be read at any place: an open file (a `FileHandle` is one), or memory. */
export interface RandomAccess {
  read(into: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  close(): Promise<void>;
}

/** Bytes in memory, read like a file. */
export function memoryAccess(bytes: Uint8Array): RandomAccess {
  return {
    read: (into, offset, length, position) => {
      const part = bytes.subarray(position, position + length);
      into.set(part, offset);
      return Promise.resolve({ bytesRead: part.length });
    },
    close: () => Promise.resolve(),
  };
}
