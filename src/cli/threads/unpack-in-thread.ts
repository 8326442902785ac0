import { unpackBySize, unpackedBytes } from "../../archive/unpack-file.ts";
import type { KeptFile, Unpack, Unpacked } from "../../archive/unpack-file.ts";
import { createBatches } from "../../threads/batches.ts";
import { createThreadPool } from "../../threads/thread-pool.ts";
import type { PlacedFile, UnpackWork } from "./unpack-worker.ts";

/** Once so many bytes have been asked for, a thread is started; until it is there, all is unpacked from here. */
const WORTH_A_THREAD = 2_000_000;

/** Files go over together until they unpack to so much: to ask for each costs more than to unpack it. */
const BATCH_BYTES = 300_000;

/** Memory of a batch: the last file of one may be a large one. What had to be larger is not kept. */
const MEMORY_BYTES = 1_000_000;

/** The thread has one batch in hand and one that waits for it. */
const MOST_BATCHES = 2;

/** The thread collects what it leaves behind, so that it needs hardly any room for it. */
const NURSERY_MB = 2;

/** A way to unpack that has another thread do it where there is much of it. */
export interface ThreadedUnpack extends AsyncDisposable {
  readonly unpack: Unpack;
}

/** A file on its way. One of the two is called, once. */
interface Waiting {
  readonly file: KeptFile;
  readonly there: (unpacked: Unpacked) => void;
  /** The thread could not do it: from here, not least to tell what is wrong with which file. */
  readonly here: () => void;
}

/**
 * Makes one, for whoever asks for several files before the first is there. Both ways come to the same. The memory of a batch is
 * used again once its files have been read: there is never more of it than batches, however long the archive is.
 * @param cores that this process may use
 */
export function unpackInThread(cores: number): ThreadedUnpack {
  const unpackHere = unpackBySize();
  if (cores < 2) return { unpack: unpackHere, [Symbol.asyncDispose]: () => Promise.resolve() };
  const pool = createThreadPool<UnpackWork>({
    module: new URL("unpack-worker.js", import.meta.url),
    data: { memoryBytes: MEMORY_BYTES },
    threads: 1,
    nurseryMb: NURSERY_MB,
  });
  const spare: ArrayBuffer[] = [];
  const add = createBatches({
    enough: BATCH_BYTES,
    most: MOST_BATCHES,
    weigh: ({ file }: Waiting) => unpackedBytes(file),
    ask(batch) {
      const memory = spare.pop();
      const task = { files: batch.map(({ file }) => file), memory };
      return pool.run(task, memory === undefined ? [] : [memory]).catch(() => undefined);
    },
    take(batch, done) {
      let unread = batch.length;
      const wasRead = (memory: ArrayBuffer): void => {
        unread -= 1;
        if (unread === 0 && memory.byteLength === MEMORY_BYTES) spare.push(memory);
      };
      for (const [index, { there, here }] of batch.entries()) {
        const placed = done?.files[index];
        if (done === undefined || placed === undefined) here();
        else there(leased(done.memory, placed, wasRead));
      }
    },
  });
  let [asked, isStarted, isThere] = [0, false, false];
  const start = async (): Promise<void> => {
    isStarted = true;
    const { memory } = await pool.run({ files: [], memory: undefined });
    spare.push(memory);
    isThere = true;
  };
  return {
    unpack(file) {
      asked += unpackedBytes(file);
      // Where no thread can be had, none is there.
      if (asked > WORTH_A_THREAD && !isStarted) start().catch(() => {});
      if (!isThere) return unpackHere(file);
      return new Promise((there, failed) => {
        add({ file, there, here: () => void unpackHere(file).then(there, failed) });
      });
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

/** A file in memory that is given back once the file has been read. */
function leased(
  memory: ArrayBuffer,
  { start, length, sha256 }: PlacedFile,
  wasRead: (memory: ArrayBuffer) => void,
): Unpacked {
  return (read) => {
    try {
      return read({ bytes: new Uint8Array(memory, start, length), sha256 });
    } finally {
      wasRead(memory);
    }
  };
}
