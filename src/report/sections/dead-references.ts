import type { DeadReference } from "../../core/records/dead-reference.ts";
import { nounOf } from "../../kinds/id-spaces.ts";
import type { Html } from "../html.ts";
import { html } from "../html.ts";
import type { StackModel } from "../model/stack.ts";
import { isShort, linkTo, section, table } from "../page/parts.ts";
import { extraItem } from "../page/record-item.ts";

/** What points to something that was gone when the stack was read: nothing can restore that. */
export function deadReferenceSection(dead: readonly DeadReference[], model: StackModel): Html | false {
  if (dead.length === 0) return false;
  const rows = dead.map(({ kind, id, pointer, places, space, to }) => [
    linkTo(model, kind, id),
    html`<code>${pointer}</code>${places > 1 && ` and ${places - 1} more`}`,
    html`${nounOf(space)} <code>${to}</code>`,
  ]);
  const content = extraItem({
    kind: "dead-references",
    called: "the dead references",
    title: "Dead references",
    about: "what they point to was gone when the stack was read",
    find: `dead references ${dead.map(({ name, to }) => `${name} ${to}`).join(" ")}`,
    open: isShort(rows),
    content: table("Dead references", ["Record", "Member", "Points to"], rows),
  });
  return section("dead-references", "Dead references", dead.length, content);
}
