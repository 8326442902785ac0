import { parseRetentionFlags } from "../flags/retention.ts";
import { defineCommand } from "../program/parse/define-command.ts";
import { listStoredArchives } from "../../backup/archive-names.ts";
import { readHistory } from "../../backup/history.ts";
import { removeLeftovers } from "../../backup/leftovers.ts";
import { readRepositoryClock } from "../../backup/clock.ts";
import type { BackupDependencies } from "../../backup/dependencies.ts";
import { pruneStack, type PruneVerdict } from "../../backup/prune.ts";
import type { RetentionPolicy } from "../../backup/retention.ts";
import { StackferryError } from "../../core/errors.ts";
import { contextForStack, type RunContext } from "../../core/events.ts";
import { verdictMembers, pruneResultText } from "../output/prune.ts";
import type { Session } from "../program/session.ts";
import { confirm, refuseUnconfirmed } from "../prompts/confirm.ts";
import { createBackupDependencies, retentionPolicyFor } from "../wiring/backup.ts";
import { openRepositoryFor, repositorySettingsFor } from "../wiring/repository.ts";
import { refuseStackFolder } from "../wiring/named-input.ts";

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
  },
});

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
