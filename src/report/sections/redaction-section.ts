import type { Manifest } from "../../domain/manifest.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import type { StackModel } from "../model/stack-model.ts";
import { linkTo, section } from "../page/parts.ts";
import { extraItem } from "../page/record-item.ts";
import { isShort, table } from "../page/table.ts";

/** What was taken out of the records because it was, or might be, a secret, and where. */
export function redactionSection({ redactions, entries }: Manifest, model: StackModel): Html | false {
  if (redactions.length === 0) return false;
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const rows = redactions.map(({ path, pointer, rule }) => {
    const entry = byPath.get(path);
    const record = entry === undefined ? html`<code>${path}</code>` : linkTo(model, entry.kind, entry.id);
    return [record, html`<code>${pointer}</code>`, rule];
  });
  const rules = [...new Set(redactions.map(({ rule }) => rule))];
  const content = extraItem({
    kind: "redactions",
    called: "the redactions",
    title: "What was taken out, and where",
    about: rules.join(", "),
    find: `redactions secrets ${rules.join(" ")}`,
    open: isShort(rows),
    content: table("Redactions", ["Record", "Member", "Rule"], rows),
  });
  return section("redactions", "Redactions", redactions.length, content);
}
