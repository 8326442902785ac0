import { numberText } from "../number-text.ts";
import { createHash } from "node:crypto";
import { html, markupOf, trusted } from "../html.ts";
import type { Html } from "../html.ts";
import { symbols } from "../drawing/symbols.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

/** A choice of what is shown: all records of a kind, or all of a state. */
export interface Facet {
  /** The data attribute that it looks at, and what the group of buttons is called. */
  readonly name: "kind" | "state";
  readonly label: string;
  readonly values: readonly { readonly value: string; readonly label: string; readonly count: number }[];
}

/** A page in parts. */
export interface PageParts {
  /** What kind of page it is, in a word or two. */
  readonly eyebrow: string;
  readonly title: string;
  readonly lead: Html;
  readonly facets: readonly Facet[];
  readonly sections: readonly (Html | false)[];
  /** Who made the page, for its foot. */
  readonly madeBy: string;
}

/**
 * The whole page as text. It loads nothing, from anywhere: the policy allows the one style and the one script by their
 * digests, and nothing else at all.
 */
export function renderPage(parts: PageParts): string {
  const policy = [
    "default-src 'none'",
    `style-src '${digest(STYLE)}'`,
    `script-src '${digest(SCRIPT)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content="${policy}" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="referrer" content="no-referrer" />
      <meta name="color-scheme" content="light dark" />
      <title>${parts.title} · ${parts.eyebrow}</title>
      ${trusted(`<style>${STYLE}</style>`)}
    </head>
    <body>
      <a class="skip" href="#content">Skip to the records</a>${symbols()}
      <header class="top">
        <div class="wrap">
          <p class="eyebrow">${parts.eyebrow}</p>
          <h1>${parts.title}</h1>
          ${parts.lead}
        </div>
      </header>
      ${bar(parts.facets)}
      <main id="content" class="wrap" tabindex="-1">${parts.sections}</main>
      <footer>
        <div class="wrap">Made by ${parts.madeBy}. This page is one file and asks the network for nothing.</div>
      </footer>
      ${trusted(`<script>${SCRIPT}</script>`)}
    </body>
  </html> `;
  return `<!doctype html>\n${markupOf(page)}`;
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

function bar(facets: readonly Facet[]): Html {
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

function digest(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
