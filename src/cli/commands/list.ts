import { defineCommand } from "../program/parse/define-command.ts";
import { readHistory, type JudgedArchive } from "../../backup/history.ts";
import { listStoredStacks } from "../../backup/archive-names.ts";
import { emitEmptiedWarning, emitMissingWarning } from "../../backup/known-backups.ts";
import { StackferryError } from "../../core/errors.ts";
import { archiveMembers, foundRecordsText, backupListText } from "../output/list.ts";
import { createRunRedactor } from "../wiring/config.ts";
import { createBackupDependencies } from "../wiring/backup.ts";
import { openRepositoryFor } from "../wiring/repository.ts";
import { refuseStackFolder } from "../wiring/backup-reference.ts";

/** Lists the backups in a repository. Only backups whose entry is damaged are opened. */
export const listCommand = defineCommand("list", {
  prepare: (args) => args,
  run: async (request, session) => {
    await using repository = await openRepositoryFor(request.repository, session);
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
      throw new StackferryError("usage", `${repository.address} has no backup of ${missingStack}`, {
        hint: "without --stack, all of them are listed",
      });
    }
    if (request.include.length > 0) {
      const { findRecordsInBackups } = await import("../../history/find-records.ts");
      const found = await findRecordsInBackups(
        stacks,
        request.include,
        await createRunRedactor(session),
        dependencies,
        session,
      );
      return {
        exitCode: found.some(({ unread }) => unread.length > 0) ? 3 : 0,
        text: (display) => foundRecordsText(found, display),
        details: { repository: repository.address, found },
      };
    }
    return {
      exitCode: 0,
      text: (display) => backupListText(archives, repository.address, display),
      details: { repository: repository.address, archives: archives.map(archiveMembers) },
    };
  },
});
