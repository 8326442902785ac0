import { parseRetentionFlags } from "../flags/retention.ts";
import { defineCommand } from "../program/parse/define-command.ts";
import { listStoredArchives } from "../../backup/archive-names.ts";
import { withRepositoryClock, type BackupDependencies } from "../../backup/dependencies.ts";
import { takeStackLock } from "../../backup/stack-lock.ts";
import { pruneStack, type PruneVerdict } from "../../backup/prune.ts";
import type { RetentionPolicy } from "../../backup/retention.ts";
import { StackferryError } from "../../core/errors.ts";
import { contextForStack, type RunContext } from "../../core/events.ts";
import { verdictMembers, pruneResultText } from "../output/prune.ts";
import type { Session } from "../program/session.ts";
import { confirm, refuseUnconfirmed } from "../prompts/confirm.ts";
import { createBackupDependencies, retentionPolicyFor } from "../wiring/backup.ts";
import { openRepositoryFor, repositorySettingsFor } from "../wiring/repository.ts";
import { refuseStackFolder } from "../wiring/backup-reference.ts";

/** Removes the backups that no rule keeps. Reports every backup: why it is kept, or that it is removed. */
export const pruneCommand = defineCommand("prune", {
  prepare: (args) => ({ ...args, policy: parseRetentionFlags(args) }),
  run: async (request, session) => {
    const { dryRun } = request;
    const policy = retentionPolicyFor(request.policy, await repositorySettingsFor(request.repository, session));
    if (policy === undefined) {
      throw new StackferryError("usage", "no rule tells which backups to keep", {
        hint: "give at least one --keep-… flag, or set `keep` in the repository's configuration",
      });
    }
    refuseUnconfirmed(request, session);
    await using repository = await openRepositoryFor(request.repository, session);
    const dependencies = await createBackupDependencies(repository, session);
    const stored = new Set((await listStoredArchives(repository, undefined, session.signal)).map(({ stack }) => stack));
    if (stored.size === 0) await refuseStackFolder(request.repository, repository, "prune", session);
    const stacks = request.stack.length === 0 ? [...stored] : request.stack;
    const missingStack = stacks.find((stack) => !stored.has(stack));
    if (missingStack !== undefined)
      throw new StackferryError("usage", `${repository.address} has no backup of ${missingStack}`, {
        hint: `stackferry list ${repository.address} shows the backups`,
      });
    const ask = !dryRun && !request.yes;
    if (ask) await showAndAsk(stacks, policy, dependencies, session);
    const verdicts: PruneVerdict[] = [];
    for (const stack of stacks) {
      const stackSession = stacks.length > 1 ? contextForStack(session, stack) : session;
      stackSession.events({ type: "phase", phase: `pruning ${stack}` });
      const pruned = dryRun
        ? await pruneStack({ stack, policy, lock: "dry-run" }, dependencies, stackSession)
        : await pruneLocked(stack, policy, dependencies, stackSession);
      verdicts.push(...pruned);
      if (stacks.length > 1) stackSession.events({ type: "phase", phase: "pruned" });
    }
    return {
      exitCode: 0,
      text: (display) => pruneResultText(verdicts, dryRun, display),
      details: { repository: repository.address, dryRun, archives: verdicts.map(verdictMembers) },
    };
  },
});

async function pruneLocked(
  stack: string,
  policy: RetentionPolicy,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<PruneVerdict[]> {
  await using lock = await takeStackLock(stack, dependencies, context);
  const { dependencies: corrected, isAhead } = await withRepositoryClock(dependencies, context);
  return await pruneStack({ stack, policy, lock, isAhead }, corrected, context);
}

async function showAndAsk(
  stacks: readonly string[],
  policy: RetentionPolicy,
  dependencies: BackupDependencies,
  session: Session,
): Promise<void> {
  const planned: PruneVerdict[] = [];
  for (const stack of stacks) {
    planned.push(...(await pruneStack({ stack, policy, lock: "dry-run" }, dependencies, session)));
  }
  if (planned.every(({ action }) => action === "keep")) return;
  session.say(pruneResultText(planned, true, session.messageDisplay));
  await confirm(`Remove these from ${dependencies.repository.address}?`, session);
}
