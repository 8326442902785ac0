import type { Outcome } from "../../domain/outcome.ts";
import type { RollbackItem } from "../../jobs/plan-rollback.ts";
import { countOutcomes } from "../report.ts";
import { failuresText } from "./outcome-text.ts";
import { printable } from "./printable.ts";
import { renderTable } from "./table.ts";
import type { View } from "./theme.ts";

/** What a rollback would do to each record that the import wrote, and the counts last. */
export function rollbackPlanText(items: readonly RollbackItem[], view: View): string {
  const rows = items.map(({ kind, name, targetId, action, code }) => [
    {
      text: action === "update" ? "put back" : action,
      paint: action === "skip" ? view.theme.faint : view.theme.notice,
    },
    kind,
    name === "" ? targetId : name,
    code ?? "",
  ]);
  const columns = [{ title: "ACTION" }, { title: "KIND" }, { title: "NAME" }, { title: "WHY" }];
  const reasons = new Set(
    items.flatMap(({ code, message }) => (message === undefined ? [] : [`${code ?? ""}: ${message}`])),
  );
  const explained = [...reasons].map((reason) => `  ${printable(reason)}\n`).join("");
  const count = (action: RollbackItem["action"]): number => items.filter((item) => item.action === action).length;
  const counts = `Plan: ${count("delete")} to delete, ${count("update")} to put back, ${count("skip")} left alone.\n`;
  return `${items.length === 0 ? "" : renderTable({ columns, rows }, view)}${explained}${counts}`;
}

/** What a rollback came to. */
export function rollbackEndText(outcomes: readonly Outcome[], view: View): string {
  const counts = countOutcomes(outcomes);
  const left = outcomes.filter(({ action, code }) => action === "skip" && code !== "gone");
  const reasons = left.map(({ kind, name, sourceId, code, message }) =>
    printable(`  ${kind} ${name || sourceId}: ${code ?? ""}: ${message ?? ""}`),
  );
  const explained = reasons.map((reason) => `${reason}\n`).join("");
  const parts = `${counts["delete"] ?? 0} deleted, ${counts["update"] ?? 0} put back, ${counts["skip"] ?? 0} left alone`;
  return `${failuresText(outcomes, view)}${explained}Done: ${parts}, ${counts["failed"] ?? 0} failed.\n`;
}
