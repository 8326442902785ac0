import type { Diff, RecordChange } from "../domain/diff.ts";
import type { StackIdentity, StackRecord } from "../domain/record.ts";
import { html } from "./html.ts";
import type { Html } from "./html.ts";
import { readStack } from "./model/stack-model.ts";
import type { StackModel } from "./model/stack-model.ts";
import { addressOf } from "./page/address.ts";
import { badge } from "./page/badge.ts";
import { facts, recordItem, section } from "./page/parts.ts";
import { facetOf, renderPage } from "./page/render-page.ts";
import { titleOf } from "./page/title-of.ts";
import { changeContent } from "./sections/change-content.ts";

/** One side of a comparison. */
export interface DiffReportSide {
  /** As it was named on the command line. */
  readonly label: string;
  readonly identity: StackIdentity;
  readonly records: readonly StackRecord[];
}

/** Two sides and what differs. */
export interface DiffReport {
  readonly left: DiffReportSide;
  readonly right: DiffReportSide;
  readonly diff: Diff;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly madeBy: string;
}

/** A comparison as one HTML page: before and after side by side, the tiles that differ marked in the drawing. */
export function diffPage({ left, right, diff, at, madeBy }: DiffReport): string {
  const { changes } = diff;
  const before = readStack(left.records);
  const after = readStack(right.records);
  const kinds = [...new Set(changes.map(({ kind }) => kind))];
  return renderPage({
    eyebrow: "Comparison",
    title: `${left.label} → ${right.label}`,
    lead: html`${facts([
      ["Before", `${left.label}: ${addressOf(left.identity)}`],
      ["After", `${right.label}: ${addressOf(right.identity)}`],
      ["Time", at],
    ])}${glance(diff)}${notCompared(diff)}`,
    facets: [
      facetOf(
        "kind",
        "Kinds",
        changes.map(({ kind }) => kind),
        titleOf,
      ),
      facetOf(
        "state",
        "Changes",
        changes.map(({ change }) => change),
        (change) => change,
      ),
    ],
    sections: kinds.map((kind) => {
      const items = changes.filter((change) => change.kind === kind);
      return section(
        kind,
        titleOf(kind),
        items.length,
        items.map((change) => itemOf(change, before, after)),
      );
    }),
    madeBy,
  });
}

function itemOf(change: RecordChange, before: StackModel, after: StackModel): Html {
  const { kind, name, leftId, rightId, members, ambiguous } = change;
  const count = `${members.length} ${members.length === 1 ? "member" : "members"}`;
  const about = ambiguous === true ? "several on the other side could be it" : members.length === 0 ? "" : count;
  return recordItem({
    kind,
    id: rightId ?? leftId ?? "",
    name,
    state: change.change,
    badge: badge(change.change),
    about,
    find: [leftId ?? "", ...members.map(({ pointer }) => pointer)],
    content: changeContent(change, before, after),
  });
}

function glance({ changes, same }: Diff): Html {
  const counts = ["added", "removed", "changed"].map(
    (word) => [word, changes.filter(({ change }) => change === word).length] as const,
  );
  return html`<ul class="glance">
    ${[...counts, ["the same", same] as const].map(
      ([word, count]) => html`<li><b>${count}</b><span>${word}</span></li>`,
    )}
  </ul>`;
}

function notCompared({ notCompared: left }: Diff): Html {
  return html`${left.map(
    ({ kind, side, reason }) =>
      html`<p class="note ${reason === "failed" ? "badnote" : "warnnote"}">
        ${titleOf(kind)} were not compared: ${reason.replaceAll("-", " ")} on the ${side} side
      </p>`,
  )}`;
}
