import { createHash } from "node:crypto";
import type { KindName } from "../../core/records/record.ts";
import type { Mark } from "../document.ts";
import { joinNonEmpty, numberText } from "../model/query.ts";
import { nameOrId } from "../view/words.ts";
import { html, type Html, type HtmlPart } from "./html.ts";

/** Renders a note on the page as a whole. A note on a failure stands out. */
export function pageNote(content: HtmlPart, isFailure: boolean): Html {
  return html`<p class="note ${isFailure ? "badnote" : "warnnote"}">${content}</p>`;
}

/** Renders a list of terms and their values. Entries without a value are omitted. */
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

/** Renders a heading with its content. A search that matches none of the content hides the whole section. */
export function pageSection(id: string, title: string, count: number, content: HtmlPart): Html {
  return html`<section data-section="" aria-labelledby="h-${id}">
    <h2 id="h-${id}">${title} <span class="count">${numberText(count)}</span></h2>
    ${content}
  </section>`;
}

/** Returns the anchor of a record on a page. Ids in an archive are untrusted, so unusual ids are replaced by a digest. */
export function anchorOf(kind: KindName, id: string): string {
  const plain = /^[\w-]{1,80}$/;
  if (plain.test(kind) && plain.test(id)) return `r-${kind}-${id}`;
  return `r-${createHash("sha256").update(`${kind}/${id}`).digest("hex").slice(0, 24)}`;
}

/** Maximum number of rows of a table that is open at first. */
const SHORT = 12;

export function isShortTable(rows: readonly unknown[]): boolean {
  return rows.length <= SHORT;
}

/** The table scrolls sideways if it is too wide. */
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

/** The tone of the badge for a mark. Each badge has a word and a sign, so that no state is shown by colour alone. */
const TONES: Readonly<Partial<Record<Mark, string>>> = { "+": "good", "~": "warn", "!": "bad", "-": "bad" };

function stateBadge(state: string, mark: Mark): Html {
  return html`<span class="badge ${TONES[mark] ?? ""}">${mark} ${state}</span>`;
}

/** One record of the page, with the badge of its state. The search covers it. It is closed at first unless `isOpen` is set. */
interface RecordParts {
  readonly kind: KindName;
  readonly id: string;
  /** Used instead of the id for the anchor, where a page has several items for one record. */
  readonly anchor?: string;
  readonly name: string;
  readonly state?: string;
  /** The sign of the state. */
  readonly mark?: Mark;
  /** A description in one line. */
  readonly about: HtmlPart;
  /** Texts in which the search looks, in addition to the name and the id. */
  readonly searchTexts: readonly string[];
  readonly content: HtmlPart;
  /** The reason for the record's state; visible while the item is closed. */
  readonly reason?: HtmlPart;
  readonly isOpen?: boolean;
}

export function recordItem(record: RecordParts): Html {
  const { kind, id, anchor = id, name, state, mark = "", reason, about, searchTexts, content, isOpen = false } = record;
  const searched = joinNonEmpty([...new Set([name, id, ...searchTexts])], " ");
  return html`<details
    class="rec"
    id="${anchorOf(kind, anchor)}"
    data-kind="${kind}"
    data-state="${state ?? ""}"
    data-find="${searched}"
    ${isOpen && "open"}
  >
    <summary>${state !== undefined && stateBadge(state, mark)}${headOf(nameOrId(name, id), about, reason)}</summary>
    <div class="in">${content}</div>
  </details>`;
}

/** A section that is one item and no record, such as the redactions. */
interface ExtraParts {
  readonly id: string;
  readonly heading: string;
  readonly count: number;
  readonly about: string;
  readonly searchText: string;
  readonly isOpen?: boolean;
  readonly content: HtmlPart;
}

export function extraSection(parts: ExtraParts): Html {
  const { id, heading, count, about, searchText, isOpen = false, content } = parts;
  const item = html`<details class="rec" id="r-${id}" data-kind="${id}" data-find="${searchText}" ${isOpen && "open"}>
    <summary>${headOf(heading, about, undefined)}</summary>
    <div class="in">${content}</div>
  </details>`;
  return pageSection(id, heading, count, item);
}

function headOf(name: string, about: HtmlPart, why: HtmlPart): Html {
  return html`<span class="head"
    ><span class="name">${name}</span><span class="about">${about}</span>${
      why !== undefined && html`<span class="why">${why}</span>`
    }</span
  >`;
}

/** Renders content that opens and closes. With the style `fold`, it also opens if the search finds something in it. */
export function disclosure(summary: HtmlPart, content: HtmlPart, style = ""): Html {
  return html`<details${style !== "" && html` class="${style}"`}>
    <summary>${summary}</summary>
    ${content}
  </details>`;
}
