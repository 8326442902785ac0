import type { Diff, MemberChange, RecordChange, StackLog } from "../../core/diff.ts";
import { canonicalJson, compactJson } from "../../core/json.ts";
import { parsePointer } from "../../core/records/member-path.ts";
import { recordKey, type KindName, type StackIdentity, type StackRecord } from "../../core/records/record.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { markTiles, type TileModel } from "../model/dashboard.ts";
import { joinNonEmpty } from "../model/query.ts";
import { readStackModel, type StackModel } from "../model/stack.ts";
import {
  countChanges,
  diffView,
  logView,
  renamedText,
  type DiffRow,
  type LogViewEntry,
  type ViewNote,
} from "../view/diff.ts";
import { drawDashboard, type ComparedDrawing } from "./dashboard.ts";
import { html, type Html, type HtmlPart } from "./html.ts";
import { createFacet, summaryCards, createKindFacet, renderPage, type Facet } from "./page.ts";
import {
  addressInWords,
  stateBadge,
  preformatted,
  codeText,
  countText,
  disclosure,
  factList,
  isShortTable,
  metadataDetails,
  minuteText,
  pageNote,
  recordItem,
  pageSection,
  htmlTable,
  timeText,
  kindTitle,
} from "./parts.ts";
import { describeByKind } from "./records.ts";
import { NARROW_COLUMN_WIDTH } from "./tile-drawing.ts";

export interface DiffReportSide {
  /** The side's name on the command line. */
  readonly label: string;
  readonly identity: StackIdentity;
  readonly records: readonly StackRecord[];
}

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
  const { changes, same } = diff;
  const view = diffView(diff);
  // A changed record is listed under its id on the right side.
  const places = new Set(changes.map(({ kind, leftId, rightId }) => recordKey(kind, rightId ?? leftId ?? "")));
  const isShown = (kind: KindName, id: string): boolean => places.has(recordKey(kind, id));
  const models: Sides<StackModel> = [readStackModel(left.records, isShown), readStackModel(right.records, isShown)];
  const cards = countChanges(changes).map(({ word, count }) => ({
    count,
    what: count === 0 ? word : stateBadge(word),
  }));
  return renderPage({
    eyebrow: "Comparison",
    title: `${left.label} compared with ${right.label}: ${view.title}`,
    lead: html`${summaryCards([...cards, { count: same, what: "the same" }])}${noteTexts(view.notCompared)}${metadataDetails(
      `Compared ${minuteText(at)}`,
      [
        ["Before", `${left.label}: ${addressInWords(left.identity)}`],
        ["After", `${right.label}: ${addressInWords(right.identity)}`],
        ["Time", timeText(at)],
      ],
    )}`,
    facets: changeFacets(changes),
    sections: view.sections.map(({ kind, rows }) => {
      const items = rows.map((row) => differenceItem(row, models, isShortTable(changes)));
      return pageSection(kind, kindTitle(kind), rows.length, items);
    }),
    emptyText: "Nothing differs.",
    madeBy,
  });
}

export interface HistoryReport {
  readonly log: StackLog;
  /** The address of the repository, as the page shows it. */
  readonly repository: string;
  /** Time when the page was written, ISO 8601, UTC. */
  readonly at: string;
  readonly madeBy: string;
}

/** Renders a section for each backup that differs from the one before it, the newest first. */
export function historyPage({ log, repository, at, madeBy }: HistoryReport): string {
  const { entries, summary, start } = logView(log);
  const changes = log.entries.flatMap((entry) => entry.changes);
  return renderPage({
    eyebrow: "History",
    title: `History of ${log.stack}`,
    lead: html`<p class="outcome">${summary} ${start}</p>
      ${summaryCards(countChanges(changes).map(({ word, count }) => ({ count, what: stateBadge(word) })))}${metadataDetails(
        `Written ${minuteText(at)}`,
        [
          ["Backups", repository],
          ["Time", timeText(at)],
          ["Who", "The API does not say who changed a record."],
        ],
      )}`,
    facets: changeFacets(changes),
    sections: entries.map((entry) => backupSection(entry, isShortTable(changes))),
    emptyText: "No backup differs from the one before it.",
    madeBy,
  });
}

/** Returns the filters of a page of changes: by the kind of record, and by added, removed or changed. */
function changeFacets(changes: readonly RecordChange[]): Facet[] {
  const words = changes.map(({ change }) => change);
  return [createKindFacet(changes.map(({ kind }) => kind)), createFacet("state", "Changes", words, (word) => word)];
}

function noteTexts(notes: readonly ViewNote[]): Html[] {
  return notes.map(({ text, isFailure }) => pageNote(text, isFailure));
}

/** Renders the changes of a backup. A record has an item for each backup in which it changed. */
function backupSection({ entry, sections, notes }: LogViewEntry, isOpen: boolean): Html {
  const { archive, time, changes } = entry;
  const rows = sections.flatMap((kind) => kind.rows);
  const items = rows.map(({ change, name }) => {
    const { kind, leftId = "", rightId = leftId, members } = change;
    const renamed = renamedText(change);
    return recordItem({
      kind,
      id: rightId,
      anchor: `${archive} ${kind} ${rightId}`,
      name,
      state: change.change,
      about: joinNonEmpty([nounOf(kind), renamed, changeCount(members)], " "),
      searchTexts: [renamed, ...members.flatMap(({ child }) => child?.name ?? [])],
      content:
        members.length === 0
          ? html`<p>Id <code>${rightId}</code></p>`
          : memberTable(`Members of ${name} that changed`, members, placeInChild),
      isOpen,
    });
  });
  const id = archive.replaceAll(/[^\w-]/g, "-");
  return pageSection(id, minuteText(time), changes.length, [noteTexts(notes), items]);
}

function changeCount(members: readonly MemberChange[]): string {
  return members.length === 0 ? "" : countText(members.length, "change");
}

/** Something of the left side of a comparison, and its counterpart on the right side. */
type Sides<T> = readonly [left: T, right: T];

function differenceItem({ change, name, note }: DiffRow, models: Sides<StackModel>, isOpen: boolean): Html {
  const { kind, leftId = "", rightId = leftId, members } = change;
  const records: Sides<StackRecord | undefined> = [
    change.leftId === undefined ? undefined : models[0].find(kind, leftId),
    change.rightId === undefined ? undefined : models[1].find(kind, rightId),
  ];
  const inWords = (side: 0 | 1): HtmlPart => {
    const record = records[side];
    return record && describeByKind(record, models[side]).content;
  };
  return recordItem({
    kind,
    id: rightId,
    // A record without a name gets a display name, derived from its references.
    name: name || (records[1]?.name ?? records[0]?.name ?? ""),
    state: change.change,
    about: note || changeCount(members),
    searchTexts: [leftId, ...members.map(({ pointer }) => pointer)],
    content: [
      kind === "dashboards" ? drawings(records, members, models) : sideBySide(inWords(0), inWords(1)),
      kind === "dashboards" &&
        factList([
          ["Id before", codeText(leftId)],
          ["Id after", codeText(change.rightId)],
        ]),
      members.length > 0 && html`<h3>What differs</h3>`,
      members.length > 0 && memberTable(`Members of ${change.name} that differ`, members, placeWithPointer),
    ],
    isOpen,
  });
}

/** Draws a dashboard of both sides with the tiles that differ marked. If only one side has the dashboard, draws that one. */
function drawings(
  [left, right]: Sides<StackRecord | undefined>,
  members: readonly MemberChange[],
  [before, after]: Sides<StackModel>,
): HtmlPart {
  const old = left && before.dashboard(left.id);
  const current = right && after.dashboard(right.id);
  const marks = markTiles(members, old?.tiles ?? [], current?.tiles ?? []);
  const compared: ComparedDrawing =
    old && current ? { markOf: (tile: TileModel) => marks.get(tile), column: NARROW_COLUMN_WIDTH } : {};
  return sideBySide(old && drawDashboard(old, before, compared), current && drawDashboard(current, after, compared));
}

function sideBySide(before: HtmlPart, after: HtmlPart): HtmlPart {
  if (before === undefined || after === undefined) return [before, after];
  const side = (title: string, content: HtmlPart): Html =>
    html`<div>
      <h3>${title}</h3>
      ${content}
    </div>`;
  return html`<div class="sides">${side("Before", before)}${side("After", after)}</div>`;
}

function memberTable(caption: string, members: readonly MemberChange[], placeOf: (member: MemberChange) => Html): Html {
  const rows = members.map((member) => [
    placeOf(member),
    stateBadge(member.change),
    changedSide(member.from, member.fromName),
    changedSide(member.to, member.toName),
  ]);
  return htmlTable(caption, ["Member", "Change", "Before", "After"], rows);
}

/** Renders the place of a change: the child of the record, such as a tile, by its name, and the member in it. */
function placeInChild({ pointer, child }: MemberChange): Html {
  return child === undefined ? html`<code>${pointer}</code>` : childPlace(`${child.noun} ${child.name}`, pointer);
}

/** Adds the name of a tile to the pointer, which has only its position: people know tiles by their names. */
function placeWithPointer({ pointer, child }: MemberChange): Html {
  if (child?.noun !== "tile" || child.name === "") return html`<code>${pointer}</code>`;
  return html`${childPlace(child.name, pointer)}<span class="soft"><code>${pointer}</code></span>`;
}

function childPlace(name: string, pointer: string): Html {
  const inside = parsePointer(pointer).slice(2).join(".");
  return html`<span class="member">${name}${inside !== "" && html`: <code>${inside}</code>`}</span>`;
}

/** Maximum length of a value. A longer value is cut; the records have the whole value. */
const MAX_LENGTH = 2000;
/** Maximum length of JSON on one line. */
const LINE = 60;
/** Maximum number of lines of a value that is open at first. */
const FEW_LINES = 12;

/**
 * Renders a value of a change. If it is an id, the name of its record, tile or filter stands above it. A long value is cut, and a
 * value with many lines is closed at first.
 */
function changedSide(value: MemberChange["from"], name: string | undefined): HtmlPart {
  if (value === undefined) return name;
  const short = typeof value === "string" ? value : compactJson(value);
  const whole = typeof value === "string" || short.length <= LINE ? short : canonicalJson(value).trimEnd();
  const text = whole.length > MAX_LENGTH ? `${whole.slice(0, MAX_LENGTH)}…` : whole;
  const count = text.split("\n").length;
  const content = preformatted(text, "text code");
  return [name, count <= FEW_LINES ? content : disclosure(countText(count, "line"), content)];
}
