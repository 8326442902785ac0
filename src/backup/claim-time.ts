import { sideFileName, type StoredStack } from "./archive-names.ts";
import { isFromFuture } from "./clock.ts";
import type { BackupContext } from "./backup-context.ts";

/** A second in which no other run makes a backup of the stack. Disposing of it removes the claim. */
export interface ClaimedTime extends AsyncDisposable {
  /** Unix milliseconds. */
  readonly at: number;
}

/**
 * Claims a time for a backup. The time is later than every file of the stack that is not dated in the future, because the clock may
 * have been set back. The claim is an empty file with a unique name. If two runs claim the same second, at least the run that wrote
 * last sees both claims, and takes another second. So each backup has a name of its own, and no run waits for another.
 */
export async function claimTime(
  { stack, archives, sideFiles }: StoredStack,
  { repository, clock, createToken, signal }: BackupContext,
): Promise<ClaimedTime> {
  const now = clock.now();
  const past = [...archives, ...sideFiles].filter((file) => !isFromFuture(file, now));
  const earliest = past.reduce((latest, { at }) => Math.max(latest, at + 1000), now);
  for (let at = Math.floor(earliest / 1000) * 1000; ; at += 1000) {
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
    // Skips a random number of seconds: if both runs saw both claims, both would claim the next second, too.
    at += 1000 * (Number.parseInt(token.slice(0, 4), 16) % 8);
  }
}
