import type { Outcome } from "../../core/outcome.ts";
import { isIncomplete, nameOrId } from "../../core/outcome.ts";
import { printable } from "../../core/text/printable.ts";
import type { Probe } from "../../import/apply/probe-sources.ts";
import { inKindOrder } from "../../kinds/registry.ts";
import { reasonLines } from "../../report/view/sections.ts";
import { linesText } from "./lines.ts";
import { renderTable } from "./terminal/table.ts";
import type { OutputOptions } from "./terminal/theme.ts";

/**
 * Lists the records that failed, were blocked or may be lost, each with its code and the full reason; empty if there are none.
 */
export function failuresText(outcomes: readonly Outcome[], display: OutputOptions): string {
  const failures = outcomes.filter((outcome) => isIncomplete(outcome) || outcome.code === "not-checked");
  if (failures.length === 0) return "";
  const rows = inKindOrder(failures, ({ kind }) => kind).map((outcome) => [
    outcome.kind,
    nameOrId(outcome),
    { text: resultWord(outcome), paint: display.theme.bad },
    outcome.code ?? "",
  ]);
  const columns = [{ title: "KIND" }, { title: "NAME" }, { title: "RESULT" }, { title: "CODE" }];
  // A table cuts long cells, so the full reasons follow below it, each once.
  return `${renderTable({ columns, rows }, display)}${linesText(reasonLines(failures, display.verbose === true), display)}\n`;
}

function resultWord({ action, status }: Pick<Outcome, "action" | "status">): string {
  if (action === "blocked") return "blocked";
  return status === "failed" ? "failed" : "unknown";
}

const WORDS: Readonly<Record<Probe["status"], string>> = {
  data: "answers with data",
  empty: "answers, but has nothing in the last 24 hours",
  failed: "fails",
  "not-asked": "was not asked: no tile of the target queries a metric of it",
};

/** The state of each probed source; empty if none was probed. */
export function probeText(probes: readonly Probe[], { theme }: OutputOptions): string {
  if (probes.length === 0) return "";
  const lines = probes.map(({ name, targetId, status, message }) => {
    const paint =
      status === "data" ? theme.good : status === "empty" || status === "not-asked" ? theme.notice : theme.bad;
    const why = message === undefined ? "" : `: ${printable(message)}`;
    return `  ${printable(name || targetId)} ${paint(WORDS[status])}${why}\n`;
  });
  return `${theme.heading("sources")}\n${lines.join("")}`;
}
