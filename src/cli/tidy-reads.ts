import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { RecordReads } from "../domain/ports.ts";

/**
 * After so much of an archive: more than is read ahead, or what waits would be there at two collections and count as old. More
 * seldom costs memory.
 */
const EVERY_BYTES = 1_200_000;

/**
 * The same reads, for a run that keeps nothing of a record: what the last ones left behind is collected before it piles up.
 * V8 would wait until its nursery is full, which grows to some 50 MB, and to 150 MB in Node 24, whatever a record takes.
 * For the program alone: a library must not meddle with the memory of its host.
 */
export function tidyReads(reader: RecordReads, collect: () => void = youngCollector()): RecordReads {
  let bytes = 0;
  return {
    manifest: reader.manifest,
    async prepare(entry) {
      const record = await reader.prepare(entry);
      return () => {
        bytes += entry.bytes;
        if (bytes >= EVERY_BYTES) {
          bytes = 0;
          collect();
        }
        return record();
      };
    },
  };
}

/** How V8 collects from now on, in all threads of the process. */
const FLAGS = [
  // Or things are put among the old ones as soon as they are made, on the guess that they will get old like their kind: what waits
  // to be read would, and stay there.
  "--no-allocation-site-pretenuring",
  // What has died is freed at once, by the thread that made it: where every core is busy, it would wait for the others.
  "--no-parallel-scavenge",
  "--no-concurrent-sweeping",
  "--no-concurrent-array-buffer-sweeping",
];

/** Collects what has died young, in about a millisecond. */
export function youngCollector(): () => void {
  for (const flag of FLAGS) setFlagsFromString(flag);
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  return typeof collect === "function" ? () => void Reflect.apply(collect, undefined, [{ type: "minor" }]) : () => {};
}
