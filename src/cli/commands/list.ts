import { storedArchives } from "../../backup/names.ts";
import { StackferryError } from "../../core/errors.ts";
import { ofStack, repositoryArgument } from "../flags/arguments.ts";
import { listText } from "../output/backup.ts";
import type { CommandResult } from "../output/document.ts";
import { defineCommand } from "../program/define-command.ts";
import type { Session } from "../program/session.ts";
import { openRepositoryFor } from "../wiring/repository.ts";

export const listCommand = defineCommand("list", {
  positionals: {
    repository: repositoryArgument,
  },
  flags: { stack: ofStack },
  examples: [["list /var/backups/stacks", "every backup by stack, the newest first"]],
  exitCodes: [0, 1, 2, 5, 6, 130],
  prepare: (args) => (session) => runList({ repository: args.repository, stacks: args.stack ?? [] }, session),
});

/** Shows the backups in a repository by their names; none of them is opened. */
export async function runList(
  request: { readonly repository: string; readonly stacks: readonly string[] },
  session: Session,
): Promise<CommandResult> {
  await using repository = await openRepositoryFor(request.repository, session);
  const all = await storedArchives(repository, undefined, session.signal);
  const archives = all.filter(({ stack }) => request.stacks.length === 0 || request.stacks.includes(stack));
  const missing = request.stacks.find((name) => !archives.some(({ stack }) => stack === name));
  if (missing !== undefined) {
    throw new StackferryError("usage", `${repository.address} has no backup of ${missing}`, {
      hint: "without --stack, all of them are listed",
    });
  }
  const described = archives.map(({ name, stack, at, bytes, encrypted }) => {
    return { stack, time: new Date(at).toISOString(), bytes, encrypted, name };
  });
  return {
    exitCode: 0,
    text: (display) => listText(archives, repository.address, display),
    extra: { repository: repository.address, archives: described },
  };
}
