import { StackferryError } from "../core/errors.ts";
import type { Repository } from "../core/ports.ts";
import type { RunContext } from "../core/events.ts";
import type { BackupDependencies } from "./dependencies.ts";
import { CLOCK_TOLERANCE_MS } from "./archive-names.ts";

/**
 * Lists, writes, reads and removes one small file: all operations that a backup needs.
 * @param token makes the file's name unique
 * @throws StackferryError that names the operation that failed
 */
export async function checkRepository(repository: Repository, token: string, signal: AbortSignal): Promise<void> {
  const name = `stackferry-doctor-${token}.txt`;
  await repository.list(name, signal);
  await repository.writeText(name, token);
  try {
    if ((await repository.readText(name))?.text !== token) {
      throw unreliableStoreError(`${repository.address} does not return what was written to it`);
    }
  } finally {
    await repository.remove(name);
  }
  if ((await repository.readText(name)) === undefined) return;
  throw unreliableStoreError(`${repository.address} still returns a file that was deleted`);
}

function unreliableStoreError(message: string): StackferryError {
  return new StackferryError("archive-io", message, {
    hint: "backups in it cannot be trusted: check the store itself",
  });
}

/** The adapters of a run, with a clock that is corrected by the repository's. */
export interface CorrectedClock {
  readonly dependencies: BackupDependencies;
  /** This machine's clock is ahead of the repository's. */
  readonly isAhead: boolean;
}

/**
 * Corrects this machine's clock by the repository's. Otherwise a wrong clock would date an archive ahead, and every rule that
 * counts back from the newest archive would remove good ones. Only the owner of the lock may call it, because reading a folder's
 * clock writes a file.
 */
export async function onRepositoryClock(
  dependencies: BackupDependencies,
  { events }: RunContext,
): Promise<CorrectedClock> {
  const { repository, clock } = dependencies;
  const ahead = await repository.clockAhead();
  if (ahead <= CLOCK_TOLERANCE_MS) return { dependencies, isAhead: false };
  const minutes = Math.round(ahead / 60_000);
  const message = `this machine's clock is ${minutes} min ahead of the clock of ${repository.address}: backups are dated by the repository's clock, and none is removed. Set the clock.`;
  events({ type: "warning", warning: { code: "clock-ahead", message } });
  const corrected = { ...clock, now: () => clock.now() - ahead };
  return { dependencies: { ...dependencies, clock: corrected }, isAhead: true };
}
