import type { StackCheck } from "../../jobs/check-place.ts";
import type { Drill } from "../runs/restore-drill.ts";
import { printable } from "./printable.ts";
import { renderTable } from "./table.ts";
import type { Cell } from "./table.ts";
import type { View } from "./theme.ts";

/** What checking the backups of a place found. */
export function checkText(checks: readonly StackCheck[], drills: readonly Drill[], view: View): string {
  const { theme } = view;
  const rows = checks.map(({ stack, archives, checked, damaged, sealed, newestGood, ageMs, tooOld }): Cell[] => [
    stack,
    String(archives),
    String(checked - sealed),
    { text: String(damaged.length), paint: damaged.length > 0 ? theme.bad : theme.good },
    { text: ageMs === undefined ? "none" : ageText(ageMs), paint: tooOld ? theme.bad : theme.good },
    newestGood ?? "",
  ]);
  const columns = [
    { title: "STACK" },
    { title: "BACKUPS", align: "right" as const },
    { title: "READ", align: "right" as const },
    { title: "DAMAGED", align: "right" as const },
    { title: "AGE", align: "right" as const },
    { title: "NEWEST GOOD" },
  ];
  const damaged = checks.flatMap((check) => check.damaged);
  const problems = damaged.map(({ archive, problem }) => `${theme.bad("✗")} ${printable(`${archive}: ${problem}`)}\n`);
  const sealed = checks.reduce((sum, check) => sum + check.sealed, 0);
  const notice = sealed === 0 ? "" : theme.notice(`${sealed} encrypted, not read: --identity gives a key\n`);
  const late = checks.filter(({ tooOld }) => tooOld).map(({ stack }) => `${theme.bad("✗")} ${lateText(stack)}\n`);
  return [
    renderTable({ columns, rows }, view),
    ...problems,
    notice,
    ...late,
    ...drills.map((drill) => drillText(drill, view)),
  ].join("");
}

function lateText(stack: string): string {
  return printable(`${stack}: there is no good backup that is recent enough`);
}

function drillText({ stack, archive, ok, counts, problems }: Drill, { theme }: View): string {
  const created = counts["create"] ?? 0;
  const head = `${ok ? theme.good("✓") : theme.bad("✗")} ${printable(`${stack}: restoring ${archive} onto a sandbox`)}`;
  const lines = problems.map(({ kind, name, code, message }) => {
    return `  ${printable(`${kind} "${name}": ${code ?? ""} ${message ?? ""}`)}\n`;
  });
  return `${head} made ${created} records, ${problems.length} not restored\n${lines.join("")}`;
}

function ageText(ms: number): string {
  const hours = ms / 3_600_000;
  if (hours < 1) return `${Math.max(0, Math.round(ms / 60_000))} min`;
  return hours < 48 ? `${hours.toFixed(1)} h` : `${(hours / 24).toFixed(1)} d`;
}
