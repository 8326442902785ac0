import { StackferryError } from "../../domain/errors.ts";
import type { Press, ReadyRecord } from "../../jobs/press-records.ts";
import { createThreadPool } from "../../threads/thread-pool.ts";
import type { PressSettings } from "./press-of.ts";
import type { PressWork } from "./press-worker.ts";

/** Up to so many bytes of lists are pressed in this thread: another one would take longer to start than it saves. */
const WORTH_A_THREAD = 4_000_000;

/** Two keep up with the thread that reads the lists. Each takes some 40 MB, however long the list is. */
const MOST_THREADS = 2;

/** Large enough that it is seldom full while a batch is pressed. */
const NURSERY_MB = 24;

/** A press that has other threads do the work where there is much of it. */
export interface ThreadedPress extends AsyncDisposable {
  readonly press: Press<ReadyRecord>;
}

/**
 * Makes one. Both ways come to the same, byte for byte.
 * @param here does it in this thread
 * @param cores that this process may use
 */
export function pressInThreads(here: Press<ReadyRecord>, settings: PressSettings, cores: number): ThreadedPress {
  if (cores < 2) return { press: here, [Symbol.asyncDispose]: () => Promise.resolve() };
  const pool = createThreadPool<PressWork>({
    module: new URL("press-worker.js", import.meta.url),
    data: settings,
    threads: Math.min(cores, MOST_THREADS),
    nurseryMb: NURSERY_MB,
  });
  let bytes = 0;
  return {
    press: async (kind, records) => {
      const texts = records.map(({ value, json }) => json ?? Buffer.from(JSON.stringify(value), "utf8"));
      bytes += texts.reduce((sum, text) => sum + text.length, 0);
      if (bytes <= WORTH_A_THREAD) return here(kind, records);
      const json = jsonArray(texts);
      try {
        return await pool.run({ kind: kind.name, json }, [json.buffer]);
      } catch (error) {
        if (error instanceof StackferryError) throw error;
        // No thread can be had (a limit on processes), or it ran out of memory: slower, but done.
        return here(kind, records);
      }
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

/** In a buffer of its own, which can go over to another thread without being copied. */
function jsonArray(texts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const array = new Uint8Array(texts.reduce((sum, text) => sum + text.length + 1, 1));
  let end = 0;
  for (const text of texts) {
    array[end] = (end === 0 ? "[" : ",").charCodeAt(0);
    array.set(text, end + 1);
    end += text.length + 1;
  }
  array[end] = "]".charCodeAt(0);
  return array;
}
