import { describe, expect, it } from "vitest";
import { outcomeLines, warningMessages, writesDuring, type StageRun } from "../../support/import-stage.ts";
import { hexId } from "../../support/stack-records.ts";
import { conflictsOf, decisionOf, imported, three, tile, tileAt } from "./merge-stage.ts";

describe("a merge that moves a tile", () => {
  const below = [tileAt("A", 0, 0), tileAt("B", 0, 3), tileAt("C", 0, 6)];
  const overlaps = ({ plan }: StageRun): readonly string[] => warningMessages(plan, "tiles-overlap");

  it("onto a tile that somebody has moved there says that the two overlap", async () => {
    const board = await imported(below);
    board.editTile("B", { x: 6, y: 0 });
    const run = await board.run([tileAt("A", 6, 0), ...below.slice(1)]);
    expect(decisionOf(run)).toBe("update kept");
    expect(overlaps(run)).toEqual([expect.stringMatching(/"Overview".*"A".*"B"/)]);
    expect(outcomeLines(board.tiles(), "name", "x", "y")).toEqual(["A 6 0", "B 6 0", "C 0 6"]);
  });

  it("says so of a new tile, too, and nothing where the tiles have room, or overlap on a side already", async () => {
    const both = [tileAt("A", 0, 0), tileAt("B", 0, 3), tileAt("C", 0, 3)];
    const board = await imported(both);
    board.editTile("A", { x: 12 });
    const added = tileAt("D", 12, 1);
    expect(overlaps(await board.run([...both, added]))).toEqual([expect.stringMatching(/"D".*"A"/)]);
    board.setVersion("B", "theirs");
    const moved = { ...tile("C", "2"), x: 1, y: 3 };
    expect(overlaps(await board.run([...both.slice(0, 2), moved, added]))).toEqual([]);
  });

  it("says nothing of a tile in the place of one that the same merge removes", async () => {
    const board = await imported(below);
    board.setVersion("A", "theirs");
    const run = await board.run([...below.slice(0, 2), tileAt("D", 0, 6)]);
    expect(decisionOf(run)).toBe("update kept");
    expect(board.tiles().map(({ name }) => name)).toEqual(["A", "B", "D"]);
    expect(overlaps(run)).toEqual([]);
  });
});

it("a merge that sends a tile of the target in a form that no write takes needs --fit-limits", async () => {
  const board = await imported();
  board.retile((tiles) => [...tiles, { ...tile("X"), id: hexId("e", 30), w: 30 }]);
  const changed = [...three, tile("D")];
  expect(decisionOf(await board.run(changed))).toBe("blocked needs-fitting");
  expect(board.tiles()).toHaveLength(4);
  expect((await board.run(changed, { fitLimits: true })).exitCode).toBe(0);
  expect(outcomeLines(board.tiles(), "name", "w")).toEqual(["A 6", "B 6", "C 6", "X 24", "D 6"]);
});

it.each([
  ["its container", { containers: [{ id: "k", title: "K", collapsed: false }] }, 6, { containerId: "k" }],
  ["a width that no write takes", {}, 24, { w: 30 }],
])("an edit that a merge itself has undone stays an edit, and the tile stays: %s", async (_, members, width, moved) => {
  const board = await imported([{ ...tile("A"), w: width }, ...three.slice(1)], { members, fitLimits: true });
  board.editTile("A", moved);
  const merged = async (): Promise<void> => {
    expect(
      conflictsOf(await board.run(three.slice(1), { members: { containers: [], tags: ["new"] }, fitLimits: true })),
    ).toEqual(['tile "A"']);
    expect(board.versions()).toEqual({ A: "1", B: "1", C: "1" });
  };
  expect([await writesDuring(board.stack, merged), await writesDuring(board.stack, merged)]).toEqual([
    ["update dashboards"],
    [],
  ]);
  expect(board.tiles()[0]).toMatchObject({ w: width });
  expect(board.tiles()[0]).not.toHaveProperty("containerId");
});
