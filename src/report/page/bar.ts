import { html } from "../html.ts";
import type { Html } from "../html.ts";
import { numberText } from "../number-text.ts";
import type { Facet } from "./facet.ts";

/** What a reader finds records with: a search field, a button for every choice, and how many are shown. */
export function bar(facets: readonly Facet[]): Html {
  return html`<div class="bar" role="search">
    <div class="wrap">
      <div class="find">
        <label for="q">Search</label
        ><input id="q" type="search" autocomplete="off" spellcheck="false" placeholder="name, id, tag, tile, source" />
      </div>
      ${facets
        .filter(({ values }) => values.length > 1)
        .map(
          ({ name, label, values }) =>
            html`<div class="facets" role="group" aria-label="${label}">
              <button type="button" data-facet="${name}" data-value="" aria-pressed="true">
                All ${label.toLowerCase()}</button
              >${values.map(
                ({ value, label: text, count }) =>
                  html`<button type="button" data-facet="${name}" data-value="${value}" aria-pressed="false">
                    ${text} ${numberText(count)}
                  </button>`,
              )}
            </div>`,
        )}
      <div class="told">
        <span id="told" role="status"></span
        ><span
          ><span class="keys"><kbd>/</kbd> search · <kbd>↓</kbd> <kbd>↑</kbd> move · <kbd>Enter</kbd> open · </span
          ><button type="button" id="open" aria-pressed="false">Open all shown</button></span
        >
      </div>
    </div>
  </div>`;
}
