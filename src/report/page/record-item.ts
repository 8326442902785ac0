import type { KindName } from "../../domain/record.ts";
import { html } from "../html.ts";
import type { Html, Part } from "../html.ts";
import { anchorOf } from "./anchor.ts";
import { nameOr } from "./parts.ts";

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
    <summary>
      ${badge}<span class="head"
        ><span class="name">${nameOr(name, id)}</span><span class="about">${about}</span>${
          why !== undefined && html`<span class="why">${why}</span>`
        }</span
      >${thumbnail}
    </summary>
    <div class="in">${content}</div>
  </details>`;
}
