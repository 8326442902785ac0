import { unpackedBytes, unpackFileSync } from "../../archive/unpack-file.ts";
import type { KeptFile } from "../../archive/unpack-file.ts";
import { serveTasks } from "../../threads/serve-tasks.ts";
import { youngCollector } from "../tidy-reads.ts";

/** Files of an archive, and memory to unpack them into. Where that is too small, other memory is taken. */
export interface UnpackTask {
  readonly files: readonly KeptFile[];
  readonly memory: ArrayBuffer | undefined;
}

/** Where a file begins in the memory, and what else there is to know of it. */
export interface PlacedFile {
  readonly start: number;
  readonly length: number;
  readonly sha256: string;
}

/** What the thread does. */
export interface UnpackWork {
  /** How much memory is taken where that is enough. */
  readonly data: { readonly memoryBytes: number };
  readonly task: UnpackTask;
  readonly answer: { readonly files: readonly PlacedFile[]; readonly memory: ArrayBuffer };
}

serveTasks<UnpackWork>(({ memoryBytes }) => {
  const collect = youngCollector();
  return ({ files, memory: given }) => {
    const needed = files.reduce((sum, file) => sum + unpackedBytes(file), 0);
    const memory =
      given !== undefined && given.byteLength >= needed ? given : new ArrayBuffer(Math.max(needed, memoryBytes));
    let end = 0;
    const placed = files.map((file): PlacedFile => {
      const { bytes, sha256 } = unpackFileSync(file);
      const start = end;
      new Uint8Array(memory, start).set(bytes);
      end += bytes.length;
      return { start, length: bytes.length, sha256 };
    });
    collect();
    return Promise.resolve({ answer: { files: placed, memory }, transfer: [memory] });
  };
});
