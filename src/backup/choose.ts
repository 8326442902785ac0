import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import type { BackupDependencies } from "./dependencies.ts";
import { newestGood } from "./examine.ts";
import type { StoredArchive } from "./names.ts";
import { storedArchives } from "./names.ts";
import { readStatus } from "./status.ts";

/** The newest good archive of a stack, or the newest that was made not after a time (Unix milliseconds). */
export type ArchiveChoice = "latest" | { readonly notAfter: number };

/** Chooses an archive to restore. @throws StackferryError `usage` where there is none, `archive-damaged` where none is good. */
export async function chooseStored(
  stack: string,
  choice: ArchiveChoice,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<StoredArchive> {
  const { repository } = dependencies;
  const archives = await storedArchives(repository, stack, context.signal);
  if (archives.length === 0) {
    throw new StackferryError("usage", `${repository.address} has no backup of ${stack}`, { hint: LIST_HINT });
  }
  if (choice !== "latest") {
    const chosen = archives.find(({ at }) => at <= choice.notAfter);
    if (chosen !== undefined) return chosen;
    const requested = new Date(choice.notAfter).toISOString();
    throw new StackferryError("usage", `${repository.address} has no backup of ${stack} from before ${requested}`, {
      hint: LIST_HINT,
    });
  }
  // An encrypted archive may be chosen without its key: the import needs it.
  const good = await newestGood(archives, await readStatus(stack, repository), dependencies, context);
  const chosen = good?.archive ?? archives.find(({ encrypted }) => encrypted);
  if (chosen === undefined) {
    throw new StackferryError("archive-damaged", `no backup of ${stack} in ${repository.address} is whole`, {
      hint: "name one by its time to see what is wrong with it",
    });
  }
  for (const name of good?.passedOver ?? []) {
    const message = `${name} is damaged: an older backup is taken`;
    context.events({ type: "warning", warning: { code: "damaged-backup", message } });
  }
  return chosen;
}

const LIST_HINT = "`stackferry list` shows what there is";
