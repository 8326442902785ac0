import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { partDigest, partsOfTarget } from "../../../src/references/parts.ts";
import { hexId } from "../../support/stack-records.ts";

const tile = (number: number, more: JsonObject = {}): JsonObject => ({
  id: hexId("d", number),
  name: `Tile ${number}`,
  ...more,
});
const board = (more: JsonObject = {}): JsonObject => ({
  id: hexId("a", 16),
  name: "Board",
  tags: ["one"],
  tiles: [tile(1), tile(2)],
  ...more,
});

/** Returns the labels of the parts of which the digest differs, or that one side lacks. */
function changed(before: JsonObject, after: JsonObject): string[] {
  const [from, to] = [before, after].map((body) => partsOfTarget(dashboards, body));
  const digests = new Map((from ?? []).map(({ key, value }) => [key, partDigest(value)]));
  const present = new Set((to ?? []).map(({ key }) => key));
  return [
    ...(to ?? []).filter(({ key, value }) => digests.get(key) !== partDigest(value)),
    ...(from ?? []).filter(({ key }) => !present.has(key)),
  ].map(({ label }) => label);
}

it.each<[what: string, after: JsonObject, labels: string[]]>([
  [
    "the case of ids and the server's members",
    { tiles: [{ ...tile(1), id: hexId("d", 1).toUpperCase() }, tile(2)], updatedAt: "now" },
    [],
  ],
  ["the order of tiles", { tiles: [tile(2), tile(1)] }, []],
  ["members", { name: "New", tags: ["two"] }, ["name", "tags"]],
  ["a tile", { tiles: [tile(1), tile(2, { x: 1 })] }, ['tile "Tile 2"']],
  ["a new tile", { tiles: [tile(1), tile(2), tile(3)] }, ['tile "Tile 3"']],
  ["a tile without a name", { tiles: [tile(1), tile(2, { name: "" })] }, ["tile number 2"]],
  ["a tile that is gone", { tiles: [tile(2)] }, ['tile "Tile 1"']],
  ["a new filter", { filters: [{ id: "f", name: "F" }] }, ['filter "F"']],
])("bodies that differ in %s differ in these parts", (_, after, labels) => {
  expect(changed(board(), board(after))).toEqual(labels);
  expect(changed(board(after), board()).toSorted()).toEqual(
    labels.map((label) => (label === "tile number 2" ? 'tile "Tile 2"' : label)).toSorted(),
  );
});

it("tiles that are no list are one part, and a tile that is no object is a part by its number", () => {
  expect(changed(board({ tiles: "none" }), board({ tiles: "some" }))).toEqual(["tiles"]);
  expect(changed(board({ tiles: ["x"] }), board({ tiles: ["y"] }))).toEqual(["tile number 1"]);
});
