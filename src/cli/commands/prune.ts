import type { BackupDependencies } from "../../backup/dependencies.ts";
import type { PruneVerdict } from "../../backup/prune.ts";
import type { RetentionPolicy } from "../../backup/retention.ts";
import { StackferryError } from "../../core/errors.ts";
import { contextForStack, type RunContext } from "../../core/events.ts";
import { pruneResultText, verdictMembers } from "../output/prune.ts";
import { defineCommand } from "../program/command.ts";
import { parseRetentionFlags, retentionFlags } from "../program/retention-flags.ts";
import type { Session } from "../program/session.ts";
import { repositoryArgument, stackFilterFlag, yesFlag } from "../program/shared-flags.ts";
import { confirm, refuseUnconfirmed } from "../prompts/confirm.ts";

/** Removes the backups that no rule keeps. Reports every backup: why it is kept, or that it is removed. */
export const pruneCommand = defineCommand({
  name: "prune",
  group: "Keep",
  describe: "Remove backups that no retention rule keeps",
  positionals: { repository: repositoryArgument },
  flags: {
    ...retentionFlags,
    stack: stackFilterFlag,
    "dry-run": { type: "boolean", describe: "Show what would be removed, and why the others stay" },
    yes: { ...yesFlag, describe: "Do not ask before removing; required without a terminal" },
  },
  examples: [
    ["prune /var/backups/stacks --keep-daily 7 --keep-monthly 12 --dry-run", "what would go, and why the rest stays"],
    ["prune s3://backups/stacks --keep-within 30d --yes", "remove what is more than 30 days older than the newest"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 130],
  handler: (request) => {
    const ofFlags = parseRetentionFlags(request);
    const { dryRun } = request;
    return async (session) => {
      const { readRepositoryClock } = await import("../../backup/clock.ts");
      const { createBackupDependencies, retentionPolicyFor } = await import("../wiring/backup.ts");
      const { openRepositoryFor, repositorySettingsFor } = await import("../wiring/repository.ts");
      const policy = retentionPolicyFor(ofFlags, await repositorySettingsFor(request.repository, session));
      if (policy === undefined) {
        throw new StackferryError("usage", "no rule tells which backups to keep", {
          hint: "give at least one --keep-… flag, or set `keep` in the repository's configuration",
        });
      }
      refuseUnconfirmed(request, session);
      await using repository = await openRepositoryFor(request.repository, session);
      const dependencies = await createBackupDependencies(repository, session);
      const stacks = await stacksToPrune(request, dependencies, session);
      const { clock, isTrusted: isClockTrusted } = await readRepositoryClock(dependencies, session);
      const pruner: Pruner = { policy, isClockTrusted, dependencies: { ...dependencies, clock } };
      if (!dryRun && !request.yes) await showAndAsk(stacks, pruner, session);
      const verdicts: PruneVerdict[] = [];
      for (const stack of stacks) {
        const stackSession = stacks.length > 1 ? contextForStack(session, stack) : session;
        stackSession.events({ type: "phase", phase: `pruning ${stack}` });
        verdicts.push(...(await pruneOne(stack, dryRun, pruner, stackSession)));
        if (stacks.length > 1) stackSession.events({ type: "phase", phase: "pruned" });
      }
      return {
        exitCode: 0,
        text: (display) => pruneResultText(verdicts, dryRun, display),
        details: { repository: repository.address, dryRun, archives: verdicts.map(verdictMembers) },
      };
    };
  },
});

/** Returns the stacks that `--stack` names, or else all that have backups. @throws StackferryError `usage` for one without backups */
async function stacksToPrune(
  request: { readonly repository: string; readonly stack: readonly string[] },
  { repository }: BackupDependencies,
  session: Session,
): Promise<readonly string[]> {
  const { listStoredArchives } = await import("../../backup/archive-names.ts");
  const { refuseStackFolder } = await import("../wiring/named-input.ts");
  const stored = new Set((await listStoredArchives(repository, undefined, session.signal)).map(({ stack }) => stack));
  if (stored.size === 0) await refuseStackFolder(request.repository, repository, "prune", session);
  const stacks = request.stack.length === 0 ? [...stored] : request.stack;
  const missingStack = stacks.find((stack) => !stored.has(stack));
  if (missingStack === undefined) return stacks;
  throw new StackferryError("usage", `${repository.address} has no backup of ${missingStack}`, {
    hint: `stackferry list ${repository.address} shows the backups`,
  });
}

interface Pruner {
  readonly policy: RetentionPolicy;
  readonly isClockTrusted: boolean;
  readonly dependencies: BackupDependencies;
}

async function pruneOne(
  stack: string,
  dryRun: boolean,
  { policy, isClockTrusted, dependencies }: Pruner,
  context: RunContext,
): Promise<PruneVerdict[]> {
  const { readHistory } = await import("../../backup/history.ts");
  const { removeLeftovers } = await import("../../backup/leftovers.ts");
  const { pruneStack } = await import("../../backup/prune.ts");
  if (!dryRun && isClockTrusted) {
    await removeLeftovers(await readHistory(stack, dependencies, context), dependencies, context);
  }
  return pruneStack({ stack, policy, dryRun, isClockTrusted }, dependencies, context);
}

async function showAndAsk(stacks: readonly string[], pruner: Pruner, session: Session): Promise<void> {
  const planned: PruneVerdict[] = [];
  for (const stack of stacks) planned.push(...(await pruneOne(stack, true, pruner, session)));
  if (planned.every(({ action }) => action === "keep")) return;
  session.say(pruneResultText(planned, true, session.messageDisplay));
  await confirm(`Remove these from ${pruner.dependencies.repository.address}?`, session);
}
