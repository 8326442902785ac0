import type { StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import { html, lines } from "../html.ts";
import { describeQuery, objectsAt, textAt, textsAt } from "../model/query.ts";
import { readSource } from "../model/source.ts";
import type { StackModel } from "../model/stack.ts";
import { counted, facts, linkTo } from "../page/parts.ts";
import type { OwnParts } from "../page/record-item.ts";

/** A saved search: where it looks, for what, and which alerts are on it. */
export function savedSearchParts({ id, body }: StackRecord, model: StackModel): OwnParts {
  const source = model.find("sources", textAt(body, "sourceId"));
  const [where, select] = [textAt(body, "where"), textAt(body, "select")];
  const filters = objectsAt(body, "filters").map((filter) => textAt(filter, "condition"));
  const tags = textsAt(body, "tags");
  const users = model.neededBy(recordKey("saved-searches", id));
  const code = (text: string) => text !== "" && html`<pre class="text code">${lines(text)}</pre>`;
  return {
    about: [source === undefined ? "" : source.name || readSource(source).kind, describeQuery({ where })]
      .filter((part) => part !== "")
      .join(" · "),
    find: [where, select, ...filters, ...tags],
    content: facts([
      ["Source", textAt(body, "sourceId") !== "" && linkTo(model, "sources", textAt(body, "sourceId"))],
      [`Finds (${textAt(body, "whereLanguage") || "lucene"})`, code(where)],
      ["Shows", code(select)],
      ["Ordered by", code(textAt(body, "orderBy"))],
      ["Filters", code(filters.join("\n"))],
      ["Tags", tags.join(", ")],
      [
        "Alerts on it",
        users.length > 0 &&
          html`${counted(users.length, "alert")}:
          ${users.map(({ kind, id: of }, index) => html`${index > 0 && ", "}${linkTo(model, kind, of)}`)}`,
      ],
      ["Id", html`<code>${id}</code>`],
    ]),
  };
}
