import type { KindName } from "../../core/records/record.ts";
import { pluralOf } from "../../kinds/id-spaces.ts";
import type { Html, Part } from "../html.ts";
import { html } from "../html.ts";
import { anchorOf, nameOr } from "./parts.ts";

/** What a record of any kind has to tell. */
export interface OwnParts {
  /** Its picture in the size of a word. */
  readonly thumbnail?: Part;
  /** What it is, in a line. */
  readonly about: Part;
  /** What the search looks through besides name and id. */
  readonly find: readonly string[];
  readonly content: Part;
}

/** One record: found by the search, closed at first unless it is said otherwise. */
export interface RecordParts extends OwnParts {
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  readonly state?: string;
  readonly badge?: Part;
  /** Why it is in that state; seen without opening it. */
  readonly why?: Part;
  readonly open?: boolean;
}

/** A record as a part of a page. */
export function recordItem(record: RecordParts): Html {
  const { kind, id, name, state, badge, why, thumbnail, about, find, content, open = false } = record;
  const searched = [...new Set([name, id, ...find])].filter((text) => text !== "").join(" ");
  return html`<details
    class="rec"
    id="${anchorOf(kind, id)}"
    data-kind="${kind}"
    data-state="${state ?? ""}"
    data-find="${searched}"
    ${open && "open"}
  >
    <summary>${badge}${headOf(nameOr(name, id), about, why)}${thumbnail}</summary>
    <div class="in">${content}</div>
  </details>`;
}

/** Something that is found like a record and is none: what was taken out, what maps to what. */
export interface ExtraParts {
  readonly kind: string;
  /** What the search calls it: `the redactions`. */
  readonly called: string;
  readonly title: string;
  readonly about: string;
  readonly find: string;
  readonly open: boolean;
  readonly content: Part;
}

/** The same for what is no record; it is not counted as one. */
export function extraItem({ kind, called, title, about, find, open, content }: ExtraParts): Html {
  return html`<details
    class="rec"
    id="r-${kind}"
    data-kind="${kind}"
    data-extra="${called}"
    data-find="${find}"
    ${open && "open"}
  >
    <summary>${headOf(title, about, undefined)}</summary>
    <div class="in">${content}</div>
  </details>`;
}

function headOf(name: string, about: Part, why: Part): Html {
  return html`<span class="head"
    ><span class="name">${name}</span><span class="about">${about}</span>${
      why !== undefined && html`<span class="why">${why}</span>`
    }</span
  >`;
}

/** What is shown only when asked for, or when the search finds something in it. */
export function fold(summary: string, content: Part): Html {
  return html`<details class="fold">
    <summary>${summary}</summary>
    ${content}
  </details>`;
}

/** What is closed only where there is little room. */
export function roomy(summary: string, content: Part): Html {
  return html`<details class="roomy" open>
    <summary>${summary}</summary>
    ${content}
  </details>`;
}

/** A kind's name as a heading: `Saved searches`. */
export function titleOf(kind: KindName): string {
  return kind.charAt(0).toUpperCase() + pluralOf(kind).slice(1);
}
