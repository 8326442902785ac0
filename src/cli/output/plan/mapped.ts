import { nameOrId } from "../../../core/outcome.ts";
import type { MappedMember, PlanItem } from "../../../core/plan/plan.ts";
import { printable } from "../../../core/text/printable.ts";
import { nounOf } from "../../../kinds/id-spaces.ts";
import type { OutputOptions } from "../terminal/theme.ts";

/** The values of the map file that replace those of the archive in created records; empty if the map file has none. */
export function mappedText(items: readonly PlanItem[], { theme }: OutputOptions): string {
  const lines = items.flatMap((item) =>
    item.mapped === undefined || item.mapped.length === 0
      ? []
      : [`${nounOf(item.kind)} "${nameOrId(item)}": ${mappedMembers(item.mapped)}`],
  );
  return lines.map((line) => `${theme.notice("~")} ${printable(line)} (map file)\n`).join("");
}

/** `host "http://new:8123" in place of "http://old:8123", …` */
export function mappedMembers(mapped: readonly MappedMember[]): string {
  const texts = mapped.map(({ member, from, to }) => {
    return `${member} "${to}"${from === undefined ? "" : ` in place of "${from}"`}`;
  });
  return texts.join(", ");
}
