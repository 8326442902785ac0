import type { MissingSecret, Plan, PlanItem, Unresolved } from "../../domain/plan.ts";
import { kinds } from "../../kinds/registry.ts";
import { nounOf } from "../../kinds/id-spaces.ts";
import { printable } from "./printable.ts";
import { renderTable } from "./table.ts";
import type { Theme, View } from "./theme.ts";

const ORDER = ["create", "update", "blocked", "skip", "unchanged"] as const satisfies readonly PlanItem["action"][];

const PAINTS: Readonly<Record<PlanItem["action"], keyof Theme>> = {
  create: "good",
  update: "notice",
  blocked: "bad",
  skip: "faint",
  unchanged: "faint",
};

/** A plan: what happens to each record by kind, what stands in the way, and the counts last. */
export function planText(plan: Plan, view: View): string {
  const sections = kinds.map(({ name }) =>
    kindText(
      name,
      plan.items.filter(({ kind }) => kind === name),
      view,
    ),
  );
  const shown = sections.filter((section) => section !== "");
  const missing = [unresolvedText(plan.unresolved, view), toFillText(plan.toFill, view)];
  return [...shown, reasonsText(plan.items, view), ...missing, `${planCounts(plan)}\n`].join("");
}

/** `Plan: 8 to create, 0 to update, 2 unchanged, 1 blocked.` */
export function planCounts({ items }: Plan): string {
  const count = (action: PlanItem["action"]): number => items.filter((item) => item.action === action).length;
  const skipped = count("skip") === 0 ? "" : `, ${count("skip")} left alone`;
  return `Plan: ${count("create")} to create, ${count("update")} to update, ${count("unchanged")} unchanged${skipped}, ${count("blocked")} blocked.`;
}

function kindText(kind: string, items: readonly PlanItem[], view: View): string {
  if (items.length === 0) return "";
  const rank = ({ action }: PlanItem): number => ORDER.indexOf(action);
  const sorted = [...items].sort(
    (a, b) => rank(a) - rank(b) || compare(a.name, b.name) || compare(a.sourceId, b.sourceId),
  );
  const rows = sorted.map(({ action, name, sourceId, code }) => [
    { text: action, paint: view.theme[PAINTS[action]] },
    name === "" ? sourceId : name,
    code ?? "",
  ]);
  const table = renderTable({ columns: [{ title: "ACTION" }, { title: "NAME" }, { title: "WHY" }], rows }, view);
  return `${view.theme.strong(kind)}\n${table}\n`;
}

function reasonsText(items: readonly PlanItem[], view: View): string {
  const reasons = items.flatMap(({ action, code, message }) =>
    action === "blocked" ? [`${code ?? "blocked"}: ${message ?? ""}`] : [],
  );
  return [...new Set(reasons)].map((reason) => `${view.theme.bad("!")} ${printable(reason)}\n`).join("");
}

function unresolvedText(unresolved: readonly Unresolved[], view: View): string {
  if (unresolved.length === 0) return "";
  const lines = unresolved.map(({ space, id, name, reason, neededBy }) => {
    const what = `${nounOf(space)} "${name === "" ? id : name}"`;
    const why = reason === "missing" ? "has no match on the target" : "has more than one match on the target";
    return `  ${printable(`${what} ${why}; ${neededBy} ${neededBy === 1 ? "record needs" : "records need"} it`)}\n`;
  });
  const next = view.theme.strong("name them in a map file: --write-map map.yaml drafts one, --map map.yaml uses it");
  return `${lines.join("")}${next}\n\n`;
}

function toFillText(toFill: readonly MissingSecret[], view: View): string {
  if (toFill.length === 0) return "";
  const lines = toFill.map(({ key, name, pointer, rules }) => {
    const [kind = ""] = key.split("/");
    return `  ${printable(`${nounOf(kind)} "${name === "" ? key : name}" ${pointer}: ${rules.join(", ")}`)}\n`;
  });
  const next = view.theme.strong(
    "supply these secrets: --write-fill fill.yaml drafts a file, --fill fill.yaml uses it",
  );
  return `${lines.join("")}${next}\n\n`;
}

/** By code unit, so that a plan reads the same on every machine. */
function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
