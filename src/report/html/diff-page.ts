import type { Diff, MemberChange, RecordChange } from "../../core/diff.ts";
import type { KindName, StackIdentity, StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { Html, Part } from "./html.ts";
import { html, lines } from "./html.ts";
import type { StackModel } from "../model/stack.ts";
import { readStack } from "../model/stack.ts";
import type { Facet } from "./page.ts";
import { facetOf, glance, kindFacet, renderPage } from "./page.ts";
import {
  addressOf,
  badge,
  countText,
  isShort,
  metadata,
  minuteText,
  section,
  timeText,
  facts,
  table,
  recordItem,
  titleOf,
} from "./parts.ts";
import type { DiffRow } from "../view/diff.ts";
import { diffView } from "../view/diff.ts";
import type { JsonValue } from "../../core/json.ts";
import { canonicalJson, compactJson } from "../../core/json.ts";
import { NARROW_COLUMN } from "./tile-drawing.ts";
import type { DashboardModel } from "../model/dashboard.ts";
import type { TileModel } from "../model/tile.ts";
import { marksOf, tileOf } from "../model/tile.ts";
import { drawDashboard } from "./dashboard.ts";
import { describeByKind } from "./records.ts";

/** One side of a comparison. */
export interface DiffReportSide {
  /** The side's name on the command line. */
  readonly label: string;
  readonly identity: StackIdentity;
  readonly records: readonly StackRecord[];
}

/** Two sides and their differences. */
export interface DiffReport {
  readonly left: DiffReportSide;
  readonly right: DiffReportSide;
  readonly diff: Diff;
  /** Time of the comparison, ISO 8601, UTC. */
  readonly at: string;
  readonly madeBy: string;
}

/** Renders a comparison as one HTML page: both sides next to each other, with the tiles that differ marked in the drawings. */
export function diffPage({ left, right, diff, at, madeBy }: DiffReport): string {
  const { changes } = diff;
  const view = diffView(diff);
  // A changed record is listed under its id on the right side.
  const places = new Set(changes.map(({ kind, leftId, rightId }) => recordKey(kind, rightId ?? leftId ?? "")));
  const isShown = (kind: KindName, id: string): boolean => places.has(recordKey(kind, id));
  const before = readStack(left.records, isShown);
  const after = readStack(right.records, isShown);
  return renderPage({
    eyebrow: "Comparison",
    title: `${left.label} compared with ${right.label}: ${view.title}`,
    lead: html`${glanceOf(diff)}${noteTexts(view.notCompared)}${metadata(`Compared ${minuteText(at)}`, [
      ["Before", `${left.label}: ${addressOf(left.identity)}`],
      ["After", `${right.label}: ${addressOf(right.identity)}`],
      ["Time", timeText(at)],
    ])}`,
    facets: changeFacets(changes),
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
  // A record without a name gets a display name, derived from its references.
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

/** Returns the filters of a page of changes: by the kind of record, and by added, removed or changed. */
export function changeFacets(changes: readonly RecordChange[]): Facet[] {
  const words = changes.map(({ change }) => change);
  return [kindFacet(changes.map(({ kind }) => kind)), facetOf("state", "Changes", words, (word) => word)];
}

/** Renders notes on what a page cannot show. A note on a failure stands out. */
export function noteTexts(notes: readonly { readonly text: string; readonly isFailure: boolean }[]): Html {
  return html`${notes.map(
    ({ text, isFailure }) => html`<p class="note ${isFailure ? "badnote" : "warnnote"}">${text}</p>`,
  )}`;
}

/**
 * Values of more than MAX_LENGTH characters are cut; the records have the rest. JSON of more than LINE characters is split into
 * lines.
 */
const MAX_LENGTH = 2000;
const LINE = 60;
/** Maximum number of lines of a value that is open at first; longer values are closed. */
const FEW_LINES = 12;

/** The two sides of a change; an added or removed record has only one. */
interface Sides<T> {
  readonly left: T | undefined;
  readonly right: T | undefined;
}

/** Renders the differences of a record: both sides next to each other, and each changed member with its two values. */
function changeContent(change: RecordChange, before: StackModel, after: StackModel): Part {
  const { kind, name, leftId, rightId, members } = change;
  const left = leftId === undefined ? undefined : before.find(kind, leftId);
  const right = rightId === undefined ? undefined : after.find(kind, rightId);
  const dashboards: Sides<DashboardModel> = {
    left: left && kind === "dashboards" ? before.dashboard(left.id) : undefined,
    right: right && kind === "dashboards" ? after.dashboard(right.id) : undefined,
  };
  const rows = members.map(({ pointer, change: how, from, to }) => [
    whereOf(pointer, tileOf({ pointer, change: how }, dashboards.left?.tiles ?? [], dashboards.right?.tiles ?? [])),
    badge(how),
    changedValue(from),
    changedValue(to),
  ]);
  return [
    kind === "dashboards"
      ? drawings(dashboards, members, { left: before, right: after })
      : inWords({ left, right }, { left: before, right: after }),
    kind === "dashboards" &&
      facts([
        ["Id before", leftId !== undefined && html`<code>${leftId}</code>`],
        ["Id after", rightId !== undefined && html`<code>${rightId}</code>`],
      ]),
    rows.length > 0 && html`<h3>What differs</h3>`,
    rows.length > 0 && table(`Members of ${name} that differ`, ["Member", "Change", "Before", "After"], rows),
  ];
}

function drawings(
  { left, right }: Sides<DashboardModel>,
  members: readonly MemberChange[],
  models: { readonly left: StackModel; readonly right: StackModel },
): Part {
  if (left === undefined || right === undefined) {
    return [left && drawDashboard(left, models.left), right && drawDashboard(right, models.right)];
  }
  const marks = marksOf(members, left.tiles, right.tiles);
  const compared = { markOf: (tile: TileModel) => marks.get(tile), column: NARROW_COLUMN };
  return sideBySide(drawDashboard(left, models.left, compared), drawDashboard(right, models.right, compared));
}

function inWords(
  { left, right }: Sides<StackRecord>,
  models: { readonly left: StackModel; readonly right: StackModel },
): Part {
  const old = left && describeByKind(left, models.left).content;
  const current = right && describeByKind(right, models.right).content;
  return old !== undefined && current !== undefined ? sideBySide(old, current) : [old, current];
}

function sideBySide(before: Part, after: Part): Html {
  const side = (title: string, content: Part): Html =>
    html`<div>
      <h3>${title}</h3>
      ${content}
    </div>`;
  return html`<div class="sides">${side("Before", before)}${side("After", after)}</div>`;
}

/**
 * Renders the place of a change. A pointer contains only the position of a tile, so the tile's name is added, by which people know
 * it.
 */
function whereOf(pointer: string, tile: TileModel | undefined): Html {
  if (tile === undefined || tile.name === "") return html`<code>${pointer}</code>`;
  const inside = pointer.split("/").slice(3).join(".");
  return html`<span class="member">${tile.name}${inside !== "" && html`: <code>${inside}</code>`}</span>
    <span class="soft"><code>${pointer}</code></span>`;
}

/** Renders a value of a change. A long value is cut, and a value with many lines is closed at first. */
export function changedValue(value: MemberChange["from"]): Part {
  if (value === undefined) return undefined;
  const text = cut(value);
  const count = text.split("\n").length;
  const block = html`<pre class="text code">${lines(text)}</pre>`;
  if (count <= FEW_LINES) return block;
  return html`<details>
    <summary>${countText(count, "line")}</summary>
    ${block}
  </details>`;
}

function cut(value: JsonValue): string {
  const short = typeof value === "string" ? value : compactJson(value);
  const text = typeof value === "string" || short.length <= LINE ? short : canonicalJson(value).trimEnd();
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
