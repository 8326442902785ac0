import type { KindName } from "../../core/records/record.ts";
import { inReadingOrder } from "../../kinds/registry.ts";
import type { Html, Part } from "../html.ts";
import { html } from "../html.ts";
import { numberText } from "../model/query.ts";
import { badge } from "./parts.ts";
import { titleOf } from "./record-item.ts";

/** A filter of the page: by kind, or by state. */
export interface Facet {
  /** The data attribute that it filters by, and the name of its group of buttons. */
  readonly name: "kind" | "state";
  readonly label: string;
  readonly values: readonly { readonly value: string; readonly label: string; readonly count: number }[];
}

/** A filter by the values that occur, in order of first occurrence. */
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

/** The filter by kind, in the order of the page. */
export function kindFacet(values: readonly KindName[]): Facet {
  return facetOf(
    "kind",
    "Kinds",
    inReadingOrder(values, (kind) => kind),
    titleOf,
  );
}

/** The content of a page in a few large numbers. */
export function glance(cards: readonly { readonly count: number; readonly what: Part }[], more = ""): Html {
  return html`<ul class="glance ${more}">
    ${cards.map(({ count, what }) => html`<li><b>${numberText(count)}</b><span>${what}</span></li>`)}
  </ul>`;
}

/** The number of records in each state, in order of first occurrence. */
export function stateGlance(states: readonly string[]): Html {
  const { values } = facetOf("state", "", states, (state) => state);
  const cards = values.map(({ value, count }) => ({ count, what: badge(value) }));
  // Hidden on a narrow screen ("spare"), because the title and the sentence below it say the same.
  return glance(cards, "spare");
}
