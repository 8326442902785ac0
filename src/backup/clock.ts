import type { ArchiveFile, StoredStack } from "./archive-names.ts";
import type { BackupContext } from "./backup-context.ts";

/** The clocks of machines that share a repository can differ by this much. */
const CLOCK_TOLERANCE_MS = 10 * 60_000;

/** An archive from the future is used only if the user names its time to the second. */
export function isFromFuture({ at }: Pick<ArchiveFile, "at">, now: number): boolean {
  return at > now + CLOCK_TOLERANCE_MS;
}

export interface PruneContext extends BackupContext {
  readonly isClockTrusted: boolean;
}

/** Uses the repository's clock if the clocks differ, so that one clock dates the backups of all machines. */
export async function withRepositoryClock(context: BackupContext): Promise<PruneContext> {
  const { repository, clock, events } = context;
  const ahead = await repository.clockAhead();
  if (Math.abs(ahead) <= CLOCK_TOLERANCE_MS) return { ...context, isClockTrusted: true };
  const minutes = Math.round(Math.abs(ahead) / 60_000);
  const message = `this machine's clock is ${minutes} min ${ahead > 0 ? "ahead of" : "behind"} the clock of ${repository.address}: backups are dated by the repository's clock, and no backup is removed. Correct the clock that is wrong.`;
  events({ type: "warning", warning: { code: "clock-differs", message } });
  return { ...context, clock: { ...clock, now: () => clock.now() - ahead }, isClockTrusted: false };
}

export function areClocksTrusted({ archives, sideFiles }: StoredStack, context: PruneContext): boolean {
  const { clock, events, isClockTrusted } = context;
  if (!isClockTrusted) return false;
  const confirmations = sideFiles.filter(({ ending }) => ending === "unchanged");
  const ahead = [...archives, ...confirmations].filter((file) => isFromFuture(file, clock.now()));
  const [newest] = ahead;
  if (newest === undefined) return true;
  const which = ahead.length === 1 ? newest.name : `${ahead.length} files, such as ${newest.name}`;
  const message = `dated later than now, so no backup is removed: ${which}; set the clock if it is behind; if another clock was ahead, remove the files of that time`;
  events({ type: "warning", warning: { code: "clock-differs", message } });
  return false;
}
