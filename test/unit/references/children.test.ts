import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.ts";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import {
  childrenOfSameId,
  mapChildrenByIdentity,
  mapChildrenByPosition,
  childrenOf,
  childIdsOf,
} from "../../../src/references/children.ts";
import { hexId, records } from "../../support/stack-records.ts";

const tiled = (id: string, ...tiles: JsonValue[]): JsonObject => ({ id, name: id, tiles });
const line = { config: { displayType: "line" } };
const pairs = (found: readonly { space: string; from: string; to: string }[] | undefined): unknown =>
  found?.map(({ space, from, to }) => `${space} ${from} ${to}`);
const byPosition = (sent: JsonObject, stored: JsonObject): unknown =>
  pairs(mapChildrenByPosition(dashboards, sent, stored));
const byIdentity = (source: JsonObject, target: JsonObject, known?: Record<string, string>): unknown =>
  pairs(mapChildrenByIdentity(dashboards, "o", source, target, known && { pairs: { "dashboards/tiles": known } }));

describe("the children of a record", () => {
  it("are the objects in the child list, and none if the member is no list", () => {
    const [tiles] = dashboards.children;
    expect(tiles && childrenOf({ tiles: [{ id: "1" }, null, "x"] }, tiles)).toEqual([{ id: "1" }]);
    expect(tiles && childrenOf({ tiles: { id: "1" } }, tiles)).toEqual([]);
  });

  it("have ids in every child list, which are compared in lower case", () => {
    const shouted = hexId("a", 2).toUpperCase();
    const [record] = records({ dashboards: [{ ...tiled("o", { id: "1" }), filters: [{ id: shouted }] }] });
    expect(record && [...childIdsOf(record)]).toEqual(["1", hexId("a", 2)]);
  });
});

describe("the children of a record that was just created", () => {
  it("are mapped by position to the ids in the response", () => {
    const sent = { ...tiled("o", { id: "1", name: "A" }, { id: "2", name: "B" }), filters: [{ id: "3", name: "F" }] };
    const stored = { ...tiled("n", { id: "x", name: "A" }, { id: "y", name: "B" }), filters: [{ id: "z", name: "F" }] };
    expect(byPosition(sent, stored)).toEqual([
      "dashboards/tiles o/1 x",
      "dashboards/tiles o/2 y",
      "dashboards/filters o/3 z",
    ]);
  });

  it("are mapped if a name is missing, or has other whitespace around it", () => {
    expect(byPosition(tiled("o", { id: "1" }), tiled("n", { id: "x", name: "A" }))).toEqual(["dashboards/tiles o/1 x"]);
    expect(byPosition(tiled("o", { id: "1", name: "A" }), tiled("n", { id: "x" }))).toEqual(["dashboards/tiles o/1 x"]);
    const spaced = byPosition(tiled("o", { id: "1", name: " A" }), tiled("n", { id: "x", name: "A " }));
    expect(spaced).toEqual(["dashboards/tiles o/1 x"]);
  });

  it.each<[string, JsonValue[]]>([
    ["one less", [{ id: "x", name: "A" }]],
    ["one more", ["A", "B", "C"].map((name) => ({ id: name, name }))],
    ["other names", ["B", "A"].map((name) => ({ id: name, name }))],
    ["one other name", ["A", "C"].map((name) => ({ id: name, name }))],
  ])("are not mapped if the response has %s", (_, tiles) => {
    const sent = { ...tiled("o", { id: "1", name: "A" }, { id: "2", name: "B" }), filters: [] };
    expect(byPosition(sent, { ...tiled("n", ...tiles), filters: [] })).toBeUndefined();
  });

  it("are left out if the response gives them no id", () => {
    expect(byPosition(tiled("o", { id: "1" }, { id: "2" }), tiled("n", {}, { id: "y" }))).toEqual([
      "dashboards/tiles o/2 y",
    ]);
  });
});

describe("the children of a record that both stacks have", () => {
  it("are paired by content and position first, then by name", () => {
    const source = tiled(
      "o",
      { id: "1", name: "A", x: 0, ...line },
      { id: "2", name: "A", x: 6, ...line },
      { id: "3", name: "B", x: 0, ...line },
    );
    const target = tiled(
      "n",
      { id: "z", name: "B", x: 9, ...line },
      { id: "y", name: "A", x: 6, ...line },
      { id: "x", name: "A", x: 0, ...line },
    );
    expect(byIdentity(source, target)).toEqual([
      "dashboards/tiles o/1 x",
      "dashboards/tiles o/2 y",
      "dashboards/tiles o/3 z",
    ]);
  });

  it("are paired at most once, and left out without a counterpart", () => {
    const twins = tiled("o", { id: "1", name: "A", ...line }, { id: "2", name: "A", ...line });
    expect(byIdentity(twins, tiled("n", { id: "x", name: "A", ...line }))).toEqual(["dashboards/tiles o/1 x"]);
  });

  it("keep the pairs of the state, whatever their content and the case of their ids", () => {
    const shown = (id: string, name: string, where: string): JsonObject => ({ id, name, config: { where } });
    const source = tiled("o", shown("1", "A", "a"), shown("2", "B", "b"));
    const target = tiled("n", shown("aF", "A", "c"), shown("bF", "B", "d"));
    expect(byIdentity(source, target, { 1: "Bf" })).toEqual(["dashboards/tiles o/1 bF"]);
    expect(byIdentity(source, target, { 1: "Bf", 2: "Af" })).toEqual([
      "dashboards/tiles o/1 bF",
      "dashboards/tiles o/2 aF",
    ]);
    // What is known to be gone has no other counterpart.
    expect(byIdentity(source, target, { 1: "gone" })).toEqual(["dashboards/tiles o/2 bF"]);
  });

  it("are not known as a pair only because the target's child has no id", () => {
    const [source, target] = [tiled("o", { id: "1", name: "A", ...line }), tiled("n", { id: "", name: "B" })];
    expect(byIdentity(source, target, { 2: "x" })).toEqual([]);
  });
});

describe("the children of a record on its own stack", () => {
  const ownPairs = (body: JsonObject, known: Record<string, string>, target = body): unknown =>
    childrenOfSameId(dashboards, body, { known: { "dashboards/tiles": known }, target })["dashboards/tiles"];
  const [first, second] = ["1", "2"];

  it("keep their own ids where the target has them and no other child of the record stands for them", () => {
    expect(ownPairs(tiled("o", { id: first }, { id: second }), {}, tiled("o", { id: first }))).toEqual({ 1: first });
    expect(ownPairs(tiled("o", { id: first }, { id: second }), { [first]: second })).toEqual({ 1: second });
  });

  it("keep the id of a child that was made again, where the record has it under that id alone", () => {
    expect(ownPairs(tiled("o", { id: second }), { [first]: second })).toMatchObject({ 2: second });
  });
});
