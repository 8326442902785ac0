import type { Unresolved } from "../../domain/plan.ts";
import { nounOf } from "../../kinds/id-spaces.ts";
import { printable } from "../render/printable.ts";
import { renderTable } from "../render/table.ts";
import type { View } from "../render/theme.ts";
import type { RankedCandidate } from "./rank-candidates.ts";

/** More are not shown: who knows the name can type it. */
const MOST_SHOWN = 9;

/** One question: what could not be matched, and what it could be, the likeliest first. */
export function candidatesText(
  { space, id, name, reason, neededBy }: Unresolved,
  place: string,
  ranked: readonly RankedCandidate[],
  view: View,
): string {
  const { theme } = view;
  const why = reason === "missing" ? "nothing on the target is it" : "several on the target could be it";
  const what = `${nounOf(space)} "${name === "" ? id : name}"`;
  const needs = `${neededBy} ${neededBy === 1 ? "record needs" : "records need"} it`;
  const head = `\n${theme.faint(place)} ${theme.strong(printable(what))}: ${why}; ${needs}\n`;
  if (ranked.length === 0) return `${head}  the target lists none of them: type its id\n`;
  const rows = ranked
    .slice(0, MOST_SHOWN)
    .map((candidate, index) => [
      String(index + 1),
      candidate.name === "" ? candidate.id : candidate.name,
      candidate.name === "" ? "" : candidate.id,
      candidate.reasons.join(", "),
    ]);
  const columns = [{ title: "", align: "right" as const }, { title: "NAME" }, { title: "ID" }, { title: "WHY" }];
  const more = ranked.length - MOST_SHOWN;
  return `${head}${renderTable({ columns, rows }, view)}${more > 0 ? `  and ${more} more\n` : ""}`;
}
