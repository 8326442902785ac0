import { pruneStack, type PruneKeepReason, type PruneVerdict } from "../../backup/prune.ts";
import { StackferryError } from "../../core/errors.ts";
import { contextForStack } from "../../core/events.ts";
import { repositoryArgument, retentionFlags, retentionPolicyOf, stackFilterFlag, yesFlag } from "../program/flags.ts";
import { confirm, refuseUnconfirmed } from "../program/session.ts";
import { withRepositoryClock } from "../../backup/clock.ts";
import { readHistory } from "../../backup/history.ts";
import { removeLeftovers } from "../../backup/unfinished.ts";
import { formatSize } from "../../core/text/format.ts";
import type { OutputOptions } from "../output/terminal.ts";
import { renderTable, type Cell } from "../output/table.ts";
import { defineCommand } from "../program/define-command.ts";
import { createBackupContext, openRepositoryFor, repositorySettingsFor } from "../inputs/repository.ts";
import { listBackedUpStacks } from "../inputs/argument.ts";

export const command = defineCommand({
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
  run: async (request, session) => {
    const { dryRun } = request;
    const policy = retentionPolicyOf(request, await repositorySettingsFor(request.repository, session));
    if (policy === undefined) {
      throw new StackferryError("usage", "no rule tells which backups to keep", {
        hint: "give at least one --keep-… flag, or set `keep` in the repository's configuration",
      });
    }
    refuseUnconfirmed(request, session);
    await using repository = await openRepositoryFor(request.repository, session);
    const { stacks } = await listBackedUpStacks(request, repository, session);
    const timed = await withRepositoryClock(await createBackupContext(repository, session));
    const prune = async (isDry: boolean): Promise<PruneVerdict[]> => {
      const verdicts: PruneVerdict[] = [];
      for (const stack of stacks) {
        const context = stacks.length > 1 ? contextForStack(timed, stack) : timed;
        context.events({ type: "phase", phase: `${isDry ? "looking at" : "pruning"} ${stack}` });
        if (!isDry && timed.isClockTrusted) await removeLeftovers(await readHistory(stack, context), context);
        verdicts.push(...(await pruneStack({ stack, policy, dryRun: isDry }, context)));
      }
      return verdicts;
    };
    const planned = dryRun || request.yes ? [] : await prune(true);
    if (planned.some(({ action }) => action === "remove")) {
      session.say(pruneResultText(planned, true, session.messageDisplay));
      await confirm(`Remove these from ${repository.address}?`, session);
    }
    const verdicts = await prune(dryRun);
    return {
      exitCode: 0,
      text: (display) => pruneResultText(verdicts, dryRun, display),
      details: { repository: repository.address, dryRun, archives: verdicts.map(verdictMembers) },
    };
  },
});

const WORDS: Readonly<Partial<Record<PruneKeepReason, string>>> = {
  "newest-good": "the newest good one",
  "no-good-archive": "no good backup is known",
  "not-recognised": "refused, as `list` says",
  damaged: "damaged: kept, and not counted",
  "changed-meanwhile": "what this run keeps has changed meanwhile",
  "clock-differs": "a clock may be wrong, as the warning says",
};

function pruneResultText(verdicts: readonly PruneVerdict[], dryRun: boolean, display: OutputOptions): string {
  const { theme } = display;
  const rows = verdicts.map(({ archive, action, reasons }): Cell[] => [
    archive.name,
    formatSize(archive.bytes),
    action === "keep" ? { text: "keep", paint: theme.good } : { text: "remove", paint: theme.bad },
    reasons.map((reason) => WORDS[reason] ?? reason).join(", "),
  ]);
  const columns = ["BACKUP", { right: "SIZE" }, "", { below: "WHY" }];
  const removed = verdicts.filter(({ action }) => action === "remove");
  const bytes = removed.reduce((sum, { archive }) => sum + archive.bytes, 0);
  const [verb, keptCount] = [dryRun ? "would be removed" : "removed", verdicts.length - removed.length];
  const summary = `${removed.length} ${verb} (${formatSize(bytes)}), ${keptCount} kept. Hours, days and weeks are those of UTC.\n`;
  return renderTable({ columns, rows }, display) + summary;
}

export function verdictMembers({ archive, action, reasons }: PruneVerdict): Readonly<Record<string, unknown>> {
  const { name, stack, at, bytes } = archive;
  return { name, stack, time: new Date(at).toISOString(), bytes, action, reasons };
}
