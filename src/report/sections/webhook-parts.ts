import { recordKey } from "../../domain/record.ts";
import type { StackRecord } from "../../domain/record.ts";
import { html, lines } from "../html.ts";
import { textAt } from "../model/members.ts";
import type { StackModel } from "../model/stack-model.ts";
import { counted, facts } from "../page/parts.ts";
import type { OwnParts } from "../page/record-item.ts";
import { usersOf } from "./users.ts";

/** A webhook: what it is, and which alerts notify it. Its address is text: an archive's links are never followed. */
export function webhookParts({ id, body }: StackRecord, model: StackModel): OwnParts {
  const key = recordKey("webhooks", id);
  const users = model.neededBy(key);
  const service = textAt(body, "service");
  const template = textAt(body, "body");
  return {
    about: [service, users.length === 0 ? "no alert uses it" : `notified by ${counted(users.length, "alert")}`]
      .filter((part) => part !== "")
      .join(" · "),
    find: [service, textAt(body, "description")],
    content: facts([
      ["Service", service],
      ["Description", textAt(body, "description")],
      ["Address", textAt(body, "url") !== "" && html`<code>${textAt(body, "url")}</code>`],
      ["Body", template !== "" && html`<pre class="text code">${lines(template)}</pre>`],
      ["Notified by", users.length > 0 && usersOf(model, users, counted(users.length, "alert"))],
      ["Id", html`<code>${id}</code>`],
    ]),
  };
}
