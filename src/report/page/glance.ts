import { html } from "../html.ts";
import type { Html, Part } from "../html.ts";
import { numberText } from "../number-text.ts";
import { badge } from "./badge.ts";
import { facetOf } from "./facet.ts";

/** What a page holds, in a few large numbers. */
export function glance(cards: readonly { readonly count: number; readonly what: Part }[]): Html {
  return html`<ul class="glance">
    ${cards.map(({ count, what }) => html`<li><b>${numberText(count)}</b><span>${what}</span></li>`)}
  </ul>`;
}

/** How many records are in each state, in the order in which the states come. */
export function stateGlance(states: readonly string[]): Html {
  const { values } = facetOf("state", "", states, (state) => state);
  return glance(values.map(({ value, count }) => ({ count, what: badge(value) })));
}
