import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.ts";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { idsIn } from "../../../src/references/known-ids.ts";
import { areSame, fingerprint, haveSameContent } from "../../../src/references/record-content.ts";
import { surveyReferences } from "../../../src/references/references.ts";
import { propertyRuns } from "../../support/tries.ts";

const ID = "0123456789abcdef01234567";
const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

it("takes values for the same where their digests are equal", () => {
  const small: fc.Arbitrary<JsonValue> = fc.jsonValue({ maxDepth: 2 });
  const few = fc.constantFrom<JsonValue>(
    null,
    true,
    0,
    1,
    "",
    "a",
    [],
    {},
    [1],
    ["1"],
    { a: 1 },
    { a: "1" },
    [{}],
    [[]],
  );
  const either = fc.oneof(few, small);
  fc.assert(
    fc.property(either, either, fc.boolean(), (one, another, isSame) => {
      const other = isSame ? reversed(one) : another;
      expect(areSame(one, other)).toBe(fingerprint(one) === fingerprint(other));
      if (isSame) expect(areSame(one, other)).toBe(true);
    }),
    propertyRuns(),
  );
});

/** The same value, its members in another order. */
function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, inner]) => [name, reversed(inner ?? null)]),
  );
}

it("lets only the case of ids differ", () => {
  const same = (left: string, right: string): boolean => areSame({ [left]: [left] }, { [right]: [right] });
  expect(same(`see ${ID} and ${ID}.`, `see ${ID.toUpperCase()} and ${ID}.`)).toBe(true);
  expect(same(`see ${ID}`, `SEE ${ID}`)).toBe(false);
  expect(same(`see ${ID}`, `see ${ID.replace("f", "e")}`)).toBe(false);
  expect(same(`see ${ID}a`, `see ${ID}A`)).toBe(false);
  expect(same(`see ${ID}`, `see ${ID} `)).toBe(false);
});

it("does not look at what the server added", () => {
  const body = (more: JsonObject): JsonObject => ({ id: "one", name: "n", tiles: [], ...more });
  expect(haveSameContent(dashboards, body({ createdAt: "a" }), body({ createdAt: "b" }))).toBe(true);
  expect(haveSameContent(dashboards, body({ x: 1 }), body({ x: 2 }))).toBe(false);
  expect(areSame({ x: null }, {})).toBe(false);
});

it("gives a long text the digest of its JSON, wherever it is cut", () => {
  for (const unit of ["a", "\\", "\u0001", "😀", "é", `${ID} `, "\ud800", "x-"]) {
    for (const shift of [0, 1, 5, 20]) {
      const text = "-".repeat(shift) + unit.repeat(Math.ceil(200_000 / unit.length));
      expect(fingerprint({ text })).toBe(digestOf(JSON.stringify({ text })));
    }
  }
});

it("folds the ids of a long text, wherever it is cut", () => {
  for (const shift of [0, 3, 11, 19]) {
    const text = " ".repeat(shift) + `${ID} `.repeat(10_000);
    expect(fingerprint(text.toUpperCase())).toBe(fingerprint(text));
  }
});

it("notes no more ids of a record's texts than a plan can hold", () => {
  const idOf = (index: number): string => index.toString(16).padStart(24, "0");
  const texts = Array.from({ length: 30 }, (_, part) =>
    Array.from({ length: 1000 }, (_each, index) => idOf(part * 1000 + index)).join(" "),
  );
  expect(idsIn(texts[0] ?? "")).toHaveLength(1000);
  expect(surveyReferences(dashboards, { texts }).mentioned.size).toBe(20_000);
  expect(idsIn(Array.from({ length: 20 }, () => texts[0]).join(" "))).toEqual([]);
});
