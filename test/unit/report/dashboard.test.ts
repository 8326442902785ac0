import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { DrawnTile } from "../../../src/report/document.ts";
import { drawingHtml, fitSvgText } from "../../../src/report/html/drawing.ts";
import { markupOf } from "../../../src/report/html/html.ts";
import { readDashboard, markTiles, readTile } from "../../../src/report/model/dashboard.ts";

const tile = (id: string, more: JsonObject = {}): JsonObject => ({ id, name: id, x: 0, y: 0, w: 6, h: 3, ...more });
const read = (body: JsonObject) => readDashboard({ kind: "dashboards", id: "d", name: "d", body });

describe("the panels of a dashboard", () => {
  it("are its grid, then each container and each tab, and no tile is lost", () => {
    const { panels } = read({
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
      { x: 23, w: 1, isOutsideGrid: true },
    ],
    [
      { x: -3, y: -1, h: 0 },
      { x: 0, y: 0, h: 1, isOutsideGrid: true },
    ],
    [
      { x: 20, w: 8 },
      { x: 20, w: 4, isOutsideGrid: true },
    ],
    [
      { x: "4", y: null, w: 24.5, h: 1e300 },
      { x: 0, y: 0, w: 24, h: 100, isOutsideGrid: true },
    ],
    [
      { x: 3.5, y: 2, w: 6, h: 4 },
      { x: 3.5, y: 2, w: 6, h: 4, isOutsideGrid: false },
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
function drawn(
  tiles: readonly JsonObject[],
  details: Readonly<Record<string, Partial<DrawnTile>>> = {},
  isNarrow = false,
): string {
  const panels = read({ tiles }).panels.map((panel) => ({
    ...panel,
    tiles: panel.tiles.map((each) => ({ ...each, source: "", alerts: [], ...details[each.id] })),
  }));
  return markupOf(drawingHtml({ is: "drawing", name: "D", panels, isNarrow }));
}

describe("the drawing of a dashboard", () => {
  it("has each tile at its position, with its alerts and the word for its change", () => {
    const markup = drawn([tile("a"), tile("b", { x: 6, y: 3, w: 18, h: 2 })], {
      a: { alerts: ["x", "y"] },
      b: { mark: "changed" },
    });
    const boxes = [
      ...markup.matchAll(/<svg class="t[^"]*" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g),
    ];
    expect(boxes.map((box) => box.slice(1).map(Number))).toEqual([
      [3, 3, 234, 72],
      [243, 81, 714, 46],
    ]);
    expect(markup).toContain('viewBox="0 0 960 130"');
    expect(markup).toContain(">2</text");
    expect(markup).toContain(">x, y</text");
    expect(markup).toContain(">changed</text");
  });

  it("has narrower columns beside another one, and the same row height", () => {
    const markup = drawn([tile("a", { x: 12, w: 12, y: 2 })], {}, true);
    expect(markup).toContain('viewBox="0 0 528 78"');
    expect(markup).toContain('<svg class="t" x="267" y="3" width="258" height="72">');
  });

  it("shows the text of a Markdown tile, as many lines as fit", () => {
    const config = { displayType: "markdown", markdown: "# One\n\n<two>\nthree\nfour\nfive" };
    const markup = drawn([tile("a", { h: 4, config })]);
    for (const shown of [">&lt;two&gt;</text", ">three</text"]) expect(markup).toContain(shown);
    for (const cut of ["four", "<two>"]) expect(markup).not.toContain(cut);
  });
});

describe("fitSvgText", () => {
  it.each([
    ["short", 100, "short"],
    ["much too long for it", 60, "much to…"],
    ["line chart · Größe", 200, "line chart · Größe"],
    ["漢字漢字漢字漢字", 70, "漢字漢字…"],
    ["anything", 5, ""],
  ])("fits %j into %i units as %j", (text, width, fitted) => expect(fitSvgText(text, width, 13)).toBe(fitted));
});

describe("markTiles", () => {
  const left = [
    tile("l0", { name: "same" }),
    tile("l1", { name: "gone", x: 6 }),
    tile("l2", { name: "old", x: 12 }),
  ].map(readTile);
  const right = [
    tile("r0", { name: "same" }),
    tile("r1", { name: "new", x: 12 }),
    tile("r2", { name: "more", y: 9 }),
  ].map(readTile);

  it("marks the tiles of both sides that were added, removed or changed", () => {
    const marks = markTiles(
      [
        { pointer: "/tiles/0/config/where", change: "added" },
        { pointer: "/tiles/1", change: "removed" },
        { pointer: "/tiles/1/name", change: "changed" },
        { pointer: "/tiles/2", change: "added" },
        { pointer: "/tiles/99", change: "added" },
        { pointer: "/tags/0", change: "added" },
      ],
      left,
      right,
    );
    expect(left.map((each) => marks.get(each))).toEqual(["changed", "removed", "changed"]);
    expect(right.map((each) => marks.get(each))).toEqual(["changed", "changed", "added"]);
  });

  it("marks the tile on the right side too if one of its members was removed", () => {
    const marks = markTiles([{ pointer: "/tiles/1/config/where", change: "removed" }], left, right);
    expect(left.map((each) => marks.get(each))).toEqual([undefined, undefined, "changed"]);
    expect(right.map((each) => marks.get(each))).toEqual([undefined, "changed", undefined]);
  });
});
