import { sideFileName, type StoredStack } from "./archive-names.ts";
import { isFromFuture } from "./clock.ts";
import type { BackupContext } from "./backup-context.ts";

/** A second in which no other run makes a backup of the stack. Disposing of it removes the claim. */
export interface ClaimedTime extends AsyncDisposable {
  /** Unix milliseconds. */
  readonly at: number;
}

/**
 * Claims a time for a backup that is later than every archive and confirmation, even if the clock was set back. The claim is an empty
 * file of its own name. Two runs that begin in the same second see each other's claim, at least the one that wrote last, and go on to
 * other seconds. So each backup has a name of its own, and no run waits for another.
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
    // Runs that saw each other would otherwise meet in the next second again.
    at += 1000 * (Number.parseInt(token.slice(0, 4), 16) % 8);
  }
}
