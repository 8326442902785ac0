import { recordBlocksOf, itemsOf } from "../document.ts";
import { readStackModel } from "../model/stack.ts";
import { planDocument, type PlannedRun } from "../view/plan.ts";
import { documentPage } from "./document-page.ts";
import { describeByKind } from "./records.ts";
import { recordKey } from "../../core/records/record.ts";

export interface PlanReport extends Omit<PlannedRun, "whole"> {
  readonly factsSummary: string;
  /** The program that made the page. */
  readonly madeBy: string;
}

/** Renders an import or a rollback as one HTML page, each record drawn or in words. */
export function planPage({ factsSummary, madeBy, ...run }: PlanReport): string {
  const document = planDocument({ ...run, whole: true });
  const items = recordBlocksOf(document.blocks).flatMap(itemsOf);
  const places = new Set(items.map(({ kind, id }) => recordKey(kind, id)));
  const model = readStackModel(run.records, (kind, id) => places.has(recordKey(kind, id)));
  return documentPage(document, {
    contentOf: ({ kind, id }) => {
      const record = model.find(kind, id);
      return record === undefined ? undefined : describeByKind(record, model);
    },
    factsSummary,
    emptyText: "There is nothing to do.",
    madeBy,
  });
}
