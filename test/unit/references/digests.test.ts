import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { changedParts, contentDigests, recordFingerprint } from "../../../src/references/record-content.ts";
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
const changed = (before: JsonObject, after: JsonObject): string[] =>
  changedParts(dashboards, after, contentDigests(dashboards, before));
const ofText = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("the parts of a record that changed", () => {
  it("are none where it says the same, with the ids in another case and the server's members another", () => {
    const spelt = board({
      tiles: [tile(1), tile(2)].map((each) => ({ ...each, id: String(each["id"]).toUpperCase() })),
    });
    expect(changed(board(), { ...spelt, updatedAt: "now" })).toEqual([]);
  });

  it("are named by their member, or as the tile by its name", () => {
    expect(changed(board(), board({ name: "New", tags: ["two"] }))).toEqual(["name", "tags"]);
    expect(changed(board(), board({ tiles: [tile(1), tile(2, { x: 1 })] }))).toEqual(['tile "Tile 2"']);
    expect(changed(board(), board({ tiles: [tile(1), tile(2), tile(3)] }))).toEqual(['tile "Tile 3"']);
    expect(changed(board(), board({ tiles: [tile(1), tile(2, { name: "" })] }))).toEqual(["tile number 2"]);
  });

  it("are named when they are gone: the member, or once that there was a tile", () => {
    const { tags: _tags, ...untagged } = board();
    expect(changed(board(), untagged)).toEqual(["tags"]);
    expect(changed(board(), board({ tiles: [tile(2)] }))).toEqual(["a tile that is gone"]);
    expect(changed(board(), board({ tiles: [] }))).toEqual(["a tile that is gone"]);
    expect(changed(board({ filters: [{ id: "f", name: "F" }] }), board())).toEqual(["a filter that is gone"]);
  });

  it("are not the tiles that only changed places", () => {
    expect(changed(board(), board({ tiles: [tile(2), tile(1)] }))).toEqual([]);
  });

  it("are told apart by their names where the tiles have no ids yet", () => {
    const fresh = (...names: string[]): JsonObject => board({ tiles: names.map((name) => ({ name, x: 1 })) });
    expect(changed(fresh("A", "B"), fresh("B", "A"))).toEqual([]);
    expect(changed(fresh("A", "B"), fresh("A", "C"))).toEqual(['tile "C"', "a tile that is gone"]);
    expect(Object.keys(contentDigests(dashboards, fresh("A")).members)).toContain("tiles/A");
  });

  it("may be a member that is no list of tiles", () => {
    expect(changed(board({ tiles: "none" }), board({ tiles: "some" }))).toEqual(["tiles"]);
    expect(changed(board({ tiles: ["x"] }), board({ tiles: ["y"] }))).toEqual(["tile number 1"]);
  });
});

describe("digests", () => {
  it("are those that earlier versions noted: of the sorted text, ids in lower case, of what is compared alone", () => {
    const id = hexId("a", 1);
    const body = { tags: [id.toUpperCase()], name: "N", id: hexId("a", 16) };
    expect(recordFingerprint(dashboards, body)).toBe(ofText(`{"name":"N","tags":["${id}"]}`));
    expect(contentDigests(dashboards, body)).toEqual({
      whole: ofText(`{"name":"N","tags":["${id}"]}`),
      members: { name: ofText('"N"').slice(0, 16), tags: ofText(`["${id}"]`).slice(0, 16) },
    });
  });

  it("of a long record are those of its whole text", () => {
    const names = Array.from({ length: 9000 }, (_, index) => hexId("c", index).toUpperCase());
    expect(recordFingerprint(dashboards, { tags: names })).toBe(
      ofText(
        JSON.stringify({ tags: names })
          .replaceAll("C", "c")
          .replace(/[A-F]/gu, (digit) => digit.toLowerCase()),
      ),
    );
  });
});
