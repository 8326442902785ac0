import { groupBy } from "../../core/collections.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { KindName, StackRecord } from "../../core/records/record.ts";
import { yieldToEventLoop } from "../../core/event-loop.ts";
import { inReadingOrder } from "../../kinds/registry.ts";
import type { Html, Part } from "./html.ts";
import { html, lines } from "./html.ts";
import type { StackModel } from "../model/stack.ts";
import {
  isShort,
  joinHtml,
  linkTo,
  section,
  table,
  countText,
  facts,
  extraItem,
  recordItem,
  titleOf,
  nameIn,
  nameOr,
} from "./parts.ts";
import type { OwnParts } from "./parts.ts";
import { sourceTable, connectionParts, otherParts, sourceParts, webhookParts } from "./sources-and-webhooks.ts";
import { dashboardParts } from "./dashboard.ts";
import { readPipe } from "../model/pipe.ts";
import { recordKey } from "../../core/records/record.ts";
import { describeQuery, objectsAt, textAt, textsAt } from "../model/query.ts";
import { readSource } from "../model/stack.ts";
import { visibleText } from "../../core/text/printable.ts";
import type { PipeModel } from "../model/pipe.ts";
import { fitText } from "./tile-drawing.ts";
import type { AlertModel, ChannelModel } from "../model/alert.ts";
import { readAlert } from "../model/alert.ts";

/** The additions of a plan to the description of a record. */
export interface Annotation {
  readonly state: string;
  readonly badge: Html;
  /**
   * The reason for the state. It is visible while the record is closed, and the search finds the record by the code of the reason.
   */
  readonly why: Part;
  readonly code: string;
  /** Content to show before the record's own description. */
  readonly note: Part;
}

type PartsOf = (record: StackRecord, model: StackModel) => OwnParts;

/** By kind: the function that describes a record. A record of any other kind is shown by its members. */
const PARTS: Readonly<Record<KindName, PartsOf>> = {
  dashboards: dashboardParts,
  alerts: alertParts,
  connections: connectionParts,
  sources: sourceParts,
  webhooks: webhookParts,
  pipes: pipeParts,
  "saved-searches": savedSearchParts,
};

/** By kind: the function that renders content above the records of the kind. */
const ABOVE: Readonly<Record<KindName, (model: StackModel) => Part>> = { sources: sourceTable };

/** Renders a section for each kind that has records. */
export async function recordSections(model: StackModel, signal?: AbortSignal): Promise<Html[]> {
  const ordered = inReadingOrder(model.records, ({ kind }) => kind);
  const sections: Html[] = [];
  for (const [kind, records] of groupBy(ordered, ({ kind: kindName }) => kindName)) {
    const above = Object.hasOwn(ABOVE, kind) ? ABOVE[kind]?.(model) : undefined;
    const described: Html[] = [];
    for (const record of records) {
      described.push(describe(record, model));
      await yieldToEventLoop(signal);
    }
    sections.push(section(kind, titleOf(kind), records.length, [above, described]));
  }
  return sections;
}

/** Renders a record with the annotation of a plan. */
export function describe(record: StackRecord, model: StackModel, annotation?: Annotation): Html {
  const parts = describeByKind(record, model);
  const { kind, id, name } = record;
  if (annotation === undefined) return recordItem({ kind, id, name, ...parts });
  const { state, badge, why, code, note } = annotation;
  const find = code === "" ? parts.find : [...parts.find, code];
  return recordItem({ kind, id, name, ...parts, state, badge, why, find, content: [note, parts.content] });
}

/** Describes a record of any kind. */
export function describeByKind(record: StackRecord, model: StackModel): OwnParts {
  const parts = (Object.hasOwn(PARTS, record.kind) ? PARTS[record.kind] : undefined) ?? otherParts;
  return parts(record, model);
}

/** Renders the redactions: the place of each redacted value, and the rule that redacted it. */
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
    searchLabel: "the redactions",
    title: "Redacted values and their places",
    about: rules.join(", "),
    find: `redactions secrets ${rules.join(" ")}`,
    isOpen: isShort(rows),
    content: table("Redactions", ["Record", "Member", "Rule"], rows),
  });
  return section("redactions", "Redactions", redactions.length, content);
}

/** Describes a pipe: a drawing of the way from its source to its destination with the mapping, then every other member. */
function pipeParts(record: StackRecord): OwnParts {
  const pipe = readPipe(record);
  const rows = pipe.facts.map(([path, value]) => [
    html`<code>${path}</code>`,
    html`<pre class="text">${lines(value)}</pre>`,
  ]);
  const mapping = pipe.mapping.map(({ from, to }) => [html`<code>${from}</code>`, html`<code>${to}</code>`]);
  return {
    about: [`${pipe.source.type} → ${pipe.destination}`, pipe.state].filter((part) => part !== "").join(" · "),
    find: [pipe.source.type, pipe.source.what, pipe.destination],
    content: [
      drawPipe(pipe),
      facts([
        ["State when read", pipe.state],
        ["Id", html`<code>${record.id}</code>`],
      ]),
      mapping.length > 0 &&
        html`<details>
          <summary>${countText(mapping.length, "mapping")} in words</summary>
          ${table("Mapping", ["From", "To"], mapping)}
        </details>`,
      html`<details>
        <summary>${countText(rows.length, "setting")}</summary>
        ${table("Settings", ["Member", "Value"], rows)}
      </details>`,
    ],
  };
}

/** Describes a saved search: its source, its query, and the alerts on it. */
function savedSearchParts({ id, body }: StackRecord, model: StackModel): OwnParts {
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
          html`${countText(users.length, "alert")}: ${joinHtml(users.map((user) => linkTo(model, user.kind, user.id)))}`,
      ],
      ["Id", html`<code>${id}</code>`],
    ]),
  };
}

const WIDTH = 720;
const BOX = 270;
const HEAD = 58;
const STEP = 24;
/** Maximum number of fields in the drawing of a mapping; the table below the drawing has all of them. */
const MAX_FIELDS = 30;

/** Draws a pipe from its source to its destination, with a line for each field or table of the mapping. */
function drawPipe(pipe: PipeModel): Html {
  const { source, destination } = pipe;
  const mapped = pipe.mapping.slice(0, MAX_FIELDS);
  const height = HEAD + mapped.length * STEP + 10;
  const right = WIDTH - BOX - 1;
  const label = `From ${source.type} ${source.what} to ${destination}, ${pipe.mapping.length} mapped`;
  const row = (index: number): number => HEAD + index * STEP + 12;
  return html`<div class="grid narrow">
    <svg class="pipe" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${label}">
      <rect class="b" x="1" y="1" width="${BOX}" height="${height - 2}" rx="6" />
      <rect class="b" x="${right}" y="1" width="${BOX}" height="${height - 2}" rx="6" />
      <text class="s" x="14" y="21">from ${fitText(visibleText(source.type), 200, 12)}</text>
      <text class="n" x="14" y="42">${fitText(visibleText(source.what), BOX - 28, 14)}</text>
      <text class="s" x="${right + 13}" y="21">into</text>
      <text class="n" x="${right + 13}" y="42">${fitText(visibleText(destination), BOX - 28, 14)}</text>
      <path class="arc" d="M${BOX + 6} 30H${right - 14}" />
      <path class="tip" d="M${right - 4} 30l-11-5v10z" />
      ${mapped.map(
        ({ from, to }, index) =>
          html`<text class="s" x="14" y="${row(index) + 4}">${fitText(visibleText(from), BOX - 28, 12)}</text
            ><circle class="dot" cx="${BOX + 1}" cy="${row(index)}" r="3" /><path
              class="wire"
              d="M${BOX + 4} ${row(index)}H${right - 3}"
            /><circle class="dot" cx="${right}" cy="${row(index)}" r="3" /><text
              class="s"
              x="${right + 13}"
              y="${row(index) + 4}"
              >${fitText(visibleText(to), BOX - 28, 12)}</text
            >`,
      )}
    </svg>
  </div>`;
}

/** Describes an alert: its condition in words, the record it watches, its notifications. */
function alertParts(record: StackRecord, model: StackModel): OwnParts {
  const alert = readAlert(record);
  const sentence = conditionOf(alert, model);
  const dashboard = alert.dashboardId === "" ? "" : nameIn(model, "dashboards", alert.dashboardId);
  return {
    about: `fires when ${sentence}`,
    find: [
      dashboard,
      model.tile(alert.dashboardId, alert.tileId)?.name ?? "",
      alert.message,
      ...alert.channels.map(({ webhookId }) => nameIn(model, "webhooks", webhookId)),
    ],
    content: html`<p>Fires when <b>${sentence}</b>.</p>
      ${facts([
        ["Watches", watchedObject(alert, model)],
        ["Notifies", joinHtml(alert.channels.map((channel) => channelOf(channel, model)))],
        ["Message", alert.message !== "" && html`<pre class="text">${lines(alert.message)}</pre>`],
        ["Note", alert.note !== "" && html`<pre class="text">${lines(alert.note)}</pre>`],
        ["State when read", alert.state],
        ["Id", html`<code>${alert.id}</code>`],
      ])}`,
  };
}

/** Returns the condition of an alert in words: `count where level:error is above 100 over 5m`. */
export function conditionOf(alert: AlertModel, model: StackModel): string {
  const measure = model.tile(alert.dashboardId, alert.tileId)?.measure ?? "";
  const measuredText = alert.savedSearchId === "" ? "the value" : "the number of events found";
  return `${measure === "" ? measuredText : measure} ${alert.condition}`;
}

function watchedObject({ dashboardId, tileId, savedSearchId }: AlertModel, model: StackModel): Html {
  if (dashboardId === "") return html`saved search <code>${savedSearchId}</code>`;
  const tile = model.tile(dashboardId, tileId);
  const what = tile === undefined ? html`tile <code>${tileId}</code>` : html`${nameOr(tile.name, tile.id)}`;
  return html`${what} on ${linkTo(model, "dashboards", dashboardId)}`;
}

function channelOf({ type, webhookId, recipients }: ChannelModel, model: StackModel): Html {
  if (webhookId !== "") {
    const isKnown = model.find("webhooks", webhookId) !== undefined;
    return html`${isKnown && "webhook "}${linkTo(model, "webhooks", webhookId)}`;
  }
  return html`${type}${recipients.length > 0 && ` ${recipients.join(", ")}`}`;
}
