import { recordKey } from "../../domain/record.ts";
import type { StackRecord } from "../../domain/record.ts";
import { drawSourceMap } from "../drawing/draw-source-map.ts";
import { html } from "../html.ts";
import type { Part } from "../html.ts";
import { readSource } from "../model/source.ts";
import type { StackModel } from "../model/stack-model.ts";
import { counted, facts, linkTo } from "../page/parts.ts";
import type { OwnParts } from "../page/record-item.ts";
import { usersOf } from "./users.ts";

/** A source: its tables, the others it refers to, and who uses it. */
export function sourceParts(record: StackRecord, model: StackModel): OwnParts {
  const source = readSource(record);
  const users = model.neededBy(recordKey("sources", source.id)).filter(({ kind }) => kind !== "sources");
  return {
    about: [source.kind, ...source.tables.slice(0, 1), users.length === 0 ? "not used" : `used by ${users.length}`]
      .filter((part) => part !== "")
      .join(" · "),
    find: [source.kind, ...source.tables],
    content: facts([
      ["Kind", source.kind],
      [
        source.tables.length === 1 ? "Table" : "Tables",
        source.tables.length > 0 && html`<code>${source.tables.join(", ")}</code>`,
      ],
      ["Connection", source.connection !== "" && html`<code>${source.connection}</code>`],
      ...source.refersTo.map(({ as, id }) => [`Its ${as}`, linkTo(model, "sources", id)] as const),
      ["Used by", users.length > 0 && usersOf(model, users, counted(users.length, "record"))],
      ["Id", html`<code>${source.id}</code>`],
    ]),
  };
}

/** How the sources refer to each other. */
export function sourceMapOf(model: StackModel): Part {
  return drawSourceMap(model.sources);
}
