import type { BackupEnd } from "../../jobs/backup-all.ts";
import { printable } from "./printable.ts";
import { sizeText } from "./size-text.ts";
import { renderTable } from "./table.ts";
import type { Cell } from "./table.ts";
import type { View } from "./theme.ts";

/** How each stack of a backup fared. */
export function backupText(ends: readonly BackupEnd[], place: string, view: View): string {
  const { theme } = view;
  if (ends.length === 0) return "no stack falls into this share\n";
  const rows = ends.map((end): Cell[] => {
    if (end.result === "failed") return [end.stack, { text: "✗ failed", paint: theme.bad }, "", "", end.error.code];
    const removed = end.pruned.filter(({ action }) => action === "remove").length;
    const word = end.result === "stored" ? "✓ stored" : "✓ unchanged";
    return [end.stack, { text: word, paint: theme.good }, sizeText(end.bytes), String(removed), end.archive];
  });
  const columns = [
    { title: "STACK" },
    { title: "RESULT" },
    { title: "STORED", align: "right" as const },
    { title: "REMOVED", align: "right" as const },
    { title: "NEWEST" },
  ];
  const failed = ends.flatMap((end) => (end.result === "failed" ? [end] : []));
  const problems = failed.map(({ stack, error }) => {
    const hint = error.hint === undefined ? "" : `  ${printable(error.hint)}\n`;
    return `${theme.bad("✗")} ${printable(`${stack}: ${error.message}`)}\n${hint}`;
  });
  const good = ends.length - failed.length;
  const summary = `${good} of ${ends.length} backed up to ${printable(place)}\n`;
  // A single failure is said as the error of the run already.
  return [renderTable({ columns, rows }, view), ...(ends.length > 1 ? problems : []), summary].join("");
}
