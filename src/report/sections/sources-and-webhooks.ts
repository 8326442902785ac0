import { canonicalJson } from "../../core/json.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { Html } from "../html.ts";
import { html, lines } from "../html.ts";
import { breakageOf } from "../model/breakage.ts";
import { textAt } from "../model/query.ts";
import { readSource } from "../model/source.ts";
import type { StackModel } from "../model/stack.ts";
import { countText, facts, linkTo } from "../page/parts.ts";
import type { OwnParts } from "../page/record-item.ts";
import { breakageList, breakageText } from "./breakage.ts";

/** A source: its tables, its references to other sources, and what stops working without it. */
export function sourceParts(record: StackRecord, model: StackModel): OwnParts {
  const source = readSource(record);
  const breakage = breakageOf(record, model);
  return {
    about: [source.kind, ...source.tables.slice(0, 1), breakageText(breakage)]
      .filter((part) => part !== "")
      .join(" · "),
    find: [source.kind, ...source.tables],
    content: [
      facts([
        ["Kind", source.kind],
        [
          source.tables.length === 1 ? "Table" : "Tables",
          source.tables.length > 0 && html`<code>${source.tables.join(", ")}</code>`,
        ],
        ["Connection", source.connection !== "" && linkTo(model, "connections", source.connection)],
        ...source.refersTo.map(({ as, id }) => [`Its ${as}`, linkTo(model, "sources", id)] as const),
        ["Id", html`<code>${source.id}</code>`],
      ]),
      breakageList(breakage, model),
    ],
  };
}

/** A connection: its host, and what stops working without it. */
export function connectionParts(record: StackRecord, model: StackModel): OwnParts {
  const breakage = breakageOf(record, model);
  const host = textAt(record.body, "host");
  return {
    about: [host, breakageText(breakage)].filter((part) => part !== "").join(" · "),
    find: [host],
    content: [
      facts([
        ["Address", host !== "" && html`<code>${host}</code>`],
        ["User name", textAt(record.body, "username")],
        ["Id", html`<code>${record.id}</code>`],
      ]),
      breakageList(breakage, model),
    ],
  };
}

/** A webhook: its service, and the alerts that notify it. Its address is shown as text: links of an archive are never followed. */
export function webhookParts({ id, body }: StackRecord, model: StackModel): OwnParts {
  const key = recordKey("webhooks", id);
  const users = model.neededBy(key);
  const service = textAt(body, "service");
  const template = textAt(body, "body");
  return {
    about: [service, users.length === 0 ? "no alert uses it" : `notified by ${countText(users.length, "alert")}`]
      .filter((part) => part !== "")
      .join(" · "),
    find: [service, textAt(body, "description")],
    content: facts([
      ["Service", service],
      ["Description", textAt(body, "description")],
      ["Address", textAt(body, "url") !== "" && html`<code>${textAt(body, "url")}</code>`],
      ["Body", template !== "" && html`<pre class="text code">${lines(template)}</pre>`],
      ["Notified by", users.length > 0 && usersOf(model, users, countText(users.length, "alert"))],
      ["Id", html`<code>${id}</code>`],
    ]),
  };
}

/** More records are only listed on request. */
const FEW = 8;

/** Records as links; a long list is closed at first. */
function usersOf(model: StackModel, users: readonly StackRecord[], summary: string): Html {
  const list = html`${users.map(({ kind, id }, index) => html`${index > 0 && ", "}${linkTo(model, kind, id)}`)}`;
  return users.length <= FEW
    ? list
    : html`<details>
        <summary>${summary}</summary>
        ${list}
      </details>`;
}

/** A record of an unknown kind, as JSON. */
export function otherParts({ id, body }: StackRecord): OwnParts {
  return { about: id, find: [], content: html`<pre class="text code">${lines(canonicalJson(body))}</pre>` };
}
