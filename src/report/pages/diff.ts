import type { Diff } from "../../core/diff.ts";
import type { KindName, StackIdentity, StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { Html } from "../html.ts";
import { html } from "../html.ts";
import type { StackModel } from "../model/stack.ts";
import { readStack } from "../model/stack.ts";
import { facetOf, glance, kindFacet } from "../page/facets.ts";
import { addressOf, badge, countText, isShort, metadata, minuteText, section, timeText } from "../page/parts.ts";
import { recordItem, titleOf } from "../page/record-item.ts";
import { renderPage } from "../page/render-page.ts";
import { changeContent } from "../sections/changes.ts";
import type { DiffRow, DiffView } from "../view/diff.ts";
import { diffView } from "../view/diff.ts";

/** One side of a comparison. */
export interface DiffReportSide {
  /** Its name on the command line. */
  readonly label: string;
  readonly identity: StackIdentity;
  readonly records: readonly StackRecord[];
}

/** Two sides and their differences. */
export interface DiffReport {
  readonly left: DiffReportSide;
  readonly right: DiffReportSide;
  readonly diff: Diff;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly madeBy: string;
}

/** Renders a comparison as one HTML page: both sides next to each other, with the tiles that differ marked in the drawings. */
export function diffPage({ left, right, diff, at, madeBy }: DiffReport): string {
  const { changes } = diff;
  const view = diffView(diff);
  // A changed record is found under the id of its right side.
  const places = new Set(changes.map(({ kind, leftId, rightId }) => recordKey(kind, rightId ?? leftId ?? "")));
  const isShown = (kind: KindName, id: string): boolean => places.has(recordKey(kind, id));
  const before = readStack(left.records, isShown);
  const after = readStack(right.records, isShown);
  return renderPage({
    eyebrow: "Comparison",
    title: `${left.label} compared with ${right.label}: ${view.title}`,
    lead: html`${glanceOf(diff)}${notComparedNotes(view)}${metadata(`Compared ${minuteText(at)}`, [
      ["Before", `${left.label}: ${addressOf(left.identity)}`],
      ["After", `${right.label}: ${addressOf(right.identity)}`],
      ["Time", timeText(at)],
    ])}`,
    facets: [
      kindFacet(changes.map(({ kind }) => kind)),
      facetOf(
        "state",
        "Changes",
        changes.map(({ change }) => change),
        (change) => change,
      ),
    ],
    sections: view.sections.map(({ kind, rows }) =>
      section(
        kind,
        titleOf(kind),
        rows.length,
        rows.map((row) => itemOf(row, { before, after, isOpen: isShort(changes) })),
      ),
    ),
    nothing: "Nothing differs.",
    madeBy,
  });
}

function itemOf(
  { change, name, note }: DiffRow,
  { before, after, isOpen }: { readonly before: StackModel; readonly after: StackModel; readonly isOpen: boolean },
): Html {
  const { kind, leftId, rightId, members } = change;
  const about = note !== "" || members.length === 0 ? note : countText(members.length, "change");
  // A record without a name gets its display name, from what it watches.
  const formerName = before.find(kind, leftId ?? "")?.name ?? "";
  return recordItem({
    kind,
    id: rightId ?? leftId ?? "",
    name: name || (after.find(kind, rightId ?? "")?.name ?? formerName),
    state: change.change,
    badge: badge(change.change),
    about,
    find: [leftId ?? "", ...members.map(({ pointer }) => pointer)],
    content: changeContent(change, before, after),
    isOpen,
  });
}

function glanceOf({ changes, same }: Diff): Html {
  const counts = ["added", "removed", "changed"].map((word) => {
    const count = changes.filter(({ change }) => change === word).length;
    return { count, what: count === 0 ? word : badge(word) };
  });
  return glance([...counts, { count: same, what: "the same" }]);
}

function notComparedNotes({ notCompared: kinds }: DiffView): Html {
  return html`${kinds.map(
    ({ text, isFailure }) => html`<p class="note ${isFailure ? "badnote" : "warnnote"}">${text}</p>`,
  )}`;
}
