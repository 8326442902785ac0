import type { PruneVerdict, PruneKeepReason } from "../../backup/prune.ts";
import { formatSize } from "../../core/text/format.ts";
import type { OutputOptions } from "./terminal.ts";
import { renderTable, type Cell } from "./table.ts";

/** The reasons in words. A reason that is not listed is shown by its name. */
const WORDS: Readonly<Partial<Record<PruneKeepReason, string>>> = {
  "newest-good": "the newest good one",
  "no-good-archive": "no good backup is known",
  "not-recognised": "refused, as `list` says",
  damaged: "damaged: kept, and not counted",
  "changed-meanwhile": "what this run keeps has changed meanwhile",
  "clock-differs": "a clock may be wrong, as the warning says",
};

export function pruneResultText(verdicts: readonly PruneVerdict[], dryRun: boolean, display: OutputOptions): string {
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
