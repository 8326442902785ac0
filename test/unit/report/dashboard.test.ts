import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { DrawnTile } from "../../../src/report/document.ts";
import { drawingHtml } from "../../../src/report/html/drawing.ts";
import { markupOf } from "../../../src/report/html/html.ts";
import { panelsOf, readTile, readTiles } from "../../../src/report/model/dashboard.ts";

const tile = (id: string, more: JsonObject = {}): JsonObject => ({ id, name: id, x: 0, y: 0, w: 6, h: 3, ...more });
const panelsIn = (body: JsonObject) => {
  const dashboard = { kind: "dashboards", id: "d", name: "d", body };
  return panelsOf(dashboard, readTiles(dashboard));
};

describe("the panels of a dashboard", () => {
  it("are its grid, then each container and each tab, and no tile is lost", () => {
    const panels = panelsIn({
      tiles: [
        tile("a"),
        tile("b", { containerId: "c1", tabId: "t2" }),
        tile("c", { containerId: "c1", tabId: "gone" }),
        tile("d", { containerId: "gone" }),
      ],
      containers: [
        {
          id: "c1",
          title: "One",
          collapsed: true,
          tabs: [
            { id: "t1", title: "T1" },
            { id: "t2", title: "T2" },
          ],
        },
      ],
    });
    expect(panels.map(({ title, tab, tiles }) => [title, tab, tiles.map(({ id }) => id)])).toEqual([
      ["", "", ["a", "d"]],
      ["One", "", ["c"]],
      ["One", "T1", []],
      ["One", "T2", ["b"]],
    ]);
  });
});

describe("readTile", () => {
  it.each([
    [
      { x: 1e9, w: 24 },
      { x: 23, w: 1 },
    ],
    [
      { x: -3, y: -1, h: 0 },
      { x: 0, y: 0, h: 1 },
    ],
    [
      { x: 20, w: 8 },
      { x: 20, w: 4 },
    ],
    [
      { x: "4", y: null, w: 24.5, h: 1e300 },
      { x: 0, y: 0, w: 24, h: 100 },
    ],
    [
      { x: 3.5, y: 2, w: 6, h: 4 },
      { x: 3.5, y: 2, w: 6, h: 4 },
    ],
  ])("reads the box %j as %j", (box, drawn) => {
    expect(readTile(tile("a", box), 0)).toMatchObject(drawn);
  });

  it("describes the query in words", () => {
    const select = [
      { aggFn: "quantile", level: 0.95, valueExpression: "Duration", where: "SpanKind:Server", alias: "p95" },
    ];
    const { query, measure } = readTile(
      tile("a", { config: { displayType: "line", select, groupBy: "ServiceName" } }),
      0,
    );
    expect(query).toBe("quantile 0.95 of Duration where SpanKind:Server as p95; by ServiceName");
    expect(measure).toBe("quantile 0.95 of Duration where SpanKind:Server");
  });
});

/** Draws a dashboard with these tiles. They have no alerts, unless `details` gives some. */
function drawn(tiles: readonly JsonObject[], details: Readonly<Record<string, Partial<DrawnTile>>> = {}): string {
  const panels = panelsIn({ tiles }).map((panel) => ({
    ...panel,
    tiles: panel.tiles.map((each) => ({ ...each, source: "", alerts: [], ...details[each.id] })),
  }));
  return markupOf(drawingHtml({ is: "drawing", name: "D", panels }));
}

describe("the drawing of a dashboard", () => {
  it("has each tile at its position, with its name, its type and its alerts", () => {
    const markup = drawn([tile("<a>"), tile("b", { x: 6, y: 3, w: 18, h: 2, config: { displayType: "pie" } })], {
      "<a>": { alerts: ["x", "y"] },
    });
    const boxes = [...markup.matchAll(/<svg x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g)];
    expect(boxes.map((box) => box.slice(1).map(Number))).toEqual([
      [3, 3, 234, 72],
      [243, 81, 714, 46],
    ]);
    expect(markup).toContain('viewBox="0 0 960 130"');
    for (const text of ["&lt;a&gt;", "! x, y", "pie"]) expect(markup).toContain(`>${text}</text`);
  });
});
