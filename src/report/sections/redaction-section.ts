import type { Manifest } from "../../domain/manifest.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import { anchorOf } from "../page/anchor.ts";
import { nameOr, section, table } from "../page/parts.ts";

/** What was taken out of the records because it was, or might be, a secret, and where. */
export function redactionSection({ redactions, entries }: Manifest): Html | false {
  if (redactions.length === 0) return false;
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const rows = redactions.map(({ path, pointer, rule }) => {
    const entry = byPath.get(path);
    const record =
      entry === undefined
        ? html`<code>${path}</code>`
        : html`<a href="#${anchorOf(entry.kind, entry.id)}">${nameOr(entry.name, entry.id)}</a>`;
    return [record, html`<code>${pointer}</code>`, rule];
  });
  const rules = [...new Set(redactions.map(({ rule }) => rule))];
  const content = html`<details
    class="rec"
    id="r-redactions"
    data-kind="redactions"
    data-find="redactions secrets ${rules.join(" ")}"
  >
    <summary>
      <span class="name">What was taken out, and where</span><span class="about">${rules.join(", ")}</span>
    </summary>
    <div class="in">${table("Redactions", ["Record", "Member", "Rule"], rows)}</div>
  </details>`;
  return section("redactions", "Redactions", redactions.length, content);
}
