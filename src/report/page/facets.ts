import type { KindName } from "../../core/records/record.ts";
import { inReadingOrder } from "../../kinds/registry.ts";
import type { Html, Part } from "../html.ts";
import { html } from "../html.ts";
import { numberText } from "../model/query.ts";
import { badge } from "./parts.ts";
import { titleOf } from "./record-item.ts";

/** A choice of what is shown: all records of a kind, or all of a state. */
export interface Facet {
  /** The data attribute that it looks at, and what the group of buttons is called. */
  readonly name: "kind" | "state";
  readonly label: string;
  readonly values: readonly { readonly value: string; readonly label: string; readonly count: number }[];
}

/** The choice between the values that records have, in the order in which they come. */
export function facetOf(
  name: Facet["name"],
  label: string,
  values: readonly string[],
  wordFor: (value: string) => string,
): Facet {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return { name, label, values: [...counts].map(([value, count]) => ({ value, label: wordFor(value), count })) };
}

/** The choice between kinds, in the order in which the page has them. */
export function kindFacet(values: readonly KindName[]): Facet {
  return facetOf(
    "kind",
    "Kinds",
    inReadingOrder(values, (kind) => kind),
    titleOf,
  );
}

/** What a page holds, in a few large numbers. */
export function glance(cards: readonly { readonly count: number; readonly what: Part }[], more = ""): Html {
  return html`<ul class="glance ${more}">
    ${cards.map(({ count, what }) => html`<li><b>${numberText(count)}</b><span>${what}</span></li>`)}
  </ul>`;
}

/** How many records are in each state, in the order in which the states come. */
export function stateGlance(states: readonly string[]): Html {
  const { values } = facetOf("state", "", states, (state) => state);
  const cards = values.map(({ value, count }) => ({ count, what: badge(value) }));
  // The title and the sentence below it say the same.
  return glance(cards, "spare");
}
