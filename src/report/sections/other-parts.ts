import { canonicalJson } from "../../domain/canonical-json.ts";
import type { StackRecord } from "../../domain/record.ts";
import { html, lines } from "../html.ts";
import type { OwnParts } from "../page/record-item.ts";

/** A record of a kind that this page has no words for: as it stands in the archive. */
export function otherParts({ id, body }: StackRecord): OwnParts {
  return { about: id, find: [], content: html`<pre class="text code">${lines(canonicalJson(body))}</pre>` };
}
