import type { Outcome } from "../../core/outcome.ts";
import type { Plan } from "../../core/plan/plan.ts";
import type { StackIdentity, StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { Html } from "../html.ts";
import { html } from "../html.ts";
import { readStack } from "../model/stack.ts";
import { facetOf, kindFacet, stateGlance } from "../page/facets.ts";
import { addressOf, metadata, minuteText, shortAddressOf, timeText } from "../page/parts.ts";
import { renderPage } from "../page/render-page.ts";
import { outcomeSections, outcomeSentences } from "../sections/outcomes.ts";
import { matchSection, plannedItem, unresolvedNotes, viewSections } from "../sections/plan.ts";
import { stateWord, titleCounts } from "../view/outcomes.ts";
import { planView } from "../view/plan.ts";
import type { Writer } from "../view/sections.ts";

/** An import plan and, if it was applied, its outcomes. */
export interface PlanReport {
  /**
   * The name of the import's source for the title: the file of an archive, or the name of a stack. Default: the source's address.
   */
  readonly imported?: string | undefined;
  /** The path of the archive; undefined in a migration, whose archive is temporary. */
  readonly archive: string | undefined;
  readonly contentDigest: string;
  readonly source: StackIdentity;
  readonly target: StackIdentity;
  /** The configured name of the target, if it has one. */
  readonly targetName?: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly plan: Plan;
  /** The archive's records. */
  readonly records: readonly StackRecord[];
  /** Present if the plan was applied. */
  readonly outcomes?: readonly Outcome[];
  /** The origin of the content that was written. */
  readonly writer?: Writer | undefined;
  readonly madeBy: string;
}

/** Renders an import as one HTML page: outcomes and reasons, the failures first, then the writes, then the rest. */
export function planPage(report: PlanReport): string {
  const { source, plan, records, outcomes, target } = report;
  const { imported = shortAddressOf(source), targetName = shortAddressOf(target) } = report;
  const view = planView(plan, { outcomes, whole: true, writer: report.writer });
  const { rows, tense } = view;
  const rowKeys = new Set(rows.map(({ kind, id }) => recordKey(kind, id)));
  const model = readStack(records, (kind, id) => rowKeys.has(recordKey(kind, id)));
  const states = rows.map(({ state }) => state);
  // Unresolved references are shown with the records that they block.
  const [first = false, ...others] = outcomeSections(rows, tense, {
    itemOf: (record) => plannedItem(record, model),
    above: { blocked: unresolvedNotes(plan, model) },
  });
  return renderPage({
    eyebrow: outcomes === undefined ? "Plan: nothing is written yet" : "Result of an import",
    title: `Import of ${imported} into ${targetName}: ${titleCounts(rows, tense)}`,
    lead: html`<p class="outcome">${outcomeSentences(rows, tense)}</p>
      ${stateGlance(states)}${metadataOf(report)}${warningsOf(plan)}`,
    facets: [kindFacet(rows.map(({ kind }) => kind)), facetOf("state", "Outcomes", states, stateWord)],
    sections: [first, ...viewSections(view, model), ...others, matchSection(plan, model)],
    nothing: "There is nothing to do.",
    madeBy: report.madeBy,
  });
}

function metadataOf({ archive, contentDigest, source, target, at }: PlanReport): Html {
  return metadata(`From ${shortAddressOf(source)}, ${minuteText(at)}`, [
    ["From", addressOf(source)],
    ["To", addressOf(target)],
    ...(archive === undefined ? [] : [["Archive", archive] as const]),
    ["Content digest", html`<code>${contentDigest}</code>`],
    ["Time", timeText(at)],
  ]);
}

function warningsOf({ warnings }: Plan): Html {
  return html`${warnings.map(
    ({ message, pointer }) =>
      html`<p class="note warnnote">${message}${pointer !== undefined && html` <code>${pointer}</code>`}</p>`,
  )}`;
}
