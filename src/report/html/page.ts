import { createHash } from "node:crypto";
import { html, markupOf, trustedMarkup, type Html } from "./html.ts";
import { numberText } from "../model/query.ts";
import { kindTitle } from "../view/words.ts";
import { PAGE_SCRIPT } from "./page-script.ts";
import { PAGE_STYLE } from "./page-style.ts";
import type { KindName } from "../../core/records/record.ts";
import { sortForReading } from "../../kinds/registry.ts";

export interface PageParts {
  /** The kind of page, in a word or two. */
  readonly eyebrow: string;
  readonly title: string;
  readonly lead: Html;
  readonly facets: readonly Facet[];
  readonly sections: readonly (Html | false)[];
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
      <a class="skip" href="#content">Skip to the records</a>
      <header class="top">
        <div class="wrap">
          <p class="eyebrow">${parts.eyebrow}</p>
          <h1>${parts.title}</h1>
          ${parts.lead}
        </div>
      </header>
      ${isEmpty ? html`` : bar(parts.facets)}
      <main id="content" class="wrap" tabindex="-1">
        ${parts.sections}
        <p class="empty" id="none" hidden>Nothing matches.</p>
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

/** Renders the search bar: a field, a choice for every filter, and the number of records shown. */
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
            html`<select data-facet="${name}" aria-label="${label}">
              <option value="">All ${label.toLowerCase()}</option>
              ${values.map(
                ({ value, label: text, count }) => html`<option value="${value}">${text} ${numberText(count)}</option>`,
              )}
            </select>`,
        )}
      <span id="told" role="status"></span><button type="button" id="open" aria-pressed="false">Open all shown</button>
    </div>
  </div>`;
}

export interface Facet {
  /** The data attribute to filter by. */
  readonly name: "kind" | "state";
  readonly label: string;
  readonly values: readonly { readonly value: string; readonly label: string; readonly count: number }[];
}

/** Makes a filter with an option for each value that occurs, in order of first occurrence. */
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
