import { expect, it } from "vitest";
import { isSelected } from "../../../../src/core/records/record-filter.ts";

const named = (name: string): Parameters<typeof isSelected>[0] => ({ kind: "dashboards", id: "id-1", name });

it.each([
  ["Prod / API", ["Prod*"], [], true],
  ["Prod / API", ["*API"], [], true],
  ["Prod / API", ["prod*"], [], false],
  ["Prod / API", [], ["*API*"], false],
  ["Prod / API", ["Prod ? API"], [], true],
  ["a.b", ["a?b"], [], true],
  ["a.b", ["a[.]b"], [], false],
  ["line\nbreak", ["line*break"], [], true],
  ["a😀b", ["a?b"], [], true],
  ["a😀b", ["a??b"], [], false],
  ["aXbXc", ["a*X?"], [], true],
  ["ab", ["a**b*"], [], true],
  ["", ["*"], [], true],
  ["a", ["a?"], [], false],
  ["a".repeat(1000), [`${"*a".repeat(30)}b`], [], false],
  ["anything", ["id-1"], [], true],
  ["anything", [], [], true],
])("%j with include %j and exclude %j is %s", (name, include, exclude, expected) => {
  expect(isSelected(named(name), { include, exclude })).toBe(expected);
});
