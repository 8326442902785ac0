import { nounOf, inReadingOrder } from "../../kinds/registry.ts";
import type { Html, Part } from "./html.ts";
import { html } from "./html.ts";
import { countText, details, section, titleOf } from "./parts.ts";
import type { Tense, OutcomeState } from "../view/outcomes.ts";
import { groupByOutcome, place, rowOf } from "../view/outcomes.ts";
import { upperFirst } from "../../core/text/format.ts";

/** The content of the outcomes' sections: the function that renders a record, and, by outcome, content to put above the records. */
export interface OutcomeContent<Item extends OutcomeState> {
  readonly itemOf: (item: Item) => Html;
  readonly above?: Readonly<Record<string, Part>>;
}

/** Renders a section for each outcome, with the records of that outcome by kind. */
export function outcomeSections<Item extends OutcomeState>(
  records: readonly Item[],
  tense: Tense,
  { itemOf, above = {} }: OutcomeContent<Item>,
): Html[] {
  return groupByOutcome(records).map(({ row, items }) => {
    const kinds = inReadingOrder([...new Set(items.map(({ kind }) => kind))], (kind) => kind);
    const parts = kinds.map((kind) => {
      const ofKind = items.filter((item) => item.kind === kind);
      return html`<div data-section="">
        <h3>${titleOf(kind)} <span class="count">${ofKind.length}</span></h3>
        ${ofKind.map(itemOf)}
      </div>`;
    });
    const title = upperFirst(row.counted[place(tense)]);
    const content = [above[row.id], parts];
    const list = kinds.map((kind) => titleOf(kind).toLowerCase());
    return section(
      row.id,
      title,
      items.length,
      row.folded ? details(`Show ${joinWithAnd(list)}`, content, "fold") : content,
    );
  });
}

/** Describes the outcomes in sentences, the failures first. Each sentence counts the records of an outcome by kind. */
export function outcomeSentences(records: readonly OutcomeState[], tense: Tense): string {
  const sentences = groupByOutcome(records).map(({ row, items }) => {
    const kinds = inReadingOrder([...new Set(items.map(({ kind }) => kind))], (kind) => kind);
    const what = kinds.map((kind) => countText(items.filter((item) => item.kind === kind).length, nounOf(kind)));
    const codes = row.isBad ? [...new Set(items.map(({ code }) => code).filter((code) => code !== ""))] : [];
    const says =
      items.length === 1
        ? row.says[place(tense)].replace(/^were /, "was ").replace(/^are /, "is ")
        : row.says[place(tense)];
    return `${joinWithAnd(what)} ${says}${codes.length > 0 ? ` (${codes.join(", ")})` : ""}.`;
  });
  const clean = records.some(({ state }) => rowOf(state)?.isBad) ? [] : [tense === "done" ? "Nothing failed." : ""];
  return [...clean, ...sentences].filter((text) => text !== "").join(" ");
}

/** Joins texts to a list: `2 sources, 3 dashboards and 12 alerts`. */
function joinWithAnd(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}`;
}
