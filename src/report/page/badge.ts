import { html } from "../html.ts";
import type { Html } from "../html.ts";

/** How a state is shown: in a word and a sign, so that the colour is never all there is. */
const BADGES: Readonly<Record<string, readonly [sign: string, tone: string, word?: string]>> = {
  create: ["+", "good", "create"],
  created: ["+", "good"],
  added: ["+", "good"],
  update: ["~", "warn", "update"],
  updated: ["~", "warn"],
  changed: ["~", "warn"],
  "put back": ["~", "warn"],
  blocked: ["!", "bad"],
  failed: ["✗", "bad"],
  refused: ["✗", "bad"],
  removed: ["−", "bad"],
  deleted: ["−", "bad"],
  open: ["?", "warn", "end unknown"],
};

/** The badge of a state. One that is not known is shown by its word. */
export function badge(state: string): Html {
  const [sign, tone, word] = (Object.hasOwn(BADGES, state) ? BADGES[state] : undefined) ?? ["", ""];
  return html`<span class="badge ${tone}">${sign === "" ? "" : `${sign} `}${word ?? state}</span>`;
}
