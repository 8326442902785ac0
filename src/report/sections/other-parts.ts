import { canonicalJson } from "../../domain/canonical-json.ts";
import type { StackRecord } from "../../domain/record.ts";
import { html, lines } from "../html.ts";
import type { RecordParts } from "../page/parts.ts";

/** A record of a kind that this page has no words for: as it stands in the archive. */
export function otherParts({ id, body }: StackRecord): Pick<RecordParts, "about" | "find" | "content"> {
  return { about: id, find: [], content: html`<pre class="text code">${lines(canonicalJson(body))}</pre>` };
}
