import type { RecordChange, StackLog } from "../../core/diff.ts";
import { recordKey, type StackIdentity, type StackRecord } from "../../core/records/record.ts";
import type { Block, RecordContent } from "../document.ts";
import { markTiles, type TileMark, type TileModel } from "../model/dashboard.ts";
import { readStackModel, type StackModel } from "../model/stack.ts";
import { archiveDocument, type ReadArchive } from "../view/archive.ts";
import { diffDocument, logDocument, type ComparedSides } from "../view/diff.ts";
import { drawingOf } from "../view/drawing.ts";
import { planDocument, type PlannedRun } from "../view/plan.ts";
import { describeRecord } from "../view/records.ts";
import { addressInWords, minuteText, timeText } from "../view/words.ts";
import { documentPage, type PageContext } from "./document-page.ts";

interface Page extends Pick<PageContext, "signal"> {
  /** The program that made the page, for the footer. */
  readonly madeBy: string;
}

/** Renders an archive as one HTML page: every dashboard drawn, every other record in words. */
export async function archivePage({ madeBy, signal, ...archive }: ReadArchive & Page): Promise<string> {
  const factsSummary = `Exported ${minuteText(archive.manifest.createdAt)}`;
  return documentPage(archiveDocument(archive), { factsSummary, emptyText: "There are no records.", madeBy, signal });
}

export interface PlanReport extends Omit<PlannedRun, "whole">, Page {
  readonly factsSummary: string;
}

/** Renders an import or a rollback as one HTML page, each record drawn or in words. */
export async function planPage({ factsSummary, madeBy, ...run }: PlanReport): Promise<string> {
  const model = readStackModel(run.records);
  return documentPage(planDocument({ ...run, whole: true }), {
    contentOf: ({ kind, id }) => {
      const record = model.find(kind, id);
      return record === undefined ? undefined : describeRecord(record, model);
    },
    factsSummary,
    emptyText: "There is nothing to do.",
    madeBy,
  });
}

export interface DiffReportSide {
  /** The side's name on the command line. */
  readonly label: string;
  readonly identity: StackIdentity;
  readonly records: readonly StackRecord[];
}

export interface DiffReport extends Pick<ComparedSides, "diff">, Page {
  readonly left: DiffReportSide;
  readonly right: DiffReportSide;
  /** Time of the comparison, ISO 8601, UTC. */
  readonly at: string;
}

/** Renders a comparison as one HTML page: both sides next to each other, with the tiles that differ marked in the drawings. */
export async function diffPage({ left, right, diff, at, madeBy }: DiffReport): Promise<string> {
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
  const byPlace = new Map(
    diff.changes.map((change) => {
      const { kind, leftId = "", rightId = leftId } = change;
      return [recordKey(kind, rightId), change];
    }),
  );
  const [before, after] = [readStackModel(left.records), readStackModel(right.records)];
  return documentPage(document, {
    contentOf: ({ kind, id }) => {
      const change = byPlace.get(recordKey(kind, id));
      return change && changeContent(change, before, after);
    },
    factsSummary: `Compared ${minuteText(at)}`,
    emptyText: "Nothing differs.",
    madeBy,
  });
}

/** Draws both sides of a record that differs, or says them in words. */
function changeContent(change: RecordChange, before: StackModel, after: StackModel): RecordContent {
  const { kind, leftId, rightId, members } = change;
  const left = leftId === undefined ? undefined : before.find(kind, leftId);
  const right = rightId === undefined ? undefined : after.find(kind, rightId);
  const [old, current] = [left && before.dashboard(left.id), right && after.dashboard(right.id)];
  const marks = old && current && markTiles(members, old.tiles, current.tiles);
  const [was, is] = [sideBlocks(left, before, marks), sideBlocks(right, after, marks)];
  return {
    about: members.length === 0 ? "" : `${members.length} ${members.length === 1 ? "change" : "changes"}`,
    searchTexts: [leftId ?? "", ...members.map(({ pointer }) => pointer)],
    blocks: was.length > 0 && is.length > 0 ? [{ is: "sides", before: was, after: is }] : [...was, ...is],
  };
}

/** Draws a dashboard of one side, or says another record in words. */
function sideBlocks(
  record: StackRecord | undefined,
  model: StackModel,
  marks: ReadonlyMap<TileModel, TileMark> | undefined,
): readonly Block[] {
  if (record === undefined) return [];
  const dashboard = model.dashboard(record.id);
  const isDrawn = record.kind === "dashboards" && dashboard !== undefined;
  return isDrawn ? [drawingOf(dashboard, model, marks)] : describeRecord(record, model).blocks;
}

export interface HistoryReport extends Page {
  readonly log: StackLog;
  /** The address of the repository, as the page shows it. */
  readonly repository: string;
  /** Time when the page was written, ISO 8601, UTC. */
  readonly at: string;
}

export async function historyPage({ log, repository, at, madeBy }: HistoryReport): Promise<string> {
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
    factsSummary: `Written ${minuteText(at)}`,
    emptyText: "No backup differs from the one before it.",
    madeBy,
  });
}
