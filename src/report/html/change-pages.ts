import type { RecordChange, StackLog } from "../../core/diff.ts";
import { recordKey, type KindName, type StackIdentity, type StackRecord } from "../../core/records/record.ts";
import { markTiles, type TileModel } from "../model/dashboard.ts";
import { readStackModel, type StackModel } from "../model/stack.ts";
import { diffDocument, logDocument, type ComparedSides } from "../view/diff.ts";
import { drawDashboard, type ComparedDrawing } from "./dashboard.ts";
import { documentPage } from "./document-page.ts";
import { html, type Html, type HtmlPart } from "./html.ts";
import { addressInWords, minuteText, timeText, type RecordContent } from "./parts.ts";
import { describeByKind } from "./records.ts";
import { NARROW_COLUMN_WIDTH } from "./tile-drawing.ts";

export interface DiffReportSide {
  /** The side's name on the command line. */
  readonly label: string;
  readonly identity: StackIdentity;
  readonly records: readonly StackRecord[];
}

export interface DiffReport extends Pick<ComparedSides, "diff"> {
  readonly left: DiffReportSide;
  readonly right: DiffReportSide;
  /** Time of the comparison, ISO 8601, UTC. */
  readonly at: string;
  readonly madeBy: string;
}

/** Renders a comparison as one HTML page: both sides next to each other, with the tiles that differ marked in the drawings. */
export function diffPage({ left, right, diff, at, madeBy }: DiffReport): string {
  const document = diffDocument({
    diff,
    left: left.label,
    right: right.label,
    facts: [
      ["Before", `${left.label}: ${addressInWords(left.identity)}`],
      ["After", `${right.label}: ${addressInWords(right.identity)}`],
      ["Time", timeText(at)],
    ],
    whole: true,
    hasIds: true,
  });
  // A changed record is listed under its id on the right side.
  const byPlace = new Map(diff.changes.map((change) => [placeOf(change), change]));
  const isShown = (kind: KindName, id: string): boolean => byPlace.has(recordKey(kind, id));
  const models: Sides<StackModel> = [readStackModel(left.records, isShown), readStackModel(right.records, isShown)];
  return documentPage(document, {
    contentOf: ({ kind, id }) => {
      const change = byPlace.get(recordKey(kind, id));
      return change && contentOfChange(change, models);
    },
    factsSummary: `Compared ${minuteText(at)}`,
    emptyText: "Nothing differs.",
    madeBy,
  });
}

function placeOf({ kind, leftId = "", rightId = leftId }: RecordChange) {
  return recordKey(kind, rightId);
}

export interface HistoryReport {
  readonly log: StackLog;
  /** The address of the repository, as the page shows it. */
  readonly repository: string;
  /** Time when the page was written, ISO 8601, UTC. */
  readonly at: string;
  readonly madeBy: string;
}

/** Renders the history of a stack as one HTML page. */
export function historyPage({ log, repository, at, madeBy }: HistoryReport): string {
  const document = logDocument(
    log,
    [
      ["Backups", repository],
      ["Time", timeText(at)],
      ["Who", "The API does not say who changed a record."],
    ],
    true,
  );
  return documentPage(document, {
    contentOf: () => undefined,
    factsSummary: `Written ${minuteText(at)}`,
    emptyText: "No backup differs from the one before it.",
    madeBy,
  });
}

/** Something of the left side of a comparison, and its counterpart on the right side. */
type Sides<T> = readonly [left: T, right: T];

/** Draws both sides of a record that differs, or says them in words. */
function contentOfChange(change: RecordChange, models: Sides<StackModel>): RecordContent {
  const { kind, leftId, rightId, members } = change;
  const [left, right]: Sides<StackRecord | undefined> = [
    leftId === undefined ? undefined : models[0].find(kind, leftId),
    rightId === undefined ? undefined : models[1].find(kind, rightId),
  ];
  const inWords = (record: StackRecord | undefined, model: StackModel): HtmlPart =>
    record && describeByKind(record, model).content;
  const [before, after] = models;
  return {
    about: members.length === 0 ? "" : `${members.length} ${members.length === 1 ? "change" : "changes"}`,
    searchTexts: [leftId ?? "", ...members.map(({ pointer }) => pointer)],
    content:
      kind === "dashboards"
        ? drawings([left, right], change, models)
        : sideBySide(inWords(left, before), inWords(right, after)),
  };
}

/** Draws a dashboard of both sides with the tiles that differ marked. If only one side has the dashboard, draws that one. */
function drawings(
  [left, right]: Sides<StackRecord | undefined>,
  { members }: RecordChange,
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
