import { compactJson, objectsIn, ownMember, type JsonValue } from "../../core/json.ts";
import { keyOfRecord, recordKey, type KindName, type StackRecord } from "../../core/records/record.ts";
import type { IdSpace } from "../../core/resource-kind.ts";
import { pluralize } from "../../core/text/format.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { findKind } from "../../kinds/registry.ts";
import { spansOf, type Block, type DrawnTile, type Fact, type RecordContent, type Words } from "../document.ts";
import { panelsOf, type TileModel } from "../model/dashboard.ts";
import { describeCondition, joinNonEmpty, textAt, textsAt } from "../model/query.ts";
import type { StackModel } from "../model/stack.ts";
import { nameOrId, tileTypeName } from "./words.ts";

export function describeRecord(record: StackRecord, model: StackModel): RecordContent {
  const { about, drawing, facts = [], table = [] } = describeKind(record, model);
  const all = [...facts, ...memberFacts(record), ...linkFacts(record, model), ["Id", { code: record.id }] as const];
  return { about, blocks: [...(drawing ? [drawing] : []), { is: "facts", facts: all }, ...table] };
}

interface KindDescription extends Pick<RecordContent, "about"> {
  readonly facts?: readonly Fact[];
  readonly drawing?: Block;
  readonly table?: readonly Block[];
}

function describeKind(record: StackRecord, model: StackModel): KindDescription {
  if (record.kind === "dashboards") return describeDashboard(record, model);
  if (record.kind === "alerts") return describeAlert(record, model);
  return { about: textAt(record.body, ownMember(ABOUT, record.kind) ?? "") };
}

const ABOUT: Readonly<Record<KindName, string>> = {
  connections: "host",
  pipes: "state",
  "saved-searches": "where",
  sources: "kind",
  webhooks: "service",
};

const SHOWN_ELSEWHERE = ["id", "name", "tags", "tiles", "containers"];

function memberFacts({ kind, body }: StackRecord): Fact[] {
  const { references = [], children = [], serverOwned = [] } = findKind(kind) ?? {};
  const hidden = [...SHOWN_ELSEWHERE, ...serverOwned, ...references.map(({ path }) => path)];
  return Object.entries(body).flatMap(([member, value = null]): Fact[] => {
    const child = children.find((each) => each.member === member);
    const text = child ? objectsIn(value).map(child.nameOf).join(", ") : textOf(value);
    // An address is text, because a page never links to an address from an archive.
    const words: Words = text.includes("\n") ? { text, isCode: true } : { code: text };
    return hidden.includes(member) || NOTHING.includes(text) ? [] : [[member, words]];
  });
}

const NOTHING = ["", "null", "[]", "{}"];

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : compactJson(value);
}

/** Thousands of records can use one source. */
const MAX_LINKS = 40;

function linkFacts(record: StackRecord, model: StackModel): Fact[] {
  const key = keyOfRecord(record);
  const users = model.neededBy(key).filter(({ kind, id }) => kind !== record.kind || id !== record.id);
  return [
    ["Uses", links(model.needs(key).map(({ space, id }) => linkTo(model, space, id)))],
    ["Used by", links(users.map(({ kind, id }) => linkTo(model, kind, id)))],
  ];
}

function links(words: readonly Words[]): Words {
  const more = words.length - MAX_LINKS;
  const named = more > 0 ? [...words.slice(0, MAX_LINKS), `and ${more} more`] : words;
  return named.flatMap((each, index) => (index === 0 ? spansOf(each) : [", ", ...spansOf(each)]));
}

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
  const tiles = model.tilesOf(record.id);
  const tags = textsAt(record.body, "tags");
  const alerts = model.alertsOn(record.id);
  const counts = [pluralize(tiles.length, "tile"), ...(alerts.length > 0 ? [pluralize(alerts.length, "alert")] : [])];
  const drawn = new Map(tiles.map((tile): [TileModel, DrawnTile] => [tile, drawnTile(tile, alerts, model)]));
  const rows = [...drawn.values()].map((tile): Words[] => [
    nameOrId(tile.name, tile.id),
    tileTypeName(tile),
    tile.source === "" ? tile.connectionId && `connection ${tile.connectionId}` : tile.source,
    { text: tile.query, isCode: true },
    tile.alerts.join(", "),
  ]);
  const table = {
    is: "table",
    id: "tiles",
    title: `${pluralize(tiles.length, "tile")} in words`,
    about: "",
    columns: ["Tile", "Type", "Source", "Shows", "Alerts"],
    rows,
  } as const;
  const panels = panelsOf(record, tiles).map((panel) => ({
    ...panel,
    tiles: panel.tiles.flatMap((tile) => drawn.get(tile) ?? []),
  }));
  return {
    about: joinNonEmpty([counts.join(", "), tags.map((tag) => `[${tag}]`).join(" ")], "  "),
    drawing: { is: "drawing", name: nameOrId(record.name, record.id), panels },
    table: tiles.length === 0 ? [] : [table],
  };
}

function drawnTile(tile: TileModel, alerts: readonly StackRecord[], model: StackModel): DrawnTile {
  const onTile = alerts.filter(({ body }) => textAt(body, "tileId") === tile.id);
  return {
    ...tile,
    source: tile.sourceId === "" ? "" : nameOf(model, "sources", tile.sourceId),
    alerts: onTile.map(({ name, id }) => nameOrId(name, id)),
  };
}

function describeAlert({ body }: StackRecord, model: StackModel): KindDescription {
  const dashboardId = textAt(body, "dashboardId");
  const tile = model.tilesOf(dashboardId).find((each) => each.id === textAt(body, "tileId"));
  const savedSearchId = textAt(body, "savedSearchId");
  const watched =
    dashboardId === ""
      ? `saved search ${nameOf(model, "saved-searches", savedSearchId)}`
      : `${tile?.label ?? `tile ${textAt(body, "tileId")}`} on ${nameOf(model, "dashboards", dashboardId)}`;
  const measured = tile?.measure || (savedSearchId === "" ? "the value" : "the number of events found");
  return {
    about: `fires when ${measured} ${describeCondition(body)}`,
    facts: [["Watches", watched]],
  };
}
