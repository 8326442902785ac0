import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  placesAt,
  valueAt,
  valueAtTokens,
  visitValues,
  withValueAt,
  withoutPath,
} from "../../../src/core/records/member-path.ts";
import { memoryBounds, memoryBudget } from "../../../src/core/records/memory-budget.ts";
import { isSelected, matchesGlob } from "../../../src/core/records/record-filter.ts";
import { isSameStack, type StackIdentity } from "../../../src/core/records/record.ts";
import { propertyRuns } from "../../support/tries.ts";

const own: StackIdentity = { variant: "self-hosted", baseUrl: "http://one.test" };
const service: StackIdentity = { variant: "managed", baseUrl: "http://one.test", organizationId: "o", serviceId: "s" };

it.each<[string, StackIdentity, StackIdentity, boolean]>([
  ["the same address", own, { ...own }, true],
  ["another address", own, { ...own, baseUrl: "http://two.test" }, false],
  ["the same address of another variant", own, { ...own, variant: "managed" }, false],
  ["the same service by another way", service, { ...service, baseUrl: "http://two.test" }, true],
  ["another service", service, { ...service, serviceId: "t" }, false],
  ["a service of that name in another organization", service, { ...service, organizationId: "p" }, false],
  ["a service at the address of what is none", { variant: "managed", baseUrl: "http://one.test" }, service, false],
])("%s: one stack or two, whichever comes first", (_, left, right, isOne) => {
  expect(isSameStack(left, right)).toBe(isOne);
  expect(isSameStack(right, left)).toBe(isOne);
});

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
])(
  "a record named %j under --include %j and --exclude %j: that it is selected is %s",
  (name, include, exclude, expected) => {
    expect(isSelected(named(name), { include, exclude })).toBe(expected);
  },
);

const letters = (most: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom("a", "b", "😀", "*", "?", "."), { maxLength: most }).map((each) => each.join(""));

it("a glob pattern matches the same texts as its regular expression", () => {
  fc.assert(
    fc.property(letters(8), letters(10), fc.constantFrom("?" as const, "" as const), (pattern, text, one) => {
      const literal = pattern.replaceAll(/[.?]/g, (sign) => (sign === one ? "." : `\\${sign}`));
      const expression = new RegExp(`^${literal.replaceAll("*", ".*")}$`, "su");
      expect(matchesGlob(pattern, text, one)).toBe(expression.test(text));
    }),
    propertyRuns(2000),
  );
});

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

const codeOf = (act: () => void): unknown => {
  try {
    act();
    return "held";
  } catch (error) {
    return (error as { readonly code?: unknown }).code;
  }
};

describe("the memory budget for records", () => {
  it("counts the values and member names of all records together", () => {
    const hold = memoryBudget("archive", { maxValues: 12, maxCharacters: 100 });
    const body = { a: [1, null], b: {} };
    expect(codeOf(() => hold(body))).toBe("held");
    expect(codeOf(() => hold([1, 2, 3]))).toBe("held");
    expect(codeOf(() => hold(true))).toBe("held");
    expect(codeOf(() => hold(true))).toBe("archive-unknown");
  });

  it("counts the characters of texts and member names of all records together", () => {
    const hold = memoryBudget("stack", { maxValues: 100, maxCharacters: 12 });
    expect(codeOf(() => hold({ name: "four" }))).toBe("held");
    expect(codeOf(() => hold("four"))).toBe("held");
    expect(codeOf(() => hold("a"))).toBe("protocol");
  });

  it("allows a stack a hundred times as large as any measured stack", () => {
    expect(memoryBounds.maxValues).toBeGreaterThan(5000 * 1407);
    expect(memoryBounds.maxCharacters).toBeGreaterThan(5000 * 16_772);
  });
});
