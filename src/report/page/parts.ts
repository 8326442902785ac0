import { numbered } from "../../core/text/plural.ts";
import { createHash } from "node:crypto";
import type { KindName, StackIdentity } from "../../core/records/record.ts";
import type { IdSpace } from "../../core/resource-kind.ts";
import { nounOf } from "../../kinds/id-spaces.ts";
import type { Html, Part } from "../html.ts";
import { html } from "../html.ts";
import { numberText } from "../model/query.ts";
import type { StackModel } from "../model/stack.ts";

/** What a record is called; never empty. */
export function nameOr(name: string, id: string): string {
  return name.trim() === "" ? `(no name) ${id}` : name;
}

/** Parts in a sentence, commas between them. */
export function joined(parts: readonly Html[]): Html {
  return html`${parts.map((part, index) => html`${index > 0 && ", "}${part}`)}`;
}

/** A link to a record on the same page; its name where the page does not show it, or its id where it is not known at all. */
export function linkTo(model: StackModel, space: IdSpace, id: string): Html {
  const found = model.find(space, id);
  if (found === undefined) return html`${nounOf(space)} <code>${id}</code>`;
  const name = nameOr(found.name, id);
  return model.onPage(space, id) ? html`<a href="#${anchorOf(space, id)}">${name}</a>` : html`${name}`;
}

/** The record's name, or its id where it is not there. */
export function nameIn(model: StackModel, space: IdSpace, id: string): string {
  const found = model.find(space, id);
  return found === undefined ? id : nameOr(found.name, id);
}

/** A list of terms and what they are; those with nothing to say are left out. */
export function facts(entries: readonly (readonly [term: string, value: Part])[]): Html {
  const said = entries.filter(([, value]) => value !== undefined && value !== false && value !== "");
  if (said.length === 0) return html``;
  return html`<dl class="facts">
    ${said.map(
      ([term, value]) =>
        html`<dt>${term}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

/** A heading and what stands below it; hidden by a search that finds nothing in it. */
export function section(id: string, title: string, count: number, content: Part): Html {
  return html`<section data-section="" aria-labelledby="h-${id}">
    <h2 id="h-${id}">${title} <span class="count">${numberText(count)}</span></h2>
    ${content}
  </section>`;
}

/** `1 tile`, `3 tiles`. */
export function counted(count: number, noun: string): string {
  return `${numberText(count)} ${numbered(count, noun)}`;
}

/** The id of a record's place on a page. An id out of an archive can be anything, so odd ones are replaced by a digest. */
export function anchorOf(kind: KindName, id: string): string {
  const plain = /^[\w-]{1,80}$/;
  if (plain.test(kind) && plain.test(id)) return `r-${kind}-${id}`;
  return `r-${createHash("sha256").update(`${kind}/${id}`).digest("hex").slice(0, 24)}`;
}

/** More rows than this are shown when asked for. */
const SHORT = 12;

/** Whether a table is short enough to be seen at once. */
export function isShort(rows: readonly unknown[]): boolean {
  return rows.length <= SHORT;
}

/** A table that scrolls by itself where it is too wide; on a narrow page its rows are stacked, each cell with its title. */
export function table(caption: string, titles: readonly string[], rows: readonly (readonly Part[])[]): Html {
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

function cellOf(cell: Part, title: string): Html {
  const nothing = cell === "" || cell === undefined || cell === false;
  return nothing || title === "" ? html`<td>${cell}</td>` : html`<td data-title="${title}">${cell}</td>`;
}

/** How a state is shown: in a word and a sign, so that the colour is never all there is. */
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

/** The badge of a state. One that is not known is shown by its word. */
export function badge(state: string): Html {
  const [sign, tone, word] = (Object.hasOwn(BADGES, state) ? BADGES[state] : undefined) ?? ["", ""];
  return html`<span class="badge ${tone}">${sign === "" ? "" : `${sign} `}${word ?? state}</span>`;
}

const TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/;

/** A moment for people: `2026-01-02 03:04:05 UTC`. What is no moment in UTC is shown as it stands. */
export function timeText(moment: string): string {
  return moment.replace(TIME, "$1 $2 UTC");
}

/** The same to the minute. */
export function minuteText(moment: string): string {
  return timeText(moment).replace(/:\d{2} UTC$/, " UTC");
}

/** A stack's address, for people. */
export function addressOf({ variant, baseUrl, organizationId, serviceId }: StackIdentity): string {
  return variant === "managed"
    ? `${baseUrl}, organization ${organizationId ?? "?"}, service ${serviceId ?? "?"}`
    : baseUrl;
}

/** The same, short enough for a heading. */
export function shortAddressOf({ variant, baseUrl, serviceId = "?" }: StackIdentity): string {
  if (variant === "managed") return `service ${serviceId.length > 12 ? `${serviceId.slice(0, 8)}…` : serviceId}`;
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
}

/** What few will read, closed at first: where it came from, and when. */
export function metadata(summary: string, entries: Parameters<typeof facts>[0]): Html {
  return html`<details class="meta">
    <summary>${summary}</summary>
    ${facts(entries)}
  </details>`;
}
