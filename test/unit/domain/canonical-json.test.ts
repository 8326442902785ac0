import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, compactJson } from "../../../src/domain/canonical-json.ts";
import type { JsonValue } from "../../../src/domain/json.ts";

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

  it("says the same of any value whatever the order of its members", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).toReversed());
        expect(compactJson(reversed as JsonValue)).toBe(compactJson(object as JsonValue));
        expect(JSON.parse(canonicalJson(object as JsonValue))).toEqual(JSON.parse(JSON.stringify(object)));
      }),
    );
  });
});
