import type { StackLog } from "../../core/diff.ts";
import type { StackIdentity, StackRecord } from "../../core/records/record.ts";
import { readStackModel } from "../model/stack.ts";
import { archiveDocument, type ReadArchive } from "../view/archive.ts";
import { diffDocument, logDocument, type ComparedSides } from "../view/diff.ts";
import { planDocument, type PlannedRun } from "../view/plan.ts";
import { describeRecord } from "../view/records.ts";
import { addressInWords, timeText } from "../view/words.ts";
import { documentPage, type PageContext } from "./document-page.ts";

type Page = Pick<PageContext, "madeBy" | "signal">;

/** Renders an archive as one HTML page: every dashboard drawn, every other record in words. */
export async function archivePage({ madeBy, signal, ...archive }: ReadArchive & Page): Promise<string> {
  return documentPage(archiveDocument(archive), { madeBy, signal });
}

export interface PlanReport extends Omit<PlannedRun, "whole">, Page {}

/** Renders an import or a rollback as one HTML page, each record drawn or in words. */
export async function planPage({ madeBy, ...run }: PlanReport): Promise<string> {
  return documentPage(planDocument({ ...run, whole: true }), { contentOf: contentIn(run.records), madeBy });
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

/** Renders a comparison as one HTML page: what differs in each record, and the record as it is on the right side. */
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
  // Only a removed record is listed under its id on the left side.
  const [before, after] = [contentIn(left.records), contentIn(right.records)];
  return documentPage(document, { contentOf: (item) => (item.state === "removed" ? before : after)(item), madeBy });
}

/** Makes a function that draws one of these records, or says it in words. */
function contentIn(records: readonly StackRecord[]): NonNullable<PageContext["contentOf"]> {
  const model = readStackModel(records);
  return ({ kind, id }) => {
    const record = model.find(kind, id);
    return record && describeRecord(record, model);
  };
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
  return documentPage(document, { madeBy });
}
