import type { BackupEnd } from "../../backup/backup-all.ts";
import type { BackupResult } from "../../backup/backup.ts";
import type { BackupSummary } from "../../backup/history/read-history.ts";
import { formatSize } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import type { BackupFigures } from "../../telemetry/channel.ts";
import type { Cell } from "./table.ts";
import type { OutputOptions } from "./terminal.ts";
import { renderTable } from "./table.ts";
import { problemLine } from "./terminal.ts";

export function backupFigures(state: BackupSummary): BackupFigures {
  const { archives, suspect, records, shrunkFrom, bytes, goodAt, ageMs } = state;
  return {
    archives,
    suspect,
    records,
    shrunkFrom,
    bytes,
    ...(ageMs !== undefined && { newestGoodAgeSeconds: ageMs / 1000 }),
    ...(goodAt !== undefined && { newestGoodAt: goodAt / 1000 }),
  };
}

/** Renders the result of a backup run: a row for each stack, then the problems. */
export function backupText(ends: readonly BackupEnd[], repository: string, display: OutputOptions): string {
  const { theme } = display;
  if (ends.length === 0) return "no stack belongs to this shard\n";
  const rows = ends.map((end): Cell[] => {
    if (end.result === "failed")
      return [end.stack, { text: `✗ failed: ${end.error.code}`, paint: theme.bad }, "", "", ""];
    const removed = end.pruned.filter(({ action }) => action === "remove").length;
    const isSuspect = end.suspect.length > 0;
    const word = isSuspect ? `✗ ${end.result}, suspect` : `✓ ${end.result}`;
    return [
      end.stack,
      { text: word, paint: isSuspect ? theme.bad : theme.good },
      formatSize(end.bytes),
      String(removed),
      end.archive,
    ];
  });
  const columns = ["STACK", "RESULT", { right: "STORED" }, { right: "REMOVED" }, { below: "NEWEST" }];
  const failed = ends.flatMap((end) => (end.result === "failed" ? [end] : []));
  const problems = failed.map(({ stack, error }) => problemLine(`${stack}: ${error.message}`, error.hint, theme));
  const suspects = ends.flatMap((end) =>
    end.result === "failed"
      ? []
      : [
          ...firstLines(end, repository, display),
          ...shrinkageLines(end, display),
          ...suspectLines(end, repository, display),
        ],
  );
  const good = ends.length - failed.length;
  const summary = `${good} of ${ends.length} backed up to ${printableText(repository)}\n`;
  // A single failure is already printed as the error of the run.
  return [renderTable({ columns, rows }, display), ...(ends.length > 1 ? problems : []), ...suspects, summary].join("");
}

/**
 * Renders a line for a first backup. The user should know that it is the first, because an emptied repository without any record of
 * its backups looks like a new one.
 */
function firstLines({ stack, isFirst }: BackupResult, repository: string, { theme }: OutputOptions): string[] {
  return isFirst ? [theme.notice(`${printableText(`first backup of ${stack} here (${repository})`)}\n`)] : [];
}

/** Renders a line for a backup that holds less than the one before: only a person can tell whether that was intended. */
function shrinkageLines({ stack, archive, shrinkage }: BackupResult, { theme }: OutputOptions): string[] {
  return shrinkage === "" ? [] : [theme.notice(`${printableText(`${stack}: ${shrinkage} (${archive})`)}\n`)];
}

function suspectLines(
  { stack, archive, suspect, newlyPartial }: BackupResult,
  repository: string,
  { theme }: OutputOptions,
): string[] {
  const partial = newlyPartial.map((kind) => {
    const problem = `${archive} lacks some of the ${kind} of the stack, as the warnings say`;
    return problemLine(`${problem}; later runs only warn of this`, undefined, theme);
  });
  if (suspect.length === 0) return partial;
  const lines = suspect.map(({ message }) => problemLine(`${archive} is suspect: ${message}`, undefined, theme));
  return [...partial, ...lines, `  ${printableText(acceptHint(stack, repository))}\n`];
}

/** Returns the next step after a suspect backup. */
export function acceptHint(stack: string, repository: string): string {
  const command = `stackferry check ${repository} --stack ${stack} --newest --accept-suspect`;
  return `check the stack, its address and its key; if this is on purpose: ${command}`;
}
