import { createHash } from "node:crypto";
import type { KindName } from "../../core/records/record.ts";
import type { Mark } from "../document.ts";
import { html, markupOf, trustedMarkup, type Html, type HtmlPart } from "./html.ts";
import { PAGE_SCRIPT, PAGE_STYLE } from "./page-assets.ts";

export interface PageParts {
  readonly title: string;
  readonly lead: Html;
  readonly sections: readonly Html[];
  readonly madeBy: string;
}

/** The page loads nothing: its policy allows only its own style and script, by their digests. */
export function renderPage(parts: PageParts): string {
  const policy = [
    "default-src 'none'",
    `style-src '${digest(PAGE_STYLE)}'`,
    `script-src '${digest(PAGE_SCRIPT)}'`,
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
      <title>${parts.title}</title>
      ${trustedMarkup(`<style>${PAGE_STYLE}</style>`)}
    </head>
    <body>
      <a class="skip" href="#content">Skip to the records</a>
      <header class="top">
        <div class="wrap">
          <h1>${parts.title}</h1>
          ${parts.lead}
        </div>
      </header>
      ${parts.sections.length > 0 && SEARCH_BAR}
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

const SEARCH_BAR = html`<div class="bar" role="search">
  <div class="wrap">
    <div class="find">
      <label for="q">Search</label
      ><input
        id="q"
        type="search"
        autocomplete="off"
        spellcheck="false"
        placeholder="name, id, kind, outcome, tag, tile"
      />
    </div>
    <span id="told" role="status"></span><button type="button" id="open" aria-pressed="false">Open all shown</button>
  </div>
</div>`;

export function pageNote(content: HtmlPart, isFailure: boolean): Html {
  return html`<p class="note ${isFailure ? "badnote" : "warnnote"}">${content}</p>`;
}

export function factList(entries: readonly (readonly [term: string, value: HtmlPart])[]): Html {
  const filledEntries = entries.filter(([, value]) => value !== undefined && value !== false && value !== "");
  if (filledEntries.length === 0) return html``;
  return html`<dl class="facts">
    ${filledEntries.map(
      ([term, value]) =>
        html`<dt>${term}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

export function pageSection(id: string, title: string, count: number, content: HtmlPart): Html {
  return html`<section data-section="" aria-labelledby="h-${id}">
    <h2 id="h-${id}">${title} <span class="count">${String(count)}</span></h2>
    ${content}
  </section>`;
}

/** Ids in an archive are untrusted, so a digest replaces unusual ids. */
export function anchorOf(kind: KindName, id: string): string {
  const plain = /^[\w-]{1,80}$/;
  if (plain.test(kind) && plain.test(id)) return `r-${kind}-${id}`;
  return `r-${createHash("sha256").update(`${kind}/${id}`).digest("hex").slice(0, 24)}`;
}

/** With more records or lines than this, all are closed at first. */
const SHORT = 12;

export function isShortTable(rows: readonly unknown[]): boolean {
  return rows.length <= SHORT;
}

export function htmlTable(caption: string, titles: readonly string[], rows: readonly (readonly HtmlPart[])[]): Html {
  return html`<div class="scroll" role="group" tabindex="0" aria-label="${caption}">
    <table>
      <thead>
        <tr>
          ${titles.map((title) => html`<th scope="col">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A badge has a word and a sign, because colour alone must not show a state. */
const TONES: Readonly<Partial<Record<Mark, string>>> = { "+": "good", "~": "warn", "!": "bad", "-": "bad" };

function stateBadge(state: string, mark: Mark): Html {
  return html`<span class="badge ${TONES[mark] ?? ""}">${mark} ${state}</span>`;
}

interface ItemParts {
  readonly kind: KindName;
  readonly anchor: string;
  readonly name: string;
  readonly about: HtmlPart;
  readonly state?: string;
  readonly mark?: Mark;
  /** Visible while the item is closed. */
  readonly reason?: HtmlPart;
  readonly content: HtmlPart;
  readonly isOpen?: boolean;
}

export function pageItem(item: ItemParts): Html {
  const { kind, anchor, name, about, state = "", mark = "", reason, content, isOpen = false } = item;
  return html`<details class="rec" id="${anchor}" data-kind="${kind}" data-state="${state}" ${isOpen && "open"}>
    <summary>
      ${state !== "" && stateBadge(state, mark)}<span class="head"
        ><span class="name">${name}</span><span class="about">${about}</span>${
          reason !== undefined && html`<span class="why">${reason}</span>`
        }</span
      >
    </summary>
    <div class="in">${content}</div>
  </details>`;
}

/** Content with the style `fold` opens if the search finds a record inside. */
export function disclosure(summary: HtmlPart, content: HtmlPart, style = ""): Html {
  return html`<details${style !== "" && html` class="${style}"`}>
    <summary>${summary}</summary>
    ${content}
  </details>`;
}
