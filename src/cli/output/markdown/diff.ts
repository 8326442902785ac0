import type { Diff, RecordChange } from "../../../core/diff.ts";
import { nounOf } from "../../../kinds/id-spaces.ts";
import type { ReportedSide } from "../diff.ts";
import { countsText, notComparedText } from "../diff.ts";
import { changeRow } from "../plan/changes.ts";
import { plain } from "./escape.ts";
import { markdownSection, markdownTable } from "./table.ts";

/** A comparison in Markdown: the counts first, then each record that differs, then the members in which they differ. */
export function diffMarkdown(diff: Diff, left: ReportedSide, right: ReportedSide): string {
  const sides = `${plain(left.label)} → ${plain(right.label)}`;
  const records = diff.changes.map((change) => [change.change, nounOf(change.kind), nameOf(change), whyOf(change)]);
  const members = diff.changes.flatMap((change) =>
    change.members.map((member) => [`${nounOf(change.kind)} "${nameOf(change)}"`, ...changeRow(member)]),
  );
  return [
    `**${plain(countsText(diff))}** ${sides}\n`,
    diff.changes.length === 0 ? "" : `\n${markdownTable(["change", "kind", "name", ""], records)}`,
    markdownSection("What differs", markdownTable(["record", "member", "before", "after"], members)),
    ...diff.notCompared.map((each) => `\n${plain(notComparedText(each).trim())}\n`),
  ].join("");
}

function nameOf({ name, called, leftId, rightId }: RecordChange): string {
  return name === "" ? (called ?? rightId ?? leftId ?? "") : name;
}

function whyOf({ ambiguous }: RecordChange): string {
  return ambiguous === true ? "several on the right could be it" : "";
}
