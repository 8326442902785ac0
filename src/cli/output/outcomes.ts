import { printableText } from "../../core/text/printable.ts";
import type { SourceProbe } from "../../import/apply/probe-sources.ts";
import type { OutputOptions } from "./terminal.ts";

/** A sentence for a run in which nothing but failures of the stack stopped records. */
export const REPEAT_HELPS = "Nothing but failures of the stack stopped these records: run the same command again.";

const WORDS: Readonly<Record<SourceProbe["status"], string>> = {
  data: "answers with data",
  empty: "answers, but has no data of the last 24 hours",
  failed: "fails",
  "not-asked": "was not queried: no tile of the target queries one of its metrics",
};

/** Renders the state of each probed source; empty if none was probed. */
export function probesText(probes: readonly SourceProbe[], { theme }: OutputOptions): string {
  if (probes.length === 0) return "";
  const lines = probes.map(({ name, targetId, status, message }) => {
    const paint =
      status === "data" ? theme.good : status === "empty" || status === "not-asked" ? theme.notice : theme.bad;
    const why = message === undefined ? "" : `: ${printableText(message)}`;
    return `  ${printableText(name || targetId)} ${paint(WORDS[status])}${why}\n`;
  });
  return `${theme.heading("sources")}\n${lines.join("")}`;
}
