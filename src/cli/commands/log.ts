import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import type { CommandResult } from "../output/document.ts";
import { defineCommand } from "../program/command.ts";
import type { Arguments } from "../program/flag.ts";
import type { Session } from "../program/session.ts";
import { parseSelection, selectionFlags } from "../program/shared-flags.ts";
import type { HistoryRange } from "../wiring/history.ts";

export const logCommand = defineCommand({
  name: "log",
  group: "Look",
  describe: "Show what changed on a stack between its backups",
  positionals: {
    backups: {
      demandOption: true,
      completes: "backups",
      describe: "REPO/STACK, or REPO/STACK@TIME for its history up to that time (UTC)",
    },
  },
  flags: {
    ...selectionFlags,
    since: {
      describe: "Only backups since this time (UTC): 2026-11-20, yesterday, or 7d for seven days ago",
    },
    patch: {
      type: "boolean",
      describe: "Show whole values, not only their first 40 characters",
    },
    git: {
      writes: true,
      describe: "Write each backup as a commit of code files into this git repository; a later run adds the new ones",
    },
  },
  examples: [
    ["log /var/backups/stacks/production", "what changed between the backups, the newest first"],
    [
      'log offsite/production --include "Checkout" --patch',
      "the changes of one dashboard, under all names that it has had",
    ],
    ["log offsite/production --kinds alerts --since 7d", "alerts that were added, removed or changed in seven days"],
    ["log offsite/production --git ./history", "the history as commits, for git log, git blame and every viewer"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 130],
  handler: (args) => {
    const { git } = args;
    if (git !== undefined) {
      refuseSelection(args);
      return (session) => commitHistory({ ...args, git }, session);
    }
    const request = { ...args, ...parseSelection(args) };
    return async (session) => {
      const { logDocument } = await import("../../report/view/diff.ts");
      const { documentText } = await import("../output/text.ts");
      const { exitCodeOfLog, readStackLog } = await import("../wiring/history.ts");
      const log = await readStackLog(request, session);
      return {
        exitCode: exitCodeOfLog(log.entries),
        text: (display) => documentText(logDocument(log, [], request.patch), display),
        details: { log },
      };
    };
  },
});

/** @throws StackferryError `usage` for flags that leave out records, because a commit is a whole backup */
function refuseSelection(args: Arguments<typeof selectionFlags> & { readonly patch: boolean }): void {
  if (args.kinds === undefined && args.include.length + args.exclude.length === 0 && !args.patch) return;
  throw new StackferryError("usage", "--git writes whole backups, without --kinds, --include, --exclude and --patch", {
    hint: "choose records with git: git log -- dashboards/",
  });
}

/** Writes the backups as commits, and warns of each that is left out. */
async function commitHistory(
  request: HistoryRange & { readonly git: string },
  session: Session,
): Promise<CommandResult> {
  const { createCodeFiles } = await import("../../archive/as-code/write/code-files.ts");
  const { commitBackups } = await import("../../history/commit-backups.ts");
  const { openGitFolder } = await import("../../storage/git-folder.ts");
  const { commitWords, commitsText } = await import("../output/commits.ts");
  const { createBackupDependencies } = await import("../wiring/backup.ts");
  const { createRunRedactor } = await import("../wiring/config.ts");
  const { exitCodeOfLog, historyRangeOf } = await import("../wiring/history.ts");
  const { openRepositoryFor } = await import("../wiring/repository.ts");
  const { address, ...range } = historyRangeOf(request, session);
  const folder = await openGitFolder(resolve(session.io.cwd, request.git), session.io.env);
  const redact = await createRunRedactor(session);
  await using repository = await openRepositoryFor(address, session);
  const dependencies = await createBackupDependencies(repository, session);
  const job = { ...range, redact, filesOf: createCodeFiles(), describe: commitWords };
  const { commits, skipped, head } = await commitBackups(job, folder, dependencies, session);
  for (const { archive, problem } of skipped) {
    const warning = { code: problem.code, message: `${archive} is left out: ${problem.message}` };
    session.events({ type: "warning", warning });
  }
  return {
    exitCode: exitCodeOfLog([...commits, ...skipped]),
    text: () => commitsText(request.git, commits),
    details: { commits, skipped, ...(head !== undefined && { head }) },
  };
}
