import type { RunContext } from "../core/events.ts";
import { listStoredStacks, sideFileName } from "./archive-names.ts";
import type { BackupDependencies } from "./dependencies.ts";

/** A second in which no other run makes a backup of the stack. Disposing of it removes the claim. */
export interface ClaimedTime extends AsyncDisposable {
  /** Unix milliseconds. */
  readonly at: number;
}

/**
 * Claims a time for a backup, by an empty file of its own name. Two runs that begin in the same second see each other's claim, at
 * least the one that wrote last, and go on to other seconds. So each backup has a name of its own, and no run waits for another.
 * @param from the earliest time
 */
export async function claimTime(
  stack: string,
  from: number,
  { repository, createToken }: BackupDependencies,
  { signal }: RunContext,
): Promise<ClaimedTime> {
  const found = await listStoredStacks(repository, stack, signal);
  const taken = new Set(found.flatMap(({ archives, sideFiles }) => [...archives, ...sideFiles]).map(({ at }) => at));
  for (let at = Math.floor(from / 1000) * 1000; ; at += 1000) {
    if (taken.has(at)) continue;
    signal?.throwIfAborted();
    const token = createToken();
    const name = sideFileName({ stack, at }, `run-${token}`);
    await repository.writeText(name, "");
    const release = (): Promise<void> => repository.remove(name).catch(() => {});
    const ofThatTime = await repository.list(sideFileName({ stack, at }, ""), signal).catch(async (error: unknown) => {
      await release();
      throw error;
    });
    if (ofThatTime.every((file) => file.name === name)) return { at, [Symbol.asyncDispose]: release };
    await release();
    // Runs that saw each other would otherwise meet in the next second again.
    at += 1000 * (Number.parseInt(token.slice(0, 4), 16) % 8);
  }
}
