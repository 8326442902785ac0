import type { KindName } from "../../core/records/record.ts";
import { pluralOf } from "../../kinds/names.ts";
import type { Html, Part } from "../html.ts";
import { html } from "../html.ts";
import { anchorOf, nameOr } from "./parts.ts";

/** The parts of a page that describe one record. */
export interface OwnParts {
  /** A drawing the size of a word. */
  readonly thumbnail?: Part;
  /** A description in one line. */
  readonly about: Part;
  /** Texts that the search covers besides name and id. */
  readonly find: readonly string[];
  readonly content: Part;
}

/** One record of the page: covered by the search, and closed at first unless `open` is set. */
export interface RecordParts extends OwnParts {
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  readonly state?: string;
  readonly badge?: Part;
  /** The reason for its state; visible while the item is closed. */
  readonly why?: Part;
  readonly isOpen?: boolean;
}

export function recordItem(record: RecordParts): Html {
  const { kind, id, name, state, badge, why, thumbnail, about, find, content, isOpen = false } = record;
  const searched = [...new Set([name, id, ...find])].filter((text) => text !== "").join(" ");
  return html`<details
    class="rec"
    id="${anchorOf(kind, id)}"
    data-kind="${kind}"
    data-state="${state ?? ""}"
    data-find="${searched}"
    ${isOpen && "open"}
  >
    <summary>${badge}${headOf(nameOr(name, id), about, why)}${thumbnail}</summary>
    <div class="in">${content}</div>
  </details>`;
}

/** An item that the search covers but that is not a record: redactions, matches. */
export interface ExtraParts {
  readonly kind: string;
  /** The name of the item for the search: `the redactions`. */
  readonly searchLabel: string;
  readonly title: string;
  readonly about: string;
  readonly find: string;
  readonly isOpen: boolean;
  readonly content: Part;
}

/** Renders such an item; it is not counted as a record. */
export function extraItem({ kind, searchLabel, title, about, find, isOpen, content }: ExtraParts): Html {
  return html`<details
    class="rec"
    id="r-${kind}"
    data-kind="${kind}"
    data-extra="${searchLabel}"
    data-find="${find}"
    ${isOpen && "open"}
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

/** Content that is closed until it is opened, or until the search finds something in it. */
export function fold(summary: string, content: Part): Html {
  return html`<details class="fold">
    <summary>${summary}</summary>
    ${content}
  </details>`;
}

/** Content that is closed only on a narrow screen. */
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
