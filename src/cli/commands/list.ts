import type { JudgedArchive } from "../../backup/history.ts";
import { StackferryError } from "../../core/errors.ts";
import { defineCommand } from "../program/command.ts";
import { repositoryArgument, stackFilterFlag } from "../program/shared-flags.ts";

/** Lists the backups in a repository. Only backups whose entry is damaged are opened. */
export const listCommand = defineCommand({
  name: "list",
  group: "Keep",
  describe: "Show the backups in a repository, by their entries; `check` reads the backups themselves",
  positionals: { repository: repositoryArgument },
  flags: {
    stack: stackFilterFlag,
    include: {
      array: true,
      describe: "Show which backups have a record of this name or id (* and ? allowed); repeatable",
    },
  },
  examples: [
    ["list /var/backups/stacks", "every backup by stack, the newest first, and which are suspect"],
    ['list /var/backups/stacks --include "Checkout"', "the first and the last backup that has a dashboard"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 130],
  handler: (request) => async (session) => {
    const { listStoredStacks } = await import("../../backup/archive-names.ts");
    const { readHistory } = await import("../../backup/history.ts");
    const { emitEmptiedWarning, emitMissingWarning } = await import("../../backup/known-backups.ts");
    const { archiveMembers, backupListText, foundRecordsText } = await import("../output/list.ts");
    const { createBackupDependencies } = await import("../wiring/backup.ts");
    const { refuseStackFolder } = await import("../wiring/named-input.ts");
    const { openRepositoryFor } = await import("../wiring/repository.ts");
    await using repository = await openRepositoryFor(request.repository, session);
    const { address } = repository;
    const dependencies = await createBackupDependencies(repository, session);
    // With --stack, only the folders of the named stacks are read, because the folder of another stack may be unreadable.
    const stackFilters = request.stack.length === 0 ? [undefined] : request.stack;
    const lists = stackFilters.map((stack) => listStoredStacks(repository, stack, session.signal));
    const stored = (await Promise.all(lists)).flat();
    const stacks = stored.flatMap(({ stack, archives }) => (archives.length > 0 ? [stack] : []));
    if (stacks.length === 0) await refuseStackFolder(request.repository, repository, "list", session);
    if (request.stack.length === 0) emitEmptiedWarning(stored, dependencies, session);
    const archives: JudgedArchive[] = [];
    for (const stack of stacks) {
      const history = await readHistory(stack, dependencies, session);
      archives.push(...history.archives);
      await emitMissingWarning(history, dependencies, session);
    }
    const missingStack = request.stack.find((name) => !archives.some(({ stack }) => stack === name));
    if (missingStack !== undefined) {
      throw new StackferryError("usage", `${address} has no backup of ${missingStack}`, {
        hint: "without --stack, all of them are listed",
      });
    }
    if (request.include.length === 0) {
      return {
        exitCode: 0,
        text: (display) => backupListText(archives, address, display),
        details: { repository: address, archives: archives.map(archiveMembers) },
      };
    }
    const { findRecordsInBackups } = await import("../../history/find-records.ts");
    const { createRunRedactor } = await import("../wiring/config.ts");
    const redact = await createRunRedactor(session);
    const found = await findRecordsInBackups(stacks, request.include, redact, dependencies, session);
    return {
      exitCode: found.some(({ unread }) => unread.length > 0) ? 3 : 0,
      text: (display) => foundRecordsText(found, display),
      details: { repository: address, found },
    };
  },
});
