import type { Outcome } from "../../core/outcome.ts";
import type { Plan } from "../../core/plan.ts";
import type { StackIdentity, StackRecord } from "../../core/record.ts";
import { recordKey } from "../../core/record.ts";
import type { Html } from "../html.ts";
import { html } from "../html.ts";
import { nounOf } from "../../kinds/id-spaces.ts";
import { readStack } from "../model/stack.ts";
import { facetOf, kindFacet, stateGlance } from "../page/facets.ts";
import { addressOf, facts, nameOr, shortAddressOf, timeText } from "../page/parts.ts";
import { renderPage } from "../page/render-page.ts";
import {
  annotatePlan,
  leftAloneSection,
  matchSection,
  statesOf,
  toFillSection,
  unresolvedSection,
} from "../sections/plan.ts";
import { removalsSection } from "../sections/removals.ts";
import { recordSections } from "../sections/records.ts";

/** An import: what it would do, or with outcomes, what it did. */
export interface PlanReport {
  readonly archive: string;
  readonly contentDigest: string;
  readonly source: StackIdentity;
  readonly target: StackIdentity;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly plan: Plan;
  /** The archive's records. */
  readonly records: readonly StackRecord[];
  /** Of a plan that was carried out. */
  readonly outcomes?: readonly Outcome[];
  readonly madeBy: string;
}

/** An import as one HTML page: what maps to what, and for every record what is, or was, done with it and why. */
export function planPage(report: PlanReport): string {
  const { plan, records, outcomes, target } = report;
  const inPlan = new Set(plan.items.map(({ kind, sourceId }) => recordKey(kind, sourceId)));
  const removed = (plan.mirror?.removals ?? []).map(({ kind, sourceId }) => recordKey(kind, sourceId));
  const planned = new Set([...inPlan, ...removed]);
  const model = readStack(records, (kind, id) => inPlan.has(recordKey(kind, id)));
  const states = statesOf(plan, outcomes);
  const shown = records.filter(({ kind, id }) => inPlan.has(recordKey(kind, id)));
  return renderPage({
    eyebrow: outcomes === undefined ? "Plan of an import: nothing is written" : "Import",
    title: `Onto ${shortAddressOf(target)}`,
    lead: html`${factsOf(report)}${stateGlance(states)}${warningsOf(plan)}${otherEnds(outcomes ?? [], planned)}`,
    facets: [kindFacet(shown.map(({ kind }) => kind)), facetOf("state", "Actions", states, (state) => state)],
    sections: [
      unresolvedSection(plan),
      toFillSection(plan, model),
      removalsSection(plan, outcomes),
      leftAloneSection(plan),
      matchSection(plan, model),
      ...recordSections(model, annotatePlan(plan, outcomes, model)),
    ],
    madeBy: report.madeBy,
  });
}

function factsOf({ archive, contentDigest, source, target, at }: PlanReport): Html {
  return facts([
    ["From", addressOf(source)],
    ["To", addressOf(target)],
    ["Archive", archive],
    ["Content digest", html`<code>${contentDigest}</code>`],
    ["Time", timeText(at)],
  ]);
}

/** What became of records of the target that are none of the archive's. */
function otherEnds(outcomes: readonly Outcome[], planned: ReadonlySet<string>): Html {
  const others = outcomes.filter(({ kind, sourceId }) => !planned.has(recordKey(kind, sourceId)));
  return html`${others.map(
    ({ kind, name, targetId = "", code = "", message = "" }) =>
      html`<p class="note badnote"><b>${code}</b> ${nounOf(kind)} ${nameOr(name, targetId)}: ${message}</p>`,
  )}`;
}

function warningsOf({ warnings }: Plan): Html {
  return html`${warnings.map(
    ({ message, pointer }) =>
      html`<p class="note warnnote">${message}${pointer !== undefined && html` <code>${pointer}</code>`}</p>`,
  )}`;
}
