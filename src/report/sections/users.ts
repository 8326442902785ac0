import type { StackRecord } from "../../domain/record.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import type { StackModel } from "../model/stack-model.ts";
import { linkTo } from "../page/parts.ts";

/** More than this are listed only when asked for. */
const FEW = 8;

/** Records as links; many of them behind a click. */
export function usersOf(model: StackModel, users: readonly StackRecord[], summary: string): Html {
  const list = html`${users.map(({ kind, id }, index) => html`${index > 0 && ", "}${linkTo(model, kind, id)}`)}`;
  return users.length <= FEW
    ? list
    : html`<details>
        <summary>${summary}</summary>
        ${list}
      </details>`;
}
