import type { StackRecord } from "../../core/records/record.ts";
import { drawPipe } from "../drawing/pipe.ts";
import { html, lines } from "../html.ts";
import { readPipe } from "../model/pipe.ts";
import { counted, facts, table } from "../page/parts.ts";
import type { OwnParts } from "../page/record-item.ts";

/** A pipe: from where to where, drawn, with its mapping; every other member below. */
export function pipeParts(record: StackRecord): OwnParts {
  const pipe = readPipe(record);
  const rows = pipe.facts.map(([path, value]) => [
    html`<code>${path}</code>`,
    html`<pre class="text">${lines(value)}</pre>`,
  ]);
  const mapping = pipe.mapping.map(({ from, to }) => [html`<code>${from}</code>`, html`<code>${to}</code>`]);
  return {
    about: [`${pipe.source.type} → ${pipe.destination}`, pipe.state].filter((part) => part !== "").join(" · "),
    find: [pipe.source.type, pipe.source.what, pipe.destination],
    content: [
      drawPipe(pipe),
      facts([
        ["State when read", pipe.state],
        ["Id", html`<code>${record.id}</code>`],
      ]),
      mapping.length > 0 &&
        html`<details>
          <summary>${counted(mapping.length, "mapping")} in words</summary>
          ${table("Mapping", ["From", "To"], mapping)}
        </details>`,
      html`<details>
        <summary>${counted(rows.length, "setting")}</summary>
        ${table("Settings", ["Member", "Value"], rows)}
      </details>`,
    ],
  };
}
