import type { StackLog } from "../../core/log.ts";
import { printable } from "../../core/text/printable.ts";
import { pluralOf } from "../../kinds/names.ts";
import type { ChangeDetail } from "../../report/view/changes.ts";
import type { LogViewEntry } from "../../report/view/log.ts";
import { logView, renamedText } from "../../report/view/log.ts";
import { diffLine, quotedName } from "./diff.ts";
import { linesText } from "./outcomes.ts";
import type { OutputOptions } from "./terminal/theme.ts";

/** Renders a log: the backups that differ, the newest first, each with its records by kind; the counts last. */
export function logText(log: StackLog, patch: boolean, display: OutputOptions): string {
  const { entries, summary, start } = logView(log);
  const values = display.verbose === true ? "whole" : "short";
  const parts = entries.map((entry) => `${entryText(entry, patch ? values : "names", display)}\n`);
  return [...parts, `${summary}\n`, start === "" ? "" : `${printable(start)}\n`].join("");
}

function entryText(
  { entry: { archive, time }, sections, notes }: LogViewEntry,
  detail: ChangeDetail,
  display: OutputOptions,
): string {
  const { theme } = display;
  const noteLines = notes.map(({ text, isFailure }) => `${isFailure ? theme.bad(printable(text)) : printable(text)}\n`);
  const kinds = sections.map(({ kind, rows }) => {
    const lines = rows.map((row) =>
      diffLine(row, [quotedName(row), renamedText(row.change)].filter((part) => part !== "").join(" "), detail),
    );
    // Lists every change, because the user asked for them.
    return `${theme.heading(pluralOf(kind))}\n${linesText(lines, { ...display, verbose: true })}`;
  });
  const title = `${time.slice(0, 16).replace("T", " ")} UTC  ${archive}`;
  return [`${theme.strong(printable(title))}\n`, ...noteLines, ...kinds].join("");
}
