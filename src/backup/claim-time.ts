import { sideFileName, type StoredStack } from "./archive-names.ts";
import { isFromFuture } from "./clock.ts";
import type { BackupContext } from "./backup-context.ts";

export interface ClaimedTime extends AsyncDisposable {
  /** Unix milliseconds. */
  readonly at: number;
}

/** Chooses a free second after all past files, because the clock may have been set back. */
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
    // A random skip separates two runs that saw each other's claims.
    at += 1000 * (Number.parseInt(token.slice(0, 4), 16) % 8);
  }
}
