import { expect, it } from "vitest";
import { toCode, type NameLookup } from "../../../../src/archive/as-code/convert-record.ts";
import type { JsonObject, JsonValue } from "../../../../src/core/json.ts";
import { alerts } from "../../../../src/kinds/alerts.ts";
import { dashboards } from "../../../../src/kinds/dashboards.ts";

type Case = readonly [title: string, body: JsonObject, code: JsonObject];

const names: NameLookup = {
  referenceTo: (space, id, owner) => `${space} ${id}${owner === undefined ? "" : ` of ${owner}`}`,
  replaceIds: (text) => text.replaceAll("ID", "<mentioned>"),
};
const tiled = (config: JsonObject): JsonObject => ({ tiles: [{ config }] });
const click = (type: string, target: JsonObject): JsonObject =>
  tiled({ onClick: { type, target: { mode: "id", ...target } } });
const filtered = (filter: JsonObject): JsonObject => ({ filters: [filter] });
const owned = { id: "i", createdAt: "t", updatedAt: "t", teamId: "x" };
const unlike = { asRatio: true, fillNulls: false, whereLanguage: "sql", where: "a:1", select: [] };

const DASHBOARDS: readonly Case[] = [
  [
    "no members that the server sets, and no null or empty ones",
    { ...owned, name: "N", tags: [], savedQuery: null, tiles: [{ id: "t", name: "T", config: {} }] },
    { name: "N", tiles: [{ name: "T", config: {} }] },
  ],
  ["no ids of filters", filtered({ id: "f", name: "F" }), filtered({ name: "F" })],
  ["no members that equal the server's default", tiled({ asRatio: false, fillNulls: true, where: "" }), tiled({})],
  ["every other member but null", tiled({ ...unlike, color: null }), tiled(unlike)],
  ["tags, and a member with the name of one with a default", { tags: ["t"], select: "" }, { tags: ["t"], select: "" }],
  // A response can show a language although the server stores none.
  ["a language that equals the default", tiled({ whereLanguage: "lucene" }), tiled({ whereLanguage: "lucene" })],
  ["tiles from the top to the bottom", { tiles: tilesAt(3, 1, 2) }, { tiles: tilesAt(1, 2, 3) }],
  [
    "names for the ids of references, and other member names (sourceId to source)",
    tiled({ sourceId: "s", connectionId: "c" }),
    tiled({ source: "sources s", connection: "connections c" }),
  ],
  ["the target of a search by name", click("search", { id: "x" }), click("search", { source: "sources x" })],
  ["the target of a link by name", click("dashboard", { id: "x" }), click("dashboard", { dashboard: "dashboards x" })],
  ["the target of an address as it is", click("url", { id: "x" }), click("url", { id: "x" })],
  [
    "names in a list of references",
    filtered({ sourceId: "s", appliesToSourceIds: ["s", "t"] }),
    filtered({ source: "sources s", appliesToSources: ["sources s", "sources t"] }),
  ],
  [
    "a reference under its own member name if the other one is taken",
    tiled({ sourceId: "s", source: "mine" }),
    tiled({ sourceId: "sources s", source: "mine" }),
  ],
  ["an empty reference as it is", tiled({ sourceId: "" }), tiled({ sourceId: "" })],
  ["a number in the place of a reference as it is", tiled({ sourceId: 7 }), tiled({ sourceId: 7 })],
  ["an empty list of references", filtered({ appliesToSourceIds: [] }), filtered({ appliesToSourceIds: [] })],
  [
    "mentions for the ids in texts, but not in names that references use",
    {
      name: "ID",
      note: ["ID"],
      tiles: [{ name: "ID", title: "ID", config: { select: [{ name: "ID" }], name: "ID" } }],
    },
    {
      name: "ID",
      note: ["<mentioned>"],
      tiles: [{ name: "ID", title: "<mentioned>", config: { select: [{ name: "<mentioned>" }], name: "<mentioned>" } }],
    },
  ],
];

const [one, other] = ["a", "b"].map((webhookId) => ({ type: "webhook", webhookId }));
const named = (id: string): JsonObject => ({ type: "webhook", webhook: `webhooks ${id}` });

const ALERTS: readonly Case[] = [
  [
    "a tile by its dashboard",
    { source: "tile", dashboardId: "d", tileId: "t" },
    { source: "tile", dashboard: "dashboards d", tile: "dashboards/tiles t of d" },
  ],
  ["a tile without a dashboard", { tileId: "t" }, { tile: "dashboards/tiles t" }],
  ["a tile of no valid dashboard", { tileId: "t", dashboardId: 7 }, { tile: "dashboards/tiles t", dashboardId: 7 }],
  ["a single channel as channel", { channel: one ?? {}, channels: [one ?? {}] }, { channel: named("a") }],
  [
    "several channels as channels",
    { channel: one ?? {}, channels: [one ?? {}, other ?? {}] },
    { channels: [named("a"), named("b")] },
  ],
];

it.each(DASHBOARDS)("the code form of a dashboard has %s", (_, body, code) => {
  expect(toCode(dashboards, body, names)).toEqual(code);
});

it.each(ALERTS)("the code form of an alert has %s", (_, body, code) => {
  expect(toCode(alerts, body, names)).toEqual(code);
});

it("the code form has members in the order of the kind, then other members by the alphabet", () => {
  const tile = { zeta: 1, config: {}, alpha: 1, y: 0, x: 0, name: "T" };
  const made = toCode(dashboards, { tiles: [tile], zeta: 1, beta: 1, tags: ["t"], alpha: 1, name: "N" }, names);
  expect(Object.keys(made)).toEqual(["name", "tags", "tiles", "alpha", "beta", "zeta"]);
  const [first] = made["tiles"] as readonly JsonObject[];
  expect(Object.keys(first ?? {})).toEqual(["name", "x", "y", "config", "alpha", "zeta"]);
});

function tilesAt(...rows: readonly number[]): JsonValue {
  return rows.map((y) => ({ x: 0, y }));
}
