import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, compactJson, sharedWith, type JsonValue } from "../../../src/core/json.ts";
import { propertyRuns } from "../../support/tries.ts";
import { anyCharacter } from "../../support/any-character.ts";

describe("canonicalJson", () => {
  it("sorts members at every depth and ends with a newline", () => {
    expect(canonicalJson({ b: 1, a: { d: null, c: [{ z: 1, y: 2 }] } })).toBe(
      '{\n  "a": {\n    "c": [\n      {\n        "y": 2,\n        "z": 1\n      }\n    ],\n    "d": null\n  },\n  "b": 1\n}\n',
    );
  });

  it("keeps a member called __proto__ as a plain member", () => {
    const body = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}') as JsonValue;
    expect(canonicalJson(body)).toContain('"__proto__"');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("sorts by code unit where JavaScript would sort by number", () => {
    expect(canonicalJson({ b: 1, "10": 2, "9": 3 })).toBe('{\n  "10": 2,\n  "9": 3,\n  "b": 1\n}\n');
  });

  it("writes values as JSON.stringify does", () => {
    const tricky = [
      "",
      'a"b\\c',
      "\u0000\u001f",
      "\ud800",
      "😀",
      "\u2028",
      "é",
      -0,
      1e21,
      0.1,
      null,
      true,
      [],
      {},
      [[]],
      [{}],
    ];
    for (const value of tricky) {
      expect(canonicalJson(value)).toBe(`${JSON.stringify(value, undefined, 2)}\n`);
      expect(compactJson(value)).toBe(JSON.stringify(value));
    }
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.string({ unit: anyCharacter }), (list, text) => {
        const plain = JSON.parse(
          JSON.stringify([...list.filter((item) => typeof item !== "object"), text]),
        ) as JsonValue;
        expect(canonicalJson({ list: plain })).toBe(`${JSON.stringify({ list: plain }, undefined, 2)}\n`);
      }),
      propertyRuns(),
    );
  });

  it("refuses values that nest deeper than the limit, and no others", () => {
    const nested = (depth: number): JsonValue => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect(canonicalJson(nested(5), 5)).toContain("1");
    expect(() => canonicalJson(nested(6), 5)).toThrow(RangeError);
    expect(() => canonicalJson({ a: { b: {} } }, 2)).toThrow(RangeError);
  });

  it("gives the same text for a value whatever the order of its members", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).toReversed());
        expect(compactJson(reversed as JsonValue)).toBe(compactJson(object as JsonValue));
        expect(JSON.parse(canonicalJson(object as JsonValue))).toEqual(JSON.parse(JSON.stringify(object)));
      }),
      propertyRuns(),
    );
  });
});

describe("a value that shares with another one", () => {
  it("holds the other's parts wherever both are equal", () => {
    const sent = { name: "Board", tiles: [{ config: { select: [1] } }, { config: { select: [2] } }] };
    const answer = {
      id: "b1",
      name: "Board",
      tiles: [{ id: "t1", config: { select: [1] } }, { config: { select: [2] } }],
    };
    const shared = sharedWith(answer, sent) as typeof answer;
    expect(shared).toEqual(answer);
    expect(shared.tiles[0]?.config).toBe(sent.tiles[0]?.config);
    expect(shared.tiles[1]).toBe(sent.tiles[1]);
  });

  it("is equal to what it was", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
        for (const like of [other, structuredClone(value)]) {
          expect(canonicalJson(sharedWith(value as JsonValue, like as JsonValue))).toBe(
            canonicalJson(value as JsonValue),
          );
        }
      }),
      propertyRuns(200),
    );
  });
});
