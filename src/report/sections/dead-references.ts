import type { DeadReference } from "../../core/records/dead-reference.ts";
import { nounOf } from "../../kinds/id-spaces.ts";
import type { Html } from "../html.ts";
import { html } from "../html.ts";
import type { StackModel } from "../model/stack.ts";
import { isShort, linkTo, section, table } from "../page/parts.ts";
import { extraItem } from "../page/record-item.ts";

/** What points to something that was gone when the stack was read: nothing can restore that. */
export function deadReferenceSection(dead: readonly DeadReference[], model: StackModel): Html | false {
  const about = "what they point to was gone when the stack was read";
  const gone = dead.filter(({ isUnshown }) => !isUnshown);
  return sectionOf(gone, model, { id: "dead-references", title: "Dead references", about });
}

/** What watches something that the stack may hold and no answer shows: the archive cannot have it. */
export function unshownSection(dead: readonly DeadReference[], model: StackModel): Html | false {
  const about = "these watch a tile that the API does not show, so the archive does not hold it";
  const unshown = dead.filter(({ isUnshown }) => isUnshown);
  return sectionOf(unshown, model, { id: "unshown-tiles", title: "Tiles that are not shown", about });
}

interface Heading {
  readonly id: string;
  readonly title: string;
  readonly about: string;
}

function sectionOf(dead: readonly DeadReference[], model: StackModel, { id, title, about }: Heading): Html | false {
  if (dead.length === 0) return false;
  const rows = dead.map(({ kind, id: from, pointer, places, space, to }) => [
    linkTo(model, kind, from),
    html`<code>${pointer}</code>${places > 1 && ` and ${places - 1} more`}`,
    html`${nounOf(space)} <code>${to}</code>`,
  ]);
  const content = extraItem({
    kind: id,
    called: `the ${title.toLowerCase()}`,
    title,
    about,
    find: `${title.toLowerCase()} ${dead.map(({ name, to }) => `${name} ${to}`).join(" ")}`,
    open: isShort(rows),
    content: table(title, ["Record", "Member", "Points to"], rows),
  });
  return section(id, title, dead.length, content);
}
