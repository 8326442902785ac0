import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, isJsonObject, type JsonValue } from "../../../src/core/json.ts";
import { findJsonFlaw, recordBounds, isReadExactly } from "../../../src/core/text/json-scan.ts";
import { propertyRuns } from "../../support/tries.ts";

const flawAt = (text: string, maxDepth: number, maxValues = 1000): string | undefined =>
  findJsonFlaw(text, { maxDepth, maxValues });

describe("nesting of JSON", () => {
  it.each([
    ["1", 0],
    ["[]", 1],
    ['{"a":[{}]}', 3],
    ['["[[[[", "\\"[[[", "\\\\"]', 1],
    ["[[],[[]],[]]", 3],
  ])("of %s is %i levels", (text, depth) => {
    expect(flawAt(text, depth)).toBeUndefined();
    if (depth > 0) expect(flawAt(text, depth - 1)).toBe("depth");
  });

  it("is counted as canonicalJson counts it", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(6), (value, most) => {
        const write = (): string => canonicalJson(value, most);
        if (flawAt(JSON.stringify(value), most) === "depth") expect(write).toThrow(RangeError);
        else expect(write).not.toThrow();
      }),
      propertyRuns(),
    );
  });

  it("of millions of levels is refused", () => {
    expect(flawAt("[".repeat(5_000_000), 128, 1e9)).toBe("depth");
    let value: JsonValue = null;
    for (let depth = 0; depth < 200_000; depth += 1) value = [value];
    expect(() => canonicalJson(value, 128)).toThrow("too deep");
  });
});

/** Counts the values and the member names in a value. */
function count(value: JsonValue | undefined): number {
  if (typeof value !== "object" || value === null) return 1;
  const names = isJsonObject(value) ? Object.keys(value).length : 0;
  return Object.values(value).reduce((sum: number, inner: JsonValue | undefined) => sum + count(inner), 1 + names);
}

describe("the number of JSON values", () => {
  it("is counted as in the parsed value, whatever the white space", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 3 }), (made, indent) => {
        const text = JSON.stringify(made, undefined, indent);
        const all = count(JSON.parse(text));
        expect(findJsonFlaw(text, { maxDepth: 1000, maxValues: all })).not.toBe("values");
        expect(findJsonFlaw(text, { maxDepth: 1000, maxValues: all - 1 })).toBe("values");
      }),
      propertyRuns(),
    );
  });

  it.each(["{},", "[],", "1,", '"",', '{"a":1},', "null,", "[[]],", '"\\"",'])(
    "is too high if %s is repeated 300,000 times",
    (unit) => {
      expect(findJsonFlaw(`[${unit.repeat(300_000)}0]`, recordBounds)).toBe("values");
    },
  );
});

describe("a number in JSON", () => {
  it.each(["0", "-0", "-0.0", "0e999", "1.0", "1.50", "1E5", "1e+21", "100000000000000000000000", "9007199254740992"])(
    "%s is read exactly",
    (text) => expect([isReadExactly(text), flawAt(`{"a":[${text}]}`, 9)]).toEqual([true, undefined]),
  );

  it.each(["0.1", "1.7976931348623157e308", "5e-324", "0.30000000000000004", "1e22", "12345678901234567000"])(
    "%s is accepted as the shortest text of a double",
    (text) => expect(isReadExactly(text)).toBe(true),
  );

  it.each([
    "1e999",
    "-1e999",
    "1e-999",
    "9007199254740993",
    "-12345678901234567890",
    "0.1000000000000000055511151231257827",
    "3.141592653589793238",
    `0.${"0".repeat(400)}1`,
    "1".repeat(2000),
  ])("%s is changed by JavaScript", (text) => {
    expect([isReadExactly(text), flawAt(`{"a":[${text}]}`, 9)]).toEqual([false, "number"]);
    expect(flawAt(JSON.stringify({ a: text, [text]: 1 }), 9)).toBeUndefined();
  });

  it("that JavaScript wrote is always read exactly", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(isReadExactly(JSON.stringify(value))).toBe(true);
      }),
      propertyRuns(1000),
    );
  });
});
