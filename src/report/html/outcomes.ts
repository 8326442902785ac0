import { nounOf } from "../../kinds/nouns.ts";
import { html, type Html, type HtmlPart } from "./html.ts";
import { countText, disclosure, pageSection, kindTitle } from "./parts.ts";
import { groupByKind, type OutcomeGroup, type OutcomeState, type Tense } from "../view/outcomes.ts";
import { upperFirst } from "../../core/text/format.ts";

/** Joins texts to a list: `2 sources, 3 dashboards and 12 alerts`. */
const LIST = new Intl.ListFormat("en-GB");

/** @param above by outcome, content to put above the records */
export function outcomeSections<Item extends OutcomeState>(
  outcomes: readonly OutcomeGroup<Item>[],
  tense: Tense,
  itemOf: (item: Item) => Html,
  above: Readonly<Record<string, HtmlPart>> = {},
): Html[] {
  return outcomes.map(({ row, items }) => {
    const groups = groupByKind(items);
    const parts = groups.map(
      ([kind, group]) =>
        html`<div data-section="">
          <h3>${kindTitle(kind)} <span class="count">${group.length}</span></h3>
          ${group.map(itemOf)}
        </div>`,
    );
    const content = [above[row.id], parts];
    const summary = `Show ${LIST.format(groups.map(([kind]) => kindTitle(kind).toLowerCase()))}`;
    const body = row.isFolded ? disclosure(summary, content, "fold") : content;
    return pageSection(row.id, upperFirst(row.countText[tense]), items.length, body);
  });
}

/** Describes the outcomes in sentences, the failures first. Each sentence counts the records of an outcome by kind. */
export function outcomeSentences(outcomes: readonly OutcomeGroup<OutcomeState>[], tense: Tense): string {
  const sentences = outcomes.map(({ row, items }) => {
    const what = groupByKind(items).map(([kind, group]) => countText(group.length, nounOf(kind)));
    const codes = row.isFailure ? [...new Set(items.map(({ code }) => code).filter((code) => code !== ""))] : [];
    const words = row.predicate[tense];
    const says = items.length === 1 ? words.replace(/^were /, "was ").replace(/^are /, "is ") : words;
    return `${LIST.format(what)} ${says}${codes.length > 0 ? ` (${codes.join(", ")})` : ""}.`;
  });
  const clean = outcomes.some(({ row }) => row.isFailure) ? [] : [tense === "done" ? "Nothing failed." : ""];
  return [...clean, ...sentences].filter((text) => text !== "").join(" ");
}
