import type { Outcome } from "../../core/outcome.ts";
import type { Plan } from "../../core/plan/plan.ts";
import type { StackIdentity, StackRecord } from "../../core/records/record.ts";
import { recordKey, targetKey } from "../../core/records/record.ts";
import type { Html } from "../html.ts";
import { html } from "../html.ts";
import { readStack } from "../model/stack.ts";
import { facetOf, kindFacet, stateGlance } from "../page/facets.ts";
import {
  addressOf,
  metadata,
  minuteText,
  shortAddressOf,
  timeText,
  isShort,
  nameOr,
  section,
  table,
} from "../page/parts.ts";
import { renderPage } from "../page/render-page.ts";
import { outcomeSections } from "../sections/outcomes.ts";
import { byOutcome, outcomeSentences, stateWord, titleCounts } from "../view/outcomes.ts";
import { matchSection, plannedItem, plannedRecords, missingSecretsSection, unresolvedNotes } from "../sections/plan.ts";
import { nounOf } from "../../kinds/id-spaces.ts";
import { extraItem } from "../page/record-item.ts";

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
  readonly madeBy: string;
}

/** Renders an import as one HTML page: outcomes and reasons, the failures first, then the writes, then the rest. */
export function planPage(report: PlanReport): string {
  const { source, plan, records, outcomes, target } = report;
  const { imported = shortAddressOf(source), targetName = shortAddressOf(target) } = report;
  const all = byOutcome(plannedRecords(plan, outcomes));
  const shown = new Set(all.map(({ kind, id }) => recordKey(kind, id)));
  const model = readStack(records, (kind, id) => shown.has(recordKey(kind, id)));
  const tense = outcomes === undefined ? "planned" : "done";
  const states = all.map(({ state }) => state);
  // Unresolved references are shown with the records that they block.
  const [first = false, ...others] = outcomeSections(all, tense, {
    itemOf: (record) => plannedItem(record, model),
    above: { blocked: unresolvedNotes(plan, model) },
  });
  return renderPage({
    eyebrow: outcomes === undefined ? "Plan: nothing is written yet" : "Result of an import",
    title: `Import of ${imported} into ${targetName}: ${titleCounts(all, tense)}`,
    lead: html`<p class="outcome">${outcomeSentences(all, tense)}</p>
      ${stateGlance(states)}${metadataOf(report)}${warningsOf(plan)}`,
    facets: [kindFacet(all.map(({ kind }) => kind)), facetOf("state", "Outcomes", states, stateWord)],
    sections: [
      first,
      missingSecretsSection(plan, model),
      removalsSection(plan, outcomes),
      ...others,
      matchSection(plan, model),
    ],
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

/**
 * Records of the target that the source no longer has: those that are, or were, deleted, and those that are not, with the reason.
 */
function removalsSection({ mirror }: Plan, outcomes: readonly Outcome[] = []): Html | false {
  if (mirror === undefined || mirror.removals.length === 0) return false;
  const ends = new Map(
    outcomes.map((outcome) => [targetKey({ kind: outcome.kind, targetId: outcome.targetId ?? "" }), outcome]),
  );
  const rows = mirror.removals.map((removal) => {
    const { kind, name, targetId, action, code = "", message = code } = ends.get(targetKey(removal)) ?? removal;
    const status = ends.get(targetKey(removal))?.status;
    const what = action === "delete" ? (status === "done" ? "deleted" : (status ?? "delete")) : action;
    return [what, nounOf(kind), html`${nameOr(name, targetId ?? "")} <code>${targetId ?? ""}</code>`, message];
  });
  const content = extraItem({
    kind: "removals",
    called: "what the source no longer has",
    title: "Gone from the source",
    about: "what the target has, and the source no longer does",
    find: mirror.removals.map(({ name }) => name).join(" "),
    open: isShort(rows),
    content: table("Gone from the source", ["Result", "What", "Name on the target", "Why"], rows),
  });
  return section("removals", "Gone from the source", mirror.removals.length, content);
}
