import { describe, expect, it } from "vitest";
import {
  buildPathTree,
  placesAt,
  valueAt,
  valueAtTokens,
  visitTree,
  visitValues,
  withValueAt,
  withoutPath,
} from "../../../../src/core/records/member-path.ts";

const body = {
  tiles: [{ config: { id: "a" } }, { config: null }, "odd", { config: { id: "b" } }],
  tags: ["x", "y"],
  name: "n",
};

describe("member paths", () => {
  it("lead to every place that exists and nowhere else", () => {
    expect(
      placesAt(body, "tiles[].config.id").map(({ value, tokens, indices }) => [value, tokens.join("/"), indices]),
    ).toEqual([
      ["a", "tiles/0/config/id", [0]],
      ["b", "tiles/3/config/id", [3]],
    ]);
    expect(placesAt(body, "tags[]").map(({ value }) => value)).toEqual(["x", "y"]);
    expect(placesAt(body, "tags.length")).toEqual([]);
    expect(placesAt(body, "constructor.name")).toEqual([]);
  });

  it.each(["tiles[].config.id", "tags[]", "name", "tags.length", "constructor.name", "tiles[]"])(
    "lead to the same values with visitValues as with placesAt: %s",
    (path) => {
      const seen: unknown[] = [];
      visitValues(body, path, (value, indices) => seen.push([value, ...indices]));
      expect(seen).toEqual(placesAt(body, path).map(({ value, indices }) => [value, ...indices]));
    },
  );

  it("are walked together as a tree if they share their beginnings", () => {
    const paths = ["tiles[].config.id", "tiles[].config", "tags[]", "tiles[].config.id.x", "name"];
    const seen = new Map(paths.map((path): [string, unknown[]] => [path, []]));
    const tree = buildPathTree(paths.map((path, mark) => [path, `${mark} ${path}`]));
    visitTree(body, tree, (mark, value, indices) => seen.get(mark.slice(2))?.push([value, ...indices]));
    for (const [path, places] of seen) {
      const expected = placesAt(body, path).map(({ value, indices }) => [value, ...indices]);
      expect(places, path).toEqual(expected);
    }
  });

  it("find one value by array positions or by tokens", () => {
    expect(valueAt(body, "tiles[].config.id", [3])).toBe("b");
    expect(valueAt(body, "tiles[].config.id", [1])).toBeUndefined();
    expect(valueAtTokens(body, ["tiles", "3", "config", "id"])).toBe("b");
    expect(valueAtTokens(body, ["__proto__", "x"])).toBeUndefined();
  });

  it("change copies, never the body", () => {
    const before = JSON.stringify(body);
    expect(withValueAt(body, ["tiles", "0", "config", "id"], "z").tiles).toMatchObject([
      { config: { id: "z" } },
      {},
      "odd",
      {},
    ]);
    expect(withValueAt(body, ["name"], undefined)).not.toHaveProperty("name");
    expect(withValueAt(body, ["fresh"], 1)).toHaveProperty("fresh", 1);
    expect(withoutPath(body, "tiles[].config.id").tiles).toEqual([
      { config: {} },
      { config: null },
      "odd",
      { config: {} },
    ]);
    expect(JSON.stringify(body)).toBe(before);
  });
});
