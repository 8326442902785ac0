import { expect, it } from "vitest";
import { pluralize } from "../../../../src/core/text/format.ts";
import { mappableSpaces, kinds } from "../../../../src/kinds/registry.ts";
import { nounOf } from "../../../../src/kinds/nouns.ts";

it.each([
  [1, "dashboard", "1 dashboard"],
  [0, "dashboard", "0 dashboards"],
  [2, "saved search", "2 saved searches"],
  [3, "entry", "3 entries"],
  [2, "key", "2 keys"],
])("%i of %s", (count, noun, text) => {
  expect(pluralize(count, noun)).toBe(text);
});

it("an unknown kind is its own noun, even if it is named like a member of every object", () => {
  expect(nounOf("constructor")).toBe("constructor");
});

it("the plural of each kind's singular is the kind's name", () => {
  expect(kinds.map(({ singular }) => pluralize(2, singular))).toEqual(
    kinds.map(({ name }) => `2 ${name.replace("-", " ")}`),
  );
  expect(mappableSpaces().map((space) => pluralize(1, nounOf(space)))).not.toContain(expect.stringMatching(/s$/));
});
