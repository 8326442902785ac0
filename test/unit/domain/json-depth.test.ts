import * as fc from "fast-check";
import { expect, it } from "vitest";
import { nestsDeeperThan, valueNestsDeeperThan } from "../../../src/domain/json-depth.ts";
import type { JsonValue } from "../../../src/domain/json.ts";

it.each([
  ["1", 0],
  ["[]", 1],
  ['{"a":[{}]}', 3],
  ['["[[[[", "\\"[[[", "\\\\"]', 1],
  ["[[],[[]],[]]", 3],
])("measures %s as %i levels", (text, depth) => {
  expect(nestsDeeperThan(text, depth)).toBe(false);
  expect(nestsDeeperThan(text, depth - 1)).toBe(true);
  const value: JsonValue = JSON.parse(text);
  expect(valueNestsDeeperThan(value, depth)).toBe(false);
  expect(valueNestsDeeperThan(value, depth - 1)).toBe(depth > 0);
});

it("finds the same in a text and in its value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(6), (value, most) => {
      expect(nestsDeeperThan(JSON.stringify(value), most)).toBe(valueNestsDeeperThan(value as JsonValue, most));
    }),
  );
});

it("does not fall over what is bottomless", () => {
  expect(nestsDeeperThan("[".repeat(5_000_000), 128)).toBe(true);
  let value: JsonValue = null;
  for (let depth = 0; depth < 200_000; depth += 1) value = [value];
  expect(valueNestsDeeperThan(value, 128)).toBe(true);
});
