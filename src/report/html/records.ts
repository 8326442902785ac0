import { ownMember } from "../../core/json.ts";
import type { Manifest } from "../../core/manifest.ts";
import { yieldToEventLoop } from "../../core/event-loop.ts";
import { groupByKind } from "../view/outcomes.ts";
import { html, type Html } from "./html.ts";
import {
  codeText,
  countText,
  extraSection,
  factList,
  isShortTable,
  joinHtml,
  linkTo,
  linksToRecords,
  recordNameOrId,
  recordItem,
  pageSection,
  htmlTable,
  preformattedIfAny,
  kindTitle,
  type RecordContent,
} from "./parts.ts";
import { dependentsTable } from "./dependents.ts";
import { connectionContent, unknownKindContent, sourceContent, webhookContent } from "./sources-and-webhooks.ts";
import { dashboardContent } from "./dashboard.ts";
import { recordKey, type KindName, type StackRecord } from "../../core/records/record.ts";
import { describeQuery, joinNonEmpty, objectsAt, textAt, textsAt } from "../model/query.ts";
import { readSource, type StackModel } from "../model/stack.ts";
import { pipeContent } from "./pipe.ts";
import { readAlert, type AlertModel, type ChannelModel } from "../model/alert.ts";

/** By kind: the function that describes a record. A record of any other kind is shown by its members. */
const CONTENT_BY_KIND: Readonly<Record<KindName, (record: StackRecord, model: StackModel) => RecordContent>> = {
  dashboards: dashboardContent,
  alerts: alertContent,
  connections: connectionContent,
  sources: sourceContent,
  webhooks: webhookContent,
  pipes: pipeContent,
  "saved-searches": savedSearchContent,
};

/** Renders a section for each kind that has records. */
export async function recordSections(model: StackModel, signal?: AbortSignal): Promise<Html[]> {
  const sections: Html[] = [];
  for (const [kind, records] of groupByKind(model.records)) {
    const described: Html[] = [];
    for (const record of records) {
      described.push(describeRecord(record, model));
      await yieldToEventLoop(signal);
    }
    sections.push(
      pageSection(kind, kindTitle(kind), records.length, [kind === "sources" && dependentsTable(model), described]),
    );
  }
  return sections;
}

function describeRecord(record: StackRecord, model: StackModel): Html {
  const { kind, id, name } = record;
  return recordItem({ kind, id, name, ...describeByKind(record, model) });
}

export function describeByKind(record: StackRecord, model: StackModel): RecordContent {
  return (ownMember(CONTENT_BY_KIND, record.kind) ?? unknownKindContent)(record, model);
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
  return extraSection({
    kind: "redactions",
    heading: "Redactions",
    count: redactions.length,
    searchLabel: "the redactions",
    title: "Redacted values and their places",
    about: rules.join(", "),
    searchText: `redactions secrets ${rules.join(" ")}`,
    isOpen: isShortTable(rows),
    content: htmlTable("Redactions", ["Record", "Member", "Rule"], rows),
  });
}

/** Describes a saved search: its source, its query, and the alerts on it. */
function savedSearchContent({ id, body }: StackRecord, model: StackModel): RecordContent {
  const source = model.find("sources", textAt(body, "sourceId"));
  const [where, select] = [textAt(body, "where"), textAt(body, "select")];
  const filters = objectsAt(body, "filters").map((filter) => textAt(filter, "condition"));
  const tags = textsAt(body, "tags");
  const users = model.neededBy(recordKey("saved-searches", id));
  const code = (text: string) => preformattedIfAny(text, "text code");
  return {
    about: joinNonEmpty([source === undefined ? "" : source.name || readSource(source).kind, describeQuery({ where })]),
    searchTexts: [where, select, ...filters, ...tags],
    content: factList([
      ["Source", textAt(body, "sourceId") !== "" && linkTo(model, "sources", textAt(body, "sourceId"))],
      [`Finds (${textAt(body, "whereLanguage") || "lucene"})`, code(where)],
      ["Shows", code(select)],
      ["Ordered by", code(textAt(body, "orderBy"))],
      ["Filters", code(filters.join("\n"))],
      ["Tags", tags.join(", ")],
      ["Alerts on it", users.length > 0 && html`${countText(users.length, "alert")}: ${linksToRecords(model, users)}`],
      ["Id", codeText(id)],
    ]),
  };
}

/** Describes an alert: its condition in words, the record it watches, its notifications. */
function alertContent(record: StackRecord, model: StackModel): RecordContent {
  const alert = readAlert(record);
  const sentence = conditionText(alert, model);
  const dashboard = alert.dashboardId === "" ? "" : recordNameOrId(model, "dashboards", alert.dashboardId);
  return {
    about: `fires when ${sentence}`,
    searchTexts: [
      dashboard,
      model.tile(alert.dashboardId, alert.tileId)?.name ?? "",
      alert.message,
      ...alert.channels.map(({ webhookId }) => recordNameOrId(model, "webhooks", webhookId)),
    ],
    content: html`<p>Fires when <b>${sentence}</b>.</p>
      ${factList([
        ["Watches", watchedObject(alert, model)],
        ["Notifies", joinHtml(alert.channels.map((channel) => channelOf(channel, model)))],
        ["Message", preformattedIfAny(alert.message)],
        ["Note", preformattedIfAny(alert.note)],
        ["State when read", alert.state],
        ["Id", codeText(alert.id)],
      ])}`,
  };
}

/** Returns the condition of an alert in words: `count where level:error is above 100 over 5m`. */
export function conditionText(alert: AlertModel, model: StackModel): string {
  const measure = model.tile(alert.dashboardId, alert.tileId)?.measure ?? "";
  const measuredText = alert.savedSearchId === "" ? "the value" : "the number of events found";
  return `${measure === "" ? measuredText : measure} ${alert.condition}`;
}

function watchedObject({ dashboardId, tileId, savedSearchId }: AlertModel, model: StackModel): Html {
  if (dashboardId === "") {
    const search = model.find("saved-searches", savedSearchId);
    return search === undefined
      ? html`saved search <code>${savedSearchId}</code>`
      : html`saved search ${linkTo(model, "saved-searches", savedSearchId)}`;
  }
  const tile = model.tile(dashboardId, tileId);
  const what = tile === undefined ? html`tile <code>${tileId}</code>` : html`${tile.label}`;
  return html`${what} on ${linkTo(model, "dashboards", dashboardId)}`;
}

function channelOf({ type, webhookId, recipients }: ChannelModel, model: StackModel): Html {
  if (webhookId !== "") {
    const isKnown = model.find("webhooks", webhookId) !== undefined;
    return html`${isKnown && "webhook "}${linkTo(model, "webhooks", webhookId)}`;
  }
  return html`${type}${recipients.length > 0 && ` ${recipients.join(", ")}`}`;
}
