import { numberText } from "../number-text.ts";
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
  return `${numberText(count)} ${noun}${count === 1 ? "" : "s"}`;
}
