import type { Outcome } from "../../core/outcome.ts";
import { keyOfRecord, recordKey, splitKey, type StackIdentity, type StackRecord } from "../../core/records/record.ts";
import { ownMember } from "../../core/json.ts";
import { html, type Html, type HtmlPart } from "./html.ts";
import { readStackModel, type StackModel } from "../model/stack.ts";
import { createFacet, createKindFacet, stateSummary, renderPage } from "./page.ts";
import {
  addressInWords,
  metadataDetails,
  minuteText,
  shortAddressOf,
  timeText,
  anchorOf,
  codeText,
  countText,
  disclosure,
  factList,
  isShortTable,
  joinHtml,
  linkTo,
  linksToRecords,
  nameOrId,
  pageNote,
  htmlTable,
  extraSection,
  recordItem,
} from "./parts.ts";
import { outcomeSections, outcomeSentences } from "./outcomes.ts";
import { groupByOutcome, stateWord, titleCounts } from "../view/outcomes.ts";
import { planView, type PlanRow, type PlanView } from "../view/plan.ts";
import {
  itemKey,
  limitCandidates,
  type Plan,
  type AlteredMember,
  type MappedMember,
  type PlanItem,
} from "../../core/plan/plan.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { UNMATCHED_REASONS, type ContentOrigin, type ViewLine } from "../view/sections.ts";
import { describeRecord } from "./records.ts";

export interface PlanReport {
  /**
   * The name of the import's source for the title: the file of an archive, or the name of a stack. Default: the source's address.
   */
  readonly sourceName?: string | undefined;
  /** The path of the archive; undefined in a migration, whose archive is temporary. */
  readonly archive: string | undefined;
  readonly contentDigest: string;
  readonly source: StackIdentity;
  readonly target: StackIdentity;
  /** The configured name of the target, if it has one. */
  readonly targetName?: string;
  /** Time of the plan or of the import, ISO 8601, UTC. */
  readonly at: string;
  readonly plan: Plan;
  readonly records: readonly StackRecord[];
  /** The outcomes of the import; absent if the plan was not applied. */
  readonly outcomes?: readonly Outcome[];
  /** The origin of the written content, for sentences such as `overwritten with the backup's`. */
  readonly writer?: ContentOrigin | undefined;
  readonly madeBy: string;
}

/** Renders an import as one HTML page: outcomes and reasons, the failures first, then the writes, then the rest. */
export function planPage(report: PlanReport): string {
  const { source, plan, records, outcomes, target } = report;
  const { sourceName: imported = shortAddressOf(source), targetName = shortAddressOf(target) } = report;
  const view = planView(plan, { outcomes, whole: true, writer: report.writer });
  const { rows, tense } = view;
  const rowKeys = new Set(rows.map(keyOfRecord));
  const model = readStackModel(records, (kind, id) => rowKeys.has(recordKey(kind, id)));
  const states = rows.map(({ state }) => state);
  const groups = groupByOutcome(rows);
  // Unresolved references are shown with the records that they block.
  const [first = false, ...others] = outcomeSections(groups, tense, (record) => plannedItem(record, model), {
    blocked: unresolvedNotes(plan, model),
  });
  return renderPage({
    eyebrow: outcomes === undefined ? "Plan: nothing is written yet" : "Result of an import",
    title: `Import of ${imported} into ${targetName}: ${titleCounts(groups, tense)}`,
    lead: html`<p class="outcome">${outcomeSentences(groups, tense)}</p>
      ${stateSummary(states)}${metadataOf(report)}${warningsOf(plan)}`,
    facets: [createKindFacet(rows.map(({ kind }) => kind)), createFacet("state", "Outcomes", states, stateWord)],
    sections: [first, ...viewSections(view, model), ...others, matchSection(plan, model)],
    emptyText: "There is nothing to do.",
    madeBy: report.madeBy,
  });
}

function metadataOf({ archive, contentDigest, source, target, at }: PlanReport): Html {
  return metadataDetails(`From ${shortAddressOf(source)}, ${minuteText(at)}`, [
    ["From", addressInWords(source)],
    ["To", addressInWords(target)],
    ["Archive", archive],
    ["Content digest", codeText(contentDigest)],
    ["Time", timeText(at)],
  ]);
}

function warningsOf({ warnings }: Plan): Html[] {
  return warnings.map(({ message, pointer }) =>
    pageNote([message, pointer !== undefined && html` <code>${pointer}</code>`], false),
  );
}

/** Renders a record with its action and the reason. If the archive lacks the record, shows only the facts in the plan. */
function plannedItem({ kind, id, name, state, code, reason, item, outcome }: PlanRow, model: StackModel): Html {
  const note = item === undefined ? factList([["On the target", codeText(id)]]) : noteOf(item, outcome, model);
  const verdict = { state, reason: reasonWithCode(code, reason), code, note };
  const record = model.find(kind, id);
  if (record !== undefined) return describeRecord(record, model, verdict);
  return recordItem({ kind, id, name, ...verdict, about: "", searchTexts: [code], content: note });
}

function reasonWithCode(code: string, reason: string): Html | undefined {
  if (code === "" && reason === "") return undefined;
  return html`${code !== "" && html`<b>${code}</b> `}${reason}`;
}

function noteOf(item: PlanItem, outcome: Outcome, model: StackModel): Html {
  const targetId = outcome.targetId ?? item.targetId;
  const nameTerm = item.action === "update" ? "Name that is overwritten" : "Name on the target";
  return factList([
    ["On the target", codeText(targetId)],
    [nameTerm, item.targetName],
    ["Changed at the source since the last import", item.since?.source.join(", ")],
    ["Changed on the target since the last import", item.since?.target.join(", ")],
    ["The map file gives", mappedNote(item.mapped)],
    ["Waits for", joinHtml(item.dependsOn.map((key) => linkTo(model, ...splitKey(key))))],
    ["Linked afterwards to", joinHtml(item.linksTo.map((key) => linkTo(model, ...splitKey(key))))],
    ["Changed by the target's transforms", changesOf(item.transformed)],
    ["Fitted", changesOf(item.fitted)],
    ["Ids rewritten in", codeText(item.rewrites.join(", "))],
  ]);
}

function mappedNote(mapped: readonly MappedMember[] = []): HtmlPart {
  return joinHtml(
    mapped.map(
      ({ member, from, to }) =>
        html`${member} <code>${to}</code>${from !== undefined && html` in place of <code>${from}</code>`}`,
    ),
  );
}

/** Lists the changes between a record's archived form and its written form. */
function changesOf(changes: readonly AlteredMember[] = []): HtmlPart {
  const items = changes.map(({ pointer, change }) => html`<li><code>${pointer}</code> ${change}</li>`);
  return items.length > 0 && plainList(items);
}

/** The matching rules in words. A rule that is not listed is shown by its name. */
const RULES: Readonly<Record<string, string>> = {
  "map-file": "the map file says so",
  state: "an earlier import has matched or written it",
  "file-name": "the name of its file",
  "same-id": "the same id",
  "equal-content": "the same content",
  "natural-key": "the same name and content",
  inferred: "inferred from records that were matched",
  default: "the default that was named",
  "in-use": "the target's records use it",
};

/** Renders each unmatched reference with the records that it blocks and the candidates for a match. */
function unresolvedNotes({ unresolved, items }: Plan, model: StackModel): Html | false {
  if (unresolved.length === 0) return false;
  const blocked = new Set(items.filter(({ action }) => action === "blocked").map(itemKey));
  const notes = unresolved.map((entry) => {
    const { space, id, name, reason, candidates, neededBy } = entry;
    const { some, more: hiddenCount } = limitCandidates(entry);
    const choices = [
      ...some.map(({ id: other, name: otherName }) => html`<li>${nameWithId(otherName, other)}</li>`),
      ...(hiddenCount > 0 ? [html`<li>and ${hiddenCount} more</li>`] : []),
    ];
    const waiting = model.neededBy(recordKey(space, id)).filter((record) => blocked.has(keyOfRecord(record)));
    const links = linksToRecords(model, waiting);
    const more = choices.length > 0 && disclosure(countText(candidates.length, "candidate"), plainList(choices));
    const others = waiting.length - neededBy;
    const rest = others > 0 ? `, ${others} more ${others === 1 ? "points" : "point"} to it` : "";
    const need = `${countText(neededBy, "record")} ${neededBy === 1 ? "needs" : "need"} it`;
    const says = html`<b>${nounOf(space)} ${nameOrId(name, id)}</b> ${UNMATCHED_REASONS[reason]}; ${need}${rest}`;
    if (waiting.length === 0) return html`<div class="note badnote">${says}${more}</div>`;
    return disclosure(says, [links, more], "note badnote roomy");
  });
  return html`${notes}
    <p class="soft">
      Name ${unresolved.length === 1 ? "it" : "them"} in a map file: <code>--draft-map map.yaml</code> drafts one,
      <code>--map map.yaml</code> imports with it.
    </p>`;
}

/**
 * Ids of the sections of the view that the page shows in another form: as outcomes, as notes on unmatched records, or as warnings.
 */
const SECTIONS_SHOWN_ELSEWHERE: readonly string[] = [
  "failures",
  "left-alone-reasons",
  "unmatched",
  "exposed",
  "may-hide",
];

/** Renders the sections of a view; the longer ones are closed at first. */
function viewSections({ sections }: PlanView, model: StackModel): Html[] {
  const ownSections = sections.filter(({ id }) => !SECTIONS_SHOWN_ELSEWHERE.includes(id));
  return ownSections.map(({ id, title, lines, next }) => {
    return extraSection({
      kind: id,
      heading: title,
      count: lines.length,
      searchLabel: title.toLowerCase(),
      about: next ?? "",
      searchText: lines.flatMap(({ text, inner = [] }) => [text, ...inner.map((line) => line.text)]).join(" "),
      isOpen: isShortTable(lines),
      content: plainList(lines.map((line) => lineItem(line, model))),
    });
  });
}

function plainList(items: readonly Html[]): Html {
  return html`<ul class="plain">
    ${items}
  </ul>`;
}

function lineItem({ mark, text, inner = [], record }: ViewLine, model: StackModel): Html {
  const [kind, id] = record === undefined ? ["", ""] : splitKey(record);
  const words = model.isOnPage(kind, id) ? html`<a href="#${anchorOf(kind, id)}">${text}</a>` : text;
  return html`<li>
    ${mark !== "" && html`<code>${mark}</code> `}${words}
    ${inner.length > 0 && plainList(inner.map((innerLine) => lineItem(innerLine, model)))}
  </li>`;
}

/** Renders the matches between archive and target; they are closed at first, because few people need them. */
function matchSection({ matches }: Plan, model: StackModel): Html | false {
  const whole = matches.filter(({ space }) => !space.includes("/"));
  if (whole.length === 0) return false;
  const rows = whole.map(({ space, from, to, name, targetName, rule, unverified }) => [
    nounOf(space),
    model.find(space, from) === undefined ? nameWithId(name, from) : linkTo(model, space, from),
    nameWithId(targetName, to),
    `${ownMember(RULES, rule) ?? rule}${unverified === true ? "; not verified, as the target has no list of them" : ""}`,
  ]);
  return extraSection({
    kind: "matches",
    heading: "Matches",
    count: whole.length,
    searchLabel: "the matches",
    title: "Matched records, and what matched them",
    about: "names and ids of both sides",
    searchText: whole.map(({ name, targetName }) => `${name} ${targetName}`).join(" "),
    content: htmlTable("Matches", ["What", "In the archive", "On the target", "Recognised by"], rows),
  });
}

/** Renders a name and an id; only the id if the name is empty or equal to the id. */
function nameWithId(name: string, id: string): Html {
  return name.trim() === "" || name === id ? html`<code>${id}</code>` : html`${name} <code>${id}</code>`;
}
