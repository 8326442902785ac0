import { describe, expect, it } from "vitest";
import type { NameLookup } from "../../../../src/archive/as-code/convert-record.ts";
import { toCode } from "../../../../src/archive/as-code/convert-record.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { alerts } from "../../../../src/kinds/alerts.ts";
import { dashboards } from "../../../../src/kinds/dashboards.ts";

const names: NameLookup = {
  referenceTo: (space, id, owner) => `${space} ${id}${owner === undefined ? "" : ` of ${owner}`}`,
  replaceIds: (text) => text.replaceAll("ID", "<mentioned>"),
};
const code = (body: JsonObject): JsonObject => toCode(dashboards, body, names);
const tiled = (config: JsonObject): JsonObject => {
  const { tiles } = code({ tiles: [{ config }] }) as { tiles?: { config: JsonObject }[] };
  return tiles?.[0]?.config ?? {};
};

describe("a record converted to its code form", () => {
  it("leaves out null and empty members and members that the server sets", () => {
    const body = { id: "i", createdAt: "t", updatedAt: "t", teamId: "x", name: "N", tags: [], savedQuery: null };
    expect(code({ ...body, tiles: [{ id: "t", name: "T", config: {} }], filters: [{ id: "f", name: "F" }] })).toEqual({
      name: "N",
      tiles: [{ name: "T", config: {} }],
      filters: [{ name: "F" }],
    });
  });

  it("leaves out members that equal the server's default and writes all others", () => {
    const said = { asRatio: true, fillNulls: false, whereLanguage: "sql", where: "a:1", select: [], color: null };
    expect(tiled({ asRatio: false, fillNulls: true, where: "" })).toEqual({});
    // A response can show a language although the server stores none, so a language is never left out.
    expect(tiled({ whereLanguage: "lucene" })).toEqual({ whereLanguage: "lucene" });
    const { color: _color, ...kept } = said;
    expect(tiled(said)).toEqual(kept);
    expect(code({ tags: ["t"], select: "" })).toEqual({ tags: ["t"], select: "" });
  });

  it("orders members as the kind declares them, then other members by the alphabet", () => {
    const tile = { zeta: 1, config: {}, alpha: 1, y: 0, x: 0, name: "T" };
    const made = code({ tiles: [tile], zeta: 1, beta: 1, tags: ["t"], alpha: 1, name: "N" });
    expect(Object.keys(made)).toEqual(["name", "tags", "tiles", "alpha", "beta", "zeta"]);
    const [first] = made["tiles"] as readonly JsonObject[];
    expect(Object.keys(first ?? {})).toEqual(["name", "x", "y", "config", "alpha", "zeta"]);
  });

  it("lists tiles from the top to the bottom", () => {
    const tiles = [3, 1, 2].map((y) => ({ x: 0, y }));
    expect(code({ tiles })).toEqual({ tiles: [1, 2, 3].map((y) => ({ x: 0, y })) });
  });

  it("replaces reference ids by names and renames their members (sourceId to source)", () => {
    expect(tiled({ sourceId: "s", connectionId: "c" })).toEqual({ source: "sources s", connection: "connections c" });
    const click = (type: string): unknown => tiled({ onClick: { type, target: { mode: "id", id: "x" } } })["onClick"];
    expect(click("search")).toEqual({ type: "search", target: { mode: "id", source: "sources x" } });
    expect(click("dashboard")).toEqual({ type: "dashboard", target: { mode: "id", dashboard: "dashboards x" } });
    expect(click("url")).toEqual({ type: "url", target: { mode: "id", id: "x" } });
    const filter = { type: "a", name: "F", expression: "x", sourceId: "s", appliesToSourceIds: ["s", "t"] };
    expect(code({ filters: [filter] })["filters"]).toEqual([
      { type: "a", name: "F", expression: "x", source: "sources s", appliesToSources: ["sources s", "sources t"] },
    ]);
  });

  it("keeps a reference's member name if the new name is taken or the value is no reference", () => {
    expect(tiled({ sourceId: "s", source: "mine" })).toEqual({ sourceId: "sources s", source: "mine" });
    expect(tiled({ sourceId: "" })).toEqual({ sourceId: "" });
    expect(tiled({ sourceId: 7 })).toEqual({ sourceId: 7 });
    expect(code({ filters: [{ appliesToSourceIds: [] }] })).toEqual({ filters: [{ appliesToSourceIds: [] }] });
  });

  it("resolves an alert's tile together with its dashboard", () => {
    const made = toCode(alerts, { source: "tile", dashboardId: "d", tileId: "t" }, names);
    expect(made).toEqual({ source: "tile", dashboard: "dashboards d", tile: "dashboards/tiles t of d" });
    expect(toCode(alerts, { tileId: "t" }, names)).toEqual({ tile: "dashboards/tiles t" });
    expect(toCode(alerts, { tileId: "t", dashboardId: 7 }, names)).toMatchObject({ tile: "dashboards/tiles t" });
  });

  it("replaces ids in texts by mentions, except in names that references use", () => {
    const select = [{ name: "ID", alias: "ID" }];
    const made = code({
      name: "ID",
      note: ["ID"],
      tiles: [{ name: "ID", title: "ID", config: { select, name: "ID" } }],
    });
    const there = "<mentioned>";
    expect(made).toEqual({
      name: "ID",
      note: [there],
      tiles: [{ name: "ID", title: there, config: { select: [{ name: there, alias: there }], name: there } }],
    });
  });

  it("writes an alert's single channel as channel and several as channels", () => {
    const channel = (webhookId: string) => ({ type: "webhook", webhookId });
    const [one, other] = [channel("a"), channel("b")];
    const named = (id: string) => ({ type: "webhook", webhook: `webhooks ${id}` });
    expect(toCode(alerts, { channel: one, channels: [one] }, names)).toEqual({ channel: named("a") });
    expect(toCode(alerts, { channel: one, channels: [one, other] }, names)).toEqual({
      channels: [named("a"), named("b")],
    });
  });
});
