import { nounForCount, upperFirst } from "../../core/text/format.ts";
import { createHash } from "node:crypto";
import { ownMember } from "../../core/json.ts";
import type { KindName, StackIdentity, StackRecord } from "../../core/records/record.ts";
import type { IdSpace } from "../../core/resource-kind.ts";
import { nounOf, pluralOf } from "../../kinds/nouns.ts";
import { html, htmlLines, type Html, type HtmlPart } from "./html.ts";
import { joinNonEmpty, numberText } from "../model/query.ts";
import type { StackModel } from "../model/stack.ts";

/** Returns the name of a record, or `(no name)` and the id; never an empty text. */
export function nameOrId(name: string, id: string): string {
  return name.trim() === "" ? `(no name) ${id}` : name;
}

/** Joins parts with commas. Returns undefined if there are none, so that a list of facts omits the entry. */
export function joinHtml(parts: readonly Html[]): HtmlPart {
  return parts.length === 0 ? undefined : parts.map((part, index) => [index > 0 && ", ", part]);
}

/**
 * Renders a link to a record on the same page. If the page does not show the record, only the name is rendered; if the record is
 * unknown, only the id.
 */
export function linkTo(model: StackModel, space: IdSpace, id: string): Html {
  const record = model.find(space, id);
  if (record === undefined) return html`${nounOf(space)} <code>${id}</code>`;
  const name = nameOrId(record.name, id);
  return model.isOnPage(space, id) ? html`<a href="#${anchorOf(space, id)}">${name}</a>` : html`${name}`;
}

/** Renders a text as code; nothing for an empty text. */
export function codeText(text = ""): HtmlPart {
  return text !== "" && html`<code>${text}</code>`;
}

type BlockStyle = "text" | "text code";

export function preformatted(text: string, style: BlockStyle): Html {
  return html`<pre class="${style}">${htmlLines(text)}</pre>`;
}

/** Renders a text of several lines; nothing for an empty text. */
export function preformattedIfAny(text: string, style: BlockStyle = "text"): HtmlPart {
  return text !== "" && preformatted(text, style);
}

/** Renders a note on the page as a whole. A note on a failure stands out. */
export function pageNote(content: HtmlPart, isFailure: boolean): Html {
  return html`<p class="note ${isFailure ? "badnote" : "warnnote"}">${content}</p>`;
}

export function linksTo(model: StackModel, space: IdSpace, records: readonly { readonly id: string }[]): HtmlPart {
  return joinHtml(records.map(({ id }) => linkTo(model, space, id)));
}

export function linksToRecords(model: StackModel, records: readonly StackRecord[]): HtmlPart {
  return joinHtml(records.map(({ kind, id }) => linkTo(model, kind, id)));
}

/** Returns the name of a record, or the id if the record is unknown. */
export function recordNameOrId(model: StackModel, space: IdSpace, id: string): string {
  const record = model.find(space, id);
  return record === undefined ? id : nameOrId(record.name, id);
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

/** Returns a count with its noun: `1 tile`, `3 tiles`. */
export function countText(count: number, noun: string): string {
  return `${numberText(count)} ${nounForCount(count, noun)}`;
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

/** The table scrolls sideways if it is too wide. On a narrow page, each cell has the title of its column. */
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
              ${row.map((cell, index) => cellOf(cell, index === 0 ? "" : (titles[index] ?? "")))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function cellOf(cell: HtmlPart, title: string): Html {
  const nothing = cell === "" || cell === undefined || cell === false;
  return nothing || title === "" ? html`<td>${cell}</td>` : html`<td data-title="${title}">${cell}</td>`;
}

/** The badges of states. Each has a word and a sign, so that no state is shown by colour alone. */
const BADGES: Readonly<Record<string, readonly [sign: string, tone: string, word?: string]>> = {
  create: ["+", "good", "create"],
  created: ["+", "good"],
  added: ["+", "good"],
  update: ["~", "warn", "update"],
  updated: ["~", "warn"],
  changed: ["~", "warn"],
  moved: ["~", "warn"],
  "put back": ["~", "warn"],
  blocked: ["!", "bad"],
  failed: ["✗", "bad"],
  refused: ["✗", "bad"],
  removed: ["−", "bad"],
  delete: ["−", "bad"],
  deleted: ["−", "bad"],
  skip: ["·", "", "left alone"],
  matched: ["=", ""],
  unchanged: ["=", ""],
  open: ["?", "warn", "end unknown"],
};

/** Renders the badge of a state. An unknown state is shown as its word. */
export function stateBadge(state: string): Html {
  const [sign, tone, word] = ownMember(BADGES, state) ?? ["", ""];
  return html`<span class="badge ${tone}">${sign === "" ? "" : `${sign} `}${word ?? state}</span>`;
}

const TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/;

/** Formats a UTC time for display: `2026-01-02 03:04:05 UTC`. Any other text stays as it is. */
export function timeText(moment: string): string {
  return moment.replace(TIME, "$1 $2 UTC");
}

export function minuteText(moment: string): string {
  return timeText(moment).replace(/:\d{2} UTC$/, " UTC");
}

export function addressInWords({ variant, baseUrl, organizationId, serviceId }: StackIdentity): string {
  return variant === "managed"
    ? `${baseUrl}, organization ${organizationId ?? "?"}, service ${serviceId ?? "?"}`
    : baseUrl;
}

/** Returns an address of a stack that is short enough for a heading. */
export function shortAddressOf({ variant, baseUrl, serviceId = "?" }: StackIdentity): string {
  if (variant === "managed") return `service ${serviceId.length > 12 ? `${serviceId.slice(0, 8)}…` : serviceId}`;
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
}

/** Renders details that few people need, such as origin and time; they are closed at first. */
export function metadataDetails(summary: string, entries: Parameters<typeof factList>[0]): Html {
  return disclosure(summary, factList(entries), "meta");
}

export interface RecordContent {
  /** A drawing in the size of a word. */
  readonly thumbnail?: HtmlPart;
  /** A description in one line. */
  readonly about: HtmlPart;
  /** Texts in which the search looks, in addition to the name and the id. */
  readonly searchTexts: readonly string[];
  readonly content: HtmlPart;
}

/** One record of the page, with the badge of its state. The search covers it. It is closed at first unless `isOpen` is set. */
export interface RecordParts extends RecordContent {
  readonly kind: KindName;
  readonly id: string;
  /** Used instead of the id for the anchor, where a page has several items for one record. */
  readonly anchor?: string;
  readonly name: string;
  readonly state?: string;
  /** The reason for the record's state; visible while the item is closed. */
  readonly reason?: HtmlPart;
  readonly isOpen?: boolean;
}

export function recordItem(record: RecordParts): Html {
  const { kind, id, anchor = id, name, state, reason, thumbnail, about, searchTexts, content, isOpen = false } = record;
  const searched = joinNonEmpty([...new Set([name, id, ...searchTexts])], " ");
  return html`<details
    class="rec"
    id="${anchorOf(kind, anchor)}"
    data-kind="${kind}"
    data-state="${state ?? ""}"
    data-find="${searched}"
    ${isOpen && "open"}
  >
    <summary>
      ${state !== undefined && stateBadge(state)}${headOf(nameOrId(name, id), about, reason)}${thumbnail}
    </summary>
    <div class="in">${content}</div>
  </details>`;
}

/**
 * A section that is one item and no record, such as the redactions. The search finds it, but leaves it out of its count of
 * records.
 */
export interface ExtraParts {
  readonly kind: string;
  readonly heading: string;
  readonly count: number;
  /** The name by which the search mentions the item: `the redactions`. */
  readonly searchLabel: string;
  /** The title of the item; by default the heading. */
  readonly title?: string;
  readonly about: string;
  readonly searchText: string;
  readonly isOpen?: boolean;
  readonly content: HtmlPart;
}

export function extraSection(parts: ExtraParts): Html {
  const { kind, heading, count, searchLabel, title = heading, about, searchText, isOpen = false, content } = parts;
  const item = html`<details
    class="rec"
    id="r-${kind}"
    data-kind="${kind}"
    data-extra="${searchLabel}"
    data-find="${searchText}"
    ${isOpen && "open"}
  >
    <summary>${headOf(title, about, undefined)}</summary>
    <div class="in">${content}</div>
  </details>`;
  return pageSection(kind, heading, count, item);
}

function headOf(name: string, about: HtmlPart, why: HtmlPart): Html {
  return html`<span class="head"
    ><span class="name">${name}</span><span class="about">${about}</span>${
      why !== undefined && html`<span class="why">${why}</span>`
    }</span
  >`;
}

/**
 * Renders content that opens and closes. With the style `fold`, it also opens if the search finds something in it; `roomy` content
 * is closed only on a narrow screen.
 */
export function disclosure(summary: HtmlPart, content: HtmlPart, style = "", isOpen = style.includes("roomy")): Html {
  return html`<details${style !== "" && html` class="${style}"`}${isOpen && " open"}>
    <summary>${summary}</summary>
    ${content}
  </details>`;
}

/** Returns a kind's name as a heading: `Saved searches`. */
export function kindTitle(kind: KindName): string {
  return upperFirst(pluralOf(kind));
}
