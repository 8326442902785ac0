import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonValue } from "../../../src/core/json.ts";
import { canonicalJson, nestsDeeperThan } from "../../../src/core/json.ts";
import { tries } from "../../support/tries.ts";

it.each([
  ["1", 0],
  ["[]", 1],
  ['{"a":[{}]}', 3],
  ['["[[[[", "\\"[[[", "\\\\"]', 1],
  ["[[],[[]],[]]", 3],
])("measures %s as %i levels", (text, depth) => {
  expect(nestsDeeperThan(text, depth)).toBe(false);
  expect(nestsDeeperThan(text, depth - 1)).toBe(true);
});

it("counts as the writer of archives does", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(6), (value, most) => {
      const write = (): string => canonicalJson(value, most);
      if (nestsDeeperThan(JSON.stringify(value), most)) expect(write).toThrow(RangeError);
      else expect(write).not.toThrow();
    }),
    tries(),
  );
});

it("does not fall over what is bottomless", () => {
  expect(nestsDeeperThan("[".repeat(5_000_000), 128)).toBe(true);
  let value: JsonValue = null;
  for (let depth = 0; depth < 200_000; depth += 1) value = [value];
  expect(() => canonicalJson(value, 128)).toThrow("too deep");
});
