import { resolve } from "node:path";
import type { StackIdentity } from "../../core/records/record.ts";
import { takeTargetLock } from "../../journal/target-lock.ts";
import type { FindJournal } from "./journal-place.ts";

/** The settings of a run that may write. */
export interface LockOptions {
  /**
   * Folder of the journals, and of the lock that lets only one run at a time write to a stack; default `.stackferry` in the working
   * directory. Runs that use different folders know nothing of each other. `memoryJournals()` keeps the journals in memory, and
   * takes no lock.
   */
  readonly journals?: string | FindJournal;
  /** Plan only; default false. */
  readonly dryRun?: boolean;
}

/** The default folder of locks and states, beside the configuration file or in the working directory. */
export const JOURNALS_FOLDER = ".stackferry";

/**
 * Takes the lock of a target before anything of it is read: a plan that another run overtakes would double what that run has
 * written. A dry run takes none.
 * @throws StackferryError `locked` if another run holds the lock, `journal` if the folder cannot be written
 */
export async function lockTarget(
  { journals = JOURNALS_FOLDER, dryRun = false }: LockOptions,
  { identity }: { readonly identity: StackIdentity },
): Promise<AsyncDisposable | undefined> {
  if (dryRun || typeof journals !== "string") return undefined;
  return await takeTargetLock(resolve(journals), identity);
}
