import { canonicalJson, ownMember, type JsonObject } from "../../core/json.ts";
import { keyOfRecord, recordKey, type KindName, type StackRecord } from "../../core/records/record.ts";
import type { IdSpace } from "../../core/resource-kind.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { joinWords, type Block, type DescribedRecord, type Fact, type RecordContent, type Words } from "../document.ts";
import { readAlert, type AlertModel, type ChannelModel } from "../model/alert.ts";
import { readDashboard, type FilterModel } from "../model/dashboard.ts";
import { describeQuery, joinNonEmpty, objectAt, objectsAt, textAt, textsAt } from "../model/query.ts";
import { readSource, type StackModel } from "../model/stack.ts";
import { drawingOf } from "./drawing.ts";
import { countText, nameOrId, tileTypeName } from "./words.ts";

/** Says what a record is and what it does; for a dashboard also draws it. */
export function describeRecord(record: StackRecord, model: StackModel): RecordContent {
  const { about, searchTexts = [], blocks = [], facts = [] } = describeKind(record, model);
  const all = [...facts, ...linkFacts(record, model), ["Id", { code: record.id }] as const];
  return { about, searchTexts, blocks: [...blocks.slice(0, 1), { is: "facts", facts: all }, ...blocks.slice(1)] };
}

export function describedRecord(record: StackRecord, model: StackModel): DescribedRecord {
  const { kind, id, name } = record;
  return { kind, id, name, content: () => describeRecord(record, model) };
}

interface KindDescription {
  readonly about: Words;
  readonly searchTexts?: readonly string[];
  /** Beside the links to other records, and the id. */
  readonly facts?: readonly Fact[];
  /** The first one stands before the facts. */
  readonly blocks?: readonly Block[];
}

type DescribeKind = (record: StackRecord, model: StackModel) => KindDescription;

const BY_KIND: Readonly<Record<KindName, DescribeKind>> = {
  dashboards: describeDashboard,
  alerts: describeAlert,
  connections: describeConnection,
  sources: describeSource,
  webhooks: describeWebhook,
  pipes: describePipe,
  "saved-searches": describeSavedSearch,
};

function describeKind(record: StackRecord, model: StackModel): KindDescription {
  const describe: DescribeKind = ownMember(BY_KIND, record.kind) ?? (({ body }) => describeMembers("", body));
  return describe(record, model);
}

/** Maximum number of records that a fact names. A source can have thousands of users. */
const MAX_LINKS = 40;

/** Names the records that this one uses, and those that use it. */
function linkFacts(record: StackRecord, model: StackModel): Fact[] {
  const key = keyOfRecord(record);
  const users = model.neededBy(key).filter(({ kind, id }) => kind !== record.kind || id !== record.id);
  return [
    ["Uses", links(model.needs(key).map(({ space, id }) => linkTo(model, space, id)))],
    ["Used by", links(users.map(({ kind, id }) => linkTo(model, kind, id)))],
  ];
}

function links(words: readonly Words[]): Words | undefined {
  const more = words.length - MAX_LINKS;
  return joinWords(more > 0 ? [...words.slice(0, MAX_LINKS), `and ${more} more`] : words);
}

/** Returns the kind and the name of a record, as a link; the id of a record that is unknown. */
function linkTo(model: StackModel, space: IdSpace, id: string): Words {
  const record = model.find(space, id);
  if (record === undefined) return [`${nounOf(space)} `, { code: id }];
  return [`${nounOf(space)} `, { record: recordKey(space, id), name: nameOrId(record.name, id) }];
}

function nameOf(model: StackModel, space: IdSpace, id: string): string {
  const record = model.find(space, id);
  return record === undefined ? id : nameOrId(record.name, id);
}

function describeDashboard(record: StackRecord, model: StackModel): KindDescription {
  const dashboard = model.dashboard(record.id) ?? readDashboard(record);
  const { id, tags, tiles, filters, savedQuery } = dashboard;
  const alerts = model.alertsOn(id);
  const counts = [countText(tiles.length, "tile"), ...(alerts.length > 0 ? [countText(alerts.length, "alert")] : [])];
  const rows = tiles.map((tile): Words[] => [
    nameOrId(tile.name, tile.id),
    tileTypeName(tile),
    tile.sourceId === ""
      ? tile.connectionId && `connection ${tile.connectionId}`
      : nameOf(model, "sources", tile.sourceId),
    { text: tile.query, isCode: true },
    joinWords(model.alertsOn(id, tile.id).map((alert) => nameOrId(alert.name, alert.id))) ?? "",
  ]);
  const table = {
    is: "table",
    id: "tiles",
    title: `${countText(tiles.length, "tile")} in words`,
    about: "",
    columns: ["Tile", "Type", "Source", "Shows", "Alerts"],
    rows,
  } as const;
  const outside = {
    text: "Some tiles lie outside the grid of 24 columns and are drawn at its edge.",
    isFailure: false,
  };
  return {
    about: joinNonEmpty([counts.join(", "), tags.map((tag) => `[${tag}]`).join(" ")], "  "),
    searchTexts: [...tags, ...tiles.map(({ name }) => name)],
    facts: [
      [
        "Filters",
        joinWords(
          filters.map((filter) => filterWords(filter, model)),
          "; ",
        ),
      ],
      ["Saved query", savedQuery === "" ? undefined : { code: savedQuery }],
    ],
    blocks: [
      drawingOf(dashboard, model),
      ...(tiles.some(({ isOutsideGrid }) => isOutsideGrid) ? [{ is: "notes", notes: [outside] } as const] : []),
      ...(tiles.length === 0 ? [] : [table]),
    ],
  };
}

function filterWords({ name, expression, sourceId, appliesTo }: FilterModel, model: StackModel): Words {
  const targets = appliesTo.map((source) => nameOf(model, "sources", source)).join(", ");
  return [
    `${name} (`,
    { code: expression },
    `) from ${nameOf(model, "sources", sourceId)}${targets === "" ? "" : `, for ${targets}`}`,
  ];
}

function describeAlert(record: StackRecord, model: StackModel): KindDescription {
  const alert = readAlert(record);
  const sentence = conditionText(alert, model);
  return {
    about: `fires when ${sentence}`,
    searchTexts: [
      alert.message,
      watchedText(alert, model),
      ...model.needs(keyOfRecord(record)).map(({ space, id }) => nameOf(model, space, id)),
    ],
    facts: [
      ["Watches", watchedText(alert, model)],
      ["Notifies", alert.channels.map((channel) => channelText(channel, model)).join(", ")],
      ["Message", ifAny(alert.message, false)],
      ["Note", ifAny(alert.note, false)],
      ["State when read", alert.state],
    ],
  };
}

/** Returns the condition of an alert in words: `count where level:error is above 100 over 5m`. */
function conditionText(alert: AlertModel, model: StackModel): string {
  const measure = model.tile(alert.dashboardId, alert.tileId)?.measure ?? "";
  const measured = alert.savedSearchId === "" ? "the value" : "the number of events found";
  return `${measure === "" ? measured : measure} ${alert.condition}`;
}

function watchedText({ dashboardId, tileId, savedSearchId }: AlertModel, model: StackModel): string {
  if (dashboardId === "") return `saved search ${nameOf(model, "saved-searches", savedSearchId)}`;
  const tile = model.tile(dashboardId, tileId)?.label ?? `tile ${tileId}`;
  return `${tile} on ${nameOf(model, "dashboards", dashboardId)}`;
}

function channelText({ type, webhookId, recipients }: ChannelModel, model: StackModel): string {
  if (webhookId !== "") return `webhook ${nameOf(model, "webhooks", webhookId)}`;
  return joinNonEmpty([type, recipients.join(", ")], " ");
}

function describeSavedSearch({ body }: StackRecord, model: StackModel): KindDescription {
  const source = textAt(body, "sourceId");
  const [where, select] = [textAt(body, "where"), textAt(body, "select")];
  const filters = objectsAt(body, "filters").map((filter) => textAt(filter, "condition"));
  const tags = textsAt(body, "tags");
  return {
    about: joinNonEmpty([source === "" ? "" : nameOf(model, "sources", source), describeQuery({ where })]),
    searchTexts: [where, select, ...filters, ...tags],
    facts: [
      [`Finds (${textAt(body, "whereLanguage") || "lucene"})`, ifAny(where, true)],
      ["Shows", ifAny(select, true)],
      ["Ordered by", ifAny(textAt(body, "orderBy"), true)],
      ["Filters", ifAny(filters.join("\n"), true)],
      ["Tags", tags.join(", ")],
    ],
  };
}

function describeSource(record: StackRecord): KindDescription {
  const { kind, tables, refersTo } = readSource(record);
  return {
    about: joinNonEmpty([kind, ...tables.slice(0, 1)]),
    searchTexts: [kind, ...tables],
    facts: [
      ["Kind", kind],
      [tables.length === 1 ? "Table" : "Tables", tables.length === 0 ? undefined : { code: tables.join(", ") }],
      ["Refers to", refersTo.map(({ as }) => `a source of ${as}`).join(", ")],
    ],
  };
}

function describeConnection({ body }: StackRecord): KindDescription {
  const host = textAt(body, "host");
  return {
    about: host,
    searchTexts: [host],
    facts: [
      ["Address", host === "" ? undefined : { code: host }],
      ["User name", textAt(body, "username")],
    ],
  };
}

/** The address is shown as text, not as a link: a page never leads to an address from an archive. */
function describeWebhook({ body }: StackRecord): KindDescription {
  const [service, description, url] = [textAt(body, "service"), textAt(body, "description"), textAt(body, "url")];
  return {
    about: service,
    searchTexts: [service, description],
    facts: [
      ["Service", service],
      ["Description", description],
      ["Address", url === "" ? undefined : { code: url }],
      ["Body", ifAny(textAt(body, "body"), true)],
    ],
  };
}

function describePipe({ body }: StackRecord): KindDescription {
  const [from = "unknown"] = Object.keys(objectAt(body, "source"));
  const destination = objectAt(body, "destination");
  const into = joinNonEmpty([textAt(destination, "database"), textAt(destination, "table")], ".");
  return describeMembers(joinNonEmpty([`${from} → ${into}`, textAt(body, "state")]), body);
}

function describeMembers(about: string, body: JsonObject): KindDescription {
  return { about, facts: [["Members", ifAny(canonicalJson(body), true)]] };
}

function ifAny(text: string, isCode: boolean): Words | undefined {
  return text === "" ? undefined : { text, isCode };
}
