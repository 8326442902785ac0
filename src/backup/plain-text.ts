import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import type { BackupDependencies } from "./dependencies.ts";
import type { StackHistory } from "./history/read-history.ts";
import type { StoredArchive } from "./names.ts";
import { storedArchives } from "./names.ts";

/**
 * Whoever forgets the key in one command would store in plain text what is encrypted everywhere else. The newest archive of the
 * stack decides, for a stack without any the newest of the repository. @throws StackferryError `usage`
 */
export async function refusePlainText(
  {
    stack,
    encrypted,
    plainText = false,
  }: { readonly stack: string; readonly encrypted: boolean; readonly plainText?: boolean },
  { archives }: StackHistory,
  { repository }: BackupDependencies,
  { signal }: RunContext,
): Promise<void> {
  if (encrypted || plainText) return;
  const ours = archives.filter(({ refused }) => refused === undefined);
  const others: readonly StoredArchive[] = ours.length > 0 ? ours : await storedArchives(repository, undefined, signal);
  const [newest] = others.toSorted((left, right) => right.at - left.at);
  if (newest?.encrypted !== true) return;
  throw new StackferryError(
    "usage",
    `${newest.name} in ${repository.address} is encrypted, and this backup of ${stack} would be plain text`,
    {
      hint: "give --recipient, or put recipients into the repository's configuration; --plain-text stores it all the same",
    },
  );
}
