import { numberText } from "../number-text.ts";
import type { KindName } from "../../domain/record.ts";
import type { IdSpace } from "../../domain/resource-kind.ts";
import { nounOf } from "../../kinds/id-spaces.ts";
import { html } from "../html.ts";
import type { Html, Part } from "../html.ts";
import type { StackModel } from "../model/stack-model.ts";
import { anchorOf } from "./anchor.ts";

/** What a record is called; never empty. */
export function nameOr(name: string, id: string): string {
  return name.trim() === "" ? `(no name) ${id}` : name;
}

/** A link to a record on the same page, or its id where it is not there. */
export function linkTo(model: StackModel, space: IdSpace, id: string): Html {
  const found = model.find(space, id);
  if (found === undefined) return html`${nounOf(space)} <code>${id}</code>`;
  return html`<a href="#${anchorOf(space, id)}">${nameOr(found.name, id)}</a>`;
}

/** The record's name, or its id where it is not there. */
export function nameIn(model: StackModel, space: IdSpace, id: string): string {
  const found = model.find(space, id);
  return found === undefined ? id : nameOr(found.name, id);
}

/** A list of terms and what they are; those with nothing to say are left out. */
export function facts(entries: readonly (readonly [term: string, value: Part])[]): Html {
  const said = entries.filter(([, value]) => value !== undefined && value !== false && value !== "");
  return html`<dl class="facts">
    ${said.map(
      ([term, value]) =>
        html`<dt>${term}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

/** A table that scrolls by itself where it is too wide. */
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
              ${row.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A heading and what stands below it; hidden by a search that finds nothing in it. */
export function section(id: string, title: string, count: number | undefined, content: Part): Html {
  return html`<section data-section="" aria-labelledby="h-${id}">
    <h2 id="h-${id}">${title}${count !== undefined && html` <span class="count">${numberText(count)}</span>`}</h2>
    ${content}
  </section>`;
}

/** One record: closed at first, found by the search. */
export interface RecordParts {
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  readonly state?: string;
  readonly badge?: Part;
  readonly about: Part;
  /** What the search looks through besides name and id. */
  readonly find: readonly string[];
  readonly content: Part;
}

/** A record as a part of a page. */
export function recordItem(record: RecordParts): Html {
  const { kind, id, name, state, badge, about, find, content } = record;
  const searched = [...new Set([name, id, ...find])].filter((text) => text !== "").join(" ");
  return html`<details
    class="rec"
    id="${anchorOf(kind, id)}"
    data-kind="${kind}"
    data-state="${state ?? ""}"
    data-find="${searched}"
  >
    <summary>${badge}<span class="name">${nameOr(name, id)}</span><span class="about">${about}</span></summary>
    <div class="in">${content}</div>
  </details> `;
}

/** `1 tile`, `3 tiles`. */
export function counted(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? "" : "s"}`;
}
