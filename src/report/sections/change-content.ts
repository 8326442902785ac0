import { compactJson } from "../../domain/canonical-json.ts";
import type { MemberChange, RecordChange } from "../../domain/diff.ts";
import type { JsonValue } from "../../domain/json.ts";
import { html, lines } from "../html.ts";
import type { Html, Part } from "../html.ts";
import { readDashboard } from "../model/dashboard.ts";
import { marksOf } from "../model/tile-marks.ts";
import type { TileMark } from "../model/tile-marks.ts";
import type { StackModel } from "../model/stack-model.ts";
import type { TileModel } from "../model/tile.ts";
import { facts, table } from "../page/parts.ts";
import { drawDashboard } from "./dashboard-parts.ts";

/** Longer values are looked up in the records themselves. */
const LONGEST = 2000;

/** What differs in a record: for a dashboard both sides drawn, and every member with its two values. */
export function changeContent(change: RecordChange, before: StackModel, after: StackModel): Part {
  const { leftId, rightId, members } = change;
  const rows = members.map(({ pointer, change: how, from, to }) => [
    html`<code>${pointer}</code>`,
    how,
    valueOf(from),
    valueOf(to),
  ]);
  return [
    drawings(change, before, after),
    facts([
      ["Before", leftId !== undefined && html`<code>${leftId}</code>`],
      ["After", rightId !== undefined && html`<code>${rightId}</code>`],
    ]),
    rows.length > 0 && table(`Members of ${change.name} that differ`, ["Member", "Change", "Before", "After"], rows),
  ];
}

function drawings({ kind, leftId, rightId, members }: RecordChange, before: StackModel, after: StackModel): Part {
  if (kind !== "dashboards") return undefined;
  const left = leftId === undefined ? undefined : before.find(kind, leftId);
  const right = rightId === undefined ? undefined : after.find(kind, rightId);
  const old = left && readDashboard(left);
  const current = right && readDashboard(right);
  const marks = marksOf(members, old?.tiles ?? [], current?.tiles ?? []);
  const markOf = (tile: TileModel): TileMark | undefined => marks.get(tile);
  const side = (title: string, drawing: readonly Html[]): Html =>
    html`<div>
      <h3>${title}</h3>
      ${drawing}
    </div>`;
  return html`<div class="sides">
    ${old && side("Before", drawDashboard(old, before, markOf))}${
      current && side("After", drawDashboard(current, after, markOf))
    }
  </div>`;
}

function valueOf(value: MemberChange["from"]): Html {
  return html`<pre class="text code">${lines(value === undefined ? "" : cut(value))}</pre>`;
}

function cut(value: JsonValue): string {
  const text = typeof value === "string" ? value : compactJson(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
