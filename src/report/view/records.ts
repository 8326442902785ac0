import { compactJson, objectsIn, ownMember, type JsonValue } from "../../core/json.ts";
import { keyOfRecord, recordKey, type KindName, type StackRecord } from "../../core/records/record.ts";
import type { IdSpace } from "../../core/resource-kind.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { findKind } from "../../kinds/registry.ts";
import {
  joinWords,
  type Block,
  type Drawing,
  type DrawnTile,
  type Fact,
  type RecordContent,
  type Words,
} from "../document.ts";
import { readAlert, type AlertModel } from "../model/alert.ts";
import { readDashboard, type DashboardModel, type TileModel } from "../model/dashboard.ts";
import { joinNonEmpty, textAt } from "../model/query.ts";
import type { StackModel } from "../model/stack.ts";
import { countText, nameOrId, tileTypeName } from "./words.ts";

/** Says what a record is and what it does; for a dashboard also draws it. */
export function describeRecord(record: StackRecord, model: StackModel): RecordContent {
  const { about, searchTexts, drawing, facts = [], table = [] } = describeKind(record, model);
  const all = [...facts, ...memberFacts(record), ...linkFacts(record, model), ["Id", { code: record.id }] as const];
  return { about, searchTexts, blocks: [...(drawing ? [drawing] : []), { is: "facts", facts: all }, ...table] };
}

interface KindDescription extends Pick<RecordContent, "about" | "searchTexts"> {
  /** Beside the members, the links to other records, and the id. */
  readonly facts?: readonly Fact[];
  readonly drawing?: Block;
  readonly table?: readonly Block[];
}

function describeKind(record: StackRecord, model: StackModel): KindDescription {
  if (record.kind === "dashboards") return describeDashboard(record, model);
  if (record.kind === "alerts") return describeAlert(record, model);
  const about = textAt(record.body, ownMember(ABOUT, record.kind) ?? "");
  return { about, searchTexts: Object.values(record.body).filter((value) => typeof value === "string") };
}

const ABOUT: Readonly<Record<KindName, string>> = {
  connections: "host",
  pipes: "state",
  "saved-searches": "where",
  sources: "kind",
  webhooks: "service",
};

/** Members that a record shows elsewhere: in its heading, or in its drawing. */
const SHOWN_ELSEWHERE = ["id", "name", "tags", "tiles", "containers"];

/** Lists the members of a record as the API names them, without the server's own, and the ids that the links to others show. */
function memberFacts({ kind, body }: StackRecord): Fact[] {
  const { references = [], children = [], serverOwned = [] } = findKind(kind) ?? {};
  const hidden = [...SHOWN_ELSEWHERE, ...serverOwned, ...references.map(({ path }) => path)];
  return Object.entries(body).flatMap(([member, value = null]): Fact[] => {
    const child = children.find((each) => each.member === member);
    const text = child ? objectsIn(value).map(child.nameOf).join(", ") : textOf(value);
    // An address is shown as text, not as a link: a page never leads to an address from an archive.
    const words: Words = text.includes("\n") ? { text, isCode: true } : { code: text };
    return hidden.includes(member) || NOTHING.includes(text) ? [] : [[member, words]];
  });
}

const NOTHING = ["", "null", "[]", "{}"];

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : compactJson(value);
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
  const { id, tags, tiles } = dashboard;
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
  return {
    about: joinNonEmpty([counts.join(", "), tags.map((tag) => `[${tag}]`).join(" ")], "  "),
    searchTexts: [...tags, ...tiles.map(({ name }) => name)],
    drawing: drawingOf(dashboard, model),
    table: tiles.length === 0 ? [] : [table],
  };
}

function drawingOf({ id, name, panels }: DashboardModel, model: StackModel): Drawing {
  const drawn = (tile: TileModel): DrawnTile => ({
    ...tile,
    source: tile.sourceId === "" ? "" : (model.find("sources", tile.sourceId)?.name ?? tile.sourceId),
    alerts: model.alertsOn(id, tile.id).map((alert) => nameOrId(alert.name, alert.id)),
  });
  return {
    is: "drawing",
    name: nameOrId(name, id),
    panels: panels.map((panel) => ({ ...panel, tiles: panel.tiles.map(drawn) })),
  };
}

function describeAlert(record: StackRecord, model: StackModel): KindDescription {
  const alert = readAlert(record);
  const watched = watchedText(alert, model);
  return {
    about: `fires when ${conditionText(alert, model)}`,
    searchTexts: [
      textAt(record.body, "message"),
      watched,
      ...model.needs(keyOfRecord(record)).map(({ space, id }) => nameOf(model, space, id)),
    ],
    facts: [["Watches", watched]],
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
