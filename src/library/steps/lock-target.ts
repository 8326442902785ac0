import { resolve } from "node:path";
import type { StackIdentity } from "../../core/records/record.ts";
import { takeTargetLock } from "../../journal/target-lock.ts";

/** The settings of a run that may write. */
export interface LockOptions {
  /**
   * Folder of the lock that lets only one run at a time write to a stack; default `.stackferry` in the working directory. Runs that
   * use different folders do not see each other.
   */
  readonly journals?: string;
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
  return dryRun ? undefined : await takeTargetLock(resolve(journals), identity);
}
