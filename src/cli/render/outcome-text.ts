import type { Action, Outcome } from "../../domain/outcome.ts";
import { isIncomplete } from "../../domain/outcome.ts";
import { countOutcomes } from "../report.ts";
import { printable } from "./printable.ts";
import { renderTable } from "./table.ts";
import type { View } from "./theme.ts";

const DONE: Readonly<Record<Exclude<Action, "export">, string>> = {
  create: "created",
  update: "updated",
  unchanged: "unchanged",
  skip: "skipped",
  delete: "deleted",
  blocked: "blocked",
};

/** What an import came to: what went wrong, then the counts. */
export function importText(outcomes: readonly Outcome[], view: View): string {
  const begun = outcomes.filter(({ code }) => code !== "not-started");
  const counts = countOutcomes(begun);
  const parts = Object.entries(DONE)
    .filter(([action]) => action !== "delete" || (counts[action] ?? 0) > 0)
    .map(([action, word]) => `${counts[action] ?? 0} ${word}`);
  const left = outcomes.length - begun.length;
  const rest = left === 0 ? "" : `, ${left} not begun`;
  const failed = counts["failed"] ?? 0;
  const ends = `, ${failed === 0 ? "0 failed" : view.theme.bad(`${failed} failed`)}${rest}.\n`;
  return `${failuresText(outcomes, view)}Done: ${parts.join(", ")}${ends}`;
}

/** The records that failed or were blocked, each with its code and the reason in full; empty when there are none. */
export function failuresText(outcomes: readonly Outcome[], view: View): string {
  const failures = outcomes.filter(isIncomplete);
  if (failures.length === 0) return "";
  const rows = failures.map(({ kind, name, sourceId, action, code }) => [
    kind,
    name === "" ? sourceId : name,
    { text: action === "blocked" ? "blocked" : "failed", paint: view.theme.bad },
    code ?? "",
  ]);
  const columns = [{ title: "KIND" }, { title: "NAME" }, { title: "RESULT" }, { title: "CODE" }];
  // A cut reason helps nobody, so the reasons stand below the table, each once.
  const reasons = new Set(
    failures.flatMap(({ code, message }) => (message === undefined ? [] : [`${code ?? ""}: ${message}`])),
  );
  return `${renderTable({ columns, rows }, view)}${[...reasons].map((reason) => `  ${printable(reason)}\n`).join("")}\n`;
}
