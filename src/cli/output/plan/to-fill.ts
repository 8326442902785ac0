import type { MissingSecret } from "../../../core/importing/plan.ts";
import { printable } from "../../../core/text/printable.ts";
import { nounOf } from "../../../kinds/id-spaces.ts";
import type { OutputOptions } from "../terminal/theme.ts";

/** The secrets that a fill file has to supply, each with what stands around it; empty where there are none. */
export function toFillText(toFill: readonly MissingSecret[], { theme }: OutputOptions): string {
  if (toFill.length === 0) return "";
  const lines = toFill.flatMap(({ key, name, pointer, rules, around }) => {
    const [kind = ""] = key.split("/");
    const what = `${nounOf(kind)} "${name === "" ? key : name}" ${pointer}: ${rules.join(", ")}`;
    return [`  ${printable(what)}\n`, ...around.map((text) => `    ${theme.faint(printable(text))}\n`)];
  });
  const next = theme.heading("supply these secrets: --write-fill fill.yaml drafts a file, --fill fill.yaml uses it");
  return `${lines.join("")}${next}\n\n`;
}
