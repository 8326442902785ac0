import type { Plan } from "../../../core/importing/plan.ts";
import { counted } from "../../../core/text/plural.ts";
import { printable } from "../../../core/text/printable.ts";
import { nounOf } from "../../../kinds/id-spaces.ts";
import { reasonLines } from "../reasons.ts";
import type { OutputOptions } from "../terminal/theme.ts";

const WHY = {
  missing: "has no match on the target",
  ambiguous: "has more than one match on the target",
  dead: "is not in the archive either",
} as const;

/** What a message says is needed: `needs the webhook "pager", which …`. */
const NEEDED = /^needs the (.*?")(?:,| \(|$)/s;

/** Why records are blocked, each reason once, with what a map file could name. */
export function blockersText({ items, unresolved }: Plan, display: OutputOptions): string {
  const blocked = items.filter(({ action }) => action === "blocked");
  const reasons = reasonLines(blocked, display.theme.bad("!"), display);
  if (unresolved.length === 0) return reasons;
  const told = new Set(blocked.map(({ message = "" }) => NEEDED.exec(message)?.[1] ?? ""));
  // A record that lacks several things is blocked by the first of them; the others are told here.
  const others = unresolved.flatMap(({ space, id, name, reason, neededBy }) => {
    const what = `${nounOf(space)} "${name === "" ? id : name}"`;
    if (told.has(what)) return [];
    return [
      `  ${printable(`${what} ${WHY[reason]}${neededBy === 0 ? "" : `; ${counted(neededBy, "record")} ${neededBy === 1 ? "needs" : "need"} it`}`)}\n`,
    ];
  });
  const next = display.theme.heading(
    "name what has no match in a map file: --write-map map.yaml drafts one, --map map.yaml uses it",
  );
  return `${reasons}${others.join("")}${next}\n\n`;
}
