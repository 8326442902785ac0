import { createHash } from "node:crypto";
import { renderSymbols } from "./tile-symbols.ts";
import { html, markupOf, trustedMarkup, type Html, type HtmlPart } from "./html.ts";
import { numberText } from "../model/query.ts";
import { groupByKind } from "../view/outcomes.ts";
import { kindTitle } from "../view/words.ts";
import { PAGE_SCRIPT } from "./page-script.ts";
import { PAGE_STYLE } from "./page-style.ts";
import type { KindName } from "../../core/records/record.ts";
import { sortForReading } from "../../kinds/registry.ts";
import { stateBadge } from "./parts.ts";

export interface PageParts {
  /** The kind of page, in a word or two. */
  readonly eyebrow: string;
  readonly title: string;
  readonly lead: Html;
  readonly facets: readonly Facet[];
  readonly sections: readonly (Html | false)[];
  /** The text that a page without sections shows. */
  readonly emptyText?: string;
  /** The program that made the page, for the footer. */
  readonly madeBy: string;
}

/**
 * Renders the whole page as text. The page loads nothing: its content security policy allows only its own style and script, by
 * their digests.
 */
export function renderPage(parts: PageParts): string {
  const policy = [
    "default-src 'none'",
    `style-src '${digest(PAGE_STYLE)}'`,
    `script-src '${digest(PAGE_SCRIPT)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const isEmpty = parts.sections.every((section) => section === false);
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content="${policy}" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="referrer" content="no-referrer" />
      <meta name="color-scheme" content="light dark" />
      <title>${parts.title}</title>
      ${trustedMarkup(`<style>${PAGE_STYLE}</style>`)}
    </head>
    <body>
      <a class="skip" href="#content">Skip to the records</a>${renderSymbols()}
      <header class="top">
        <div class="wrap">
          <p class="eyebrow">${parts.eyebrow}</p>
          <h1>${parts.title}</h1>
          ${parts.lead}
        </div>
      </header>
      ${isEmpty ? html`` : bar(parts.facets)}
      <main id="content" class="wrap" tabindex="-1">
        ${isEmpty ? html`<p class="empty">${parts.emptyText ?? "There are no records."}</p>` : parts.sections}
        <p class="empty" id="none" hidden>Nothing matches. <kbd>Esc</kbd> in the search field clears it.</p>
      </main>
      <footer>
        <div class="wrap">Made by ${parts.madeBy}. This page is one file and asks the network for nothing.</div>
      </footer>
      ${trustedMarkup(`<script>${PAGE_SCRIPT}</script>`)}
    </body>
  </html> `;
  return `<!doctype html>\n${markupOf(page)}`;
}

function digest(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** Renders the search bar: a field, a button for every filter value, and the number of records shown. */
function bar(facets: readonly Facet[]): Html {
  return html`<div class="bar" role="search">
    <div class="wrap">
      <div class="find">
        <label for="q">Search</label
        ><input id="q" type="search" autocomplete="off" spellcheck="false" placeholder="name, id, tag, tile, source" />
      </div>
      <details class="filters roomy" open>
        <summary>Filter</summary>
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
      </details>
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

export interface Facet {
  /** The data attribute to filter by, and the name of the group of buttons. */
  readonly name: "kind" | "state";
  readonly label: string;
  readonly values: readonly { readonly value: string; readonly label: string; readonly count: number }[];
}

/** Makes a filter with a button for each value that occurs, in order of first occurrence. */
export function createFacet(
  name: Facet["name"],
  label: string,
  values: readonly string[],
  wordFor: (value: string) => string,
): Facet {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return { name, label, values: [...counts].map(([value, count]) => ({ value, label: wordFor(value), count })) };
}

export function createKindFacet(values: readonly KindName[]): Facet {
  return createFacet(
    "kind",
    "Kinds",
    sortForReading(values, (kind) => kind),
    kindTitle,
  );
}

/** Renders a summary of the page: a few large numbers, each with its meaning. */
function summaryCards(cards: readonly { readonly count: number; readonly what: HtmlPart }[], more: string): Html {
  return html`<ul class="glance ${more}">
    ${cards.map(({ count, what }) => html`<li><b>${numberText(count)}</b><span>${what}</span></li>`)}
  </ul>`;
}

/** Renders the number of records of each kind. */
export function kindSummary(records: readonly { readonly kind: KindName }[]): Html {
  const cards = groupByKind(records).map(([kind, { length }]) => ({ count: length, what: kindTitle(kind) }));
  return summaryCards(cards, "");
}

/** Renders the number of records in each state, in order of first occurrence. */
export function stateSummary(states: readonly string[]): Html {
  const { values } = createFacet("state", "", states, (state) => state);
  const cards = values.map(({ value, count }) => ({ count, what: stateBadge(value) }));
  // Hidden on a narrow screen ("spare"), because the title and the sentence below it have the same numbers.
  return summaryCards(cards, "spare");
}
