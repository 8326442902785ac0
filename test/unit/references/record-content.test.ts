import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.ts";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { idsIn } from "../../../src/references/known-ids.ts";
import {
  areSameApartFromIdCase,
  fingerprint,
  haveSameContent,
  recordFingerprint,
} from "../../../src/references/record-content.ts";
import { partDigest, partsOfTarget } from "../../../src/references/parts.ts";
import { surveyReferences } from "../../../src/references/references.ts";
import { hexId } from "../../support/stack-records.ts";
import { propertyRuns } from "../../support/tries.ts";

const ID = "0123456789abcdef01234567";
const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

it("two values are the same exactly if their fingerprints are equal", () => {
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
      expect(areSameApartFromIdCase(one, other)).toBe(fingerprint(one) === fingerprint(other));
      if (isSame) expect(areSameApartFromIdCase(one, other)).toBe(true);
    }),
    propertyRuns(),
  );
});

/** Returns the value with the members of each object in reverse order. */
function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, inner]) => [name, reversed(inner ?? null)]),
  );
}

it("two texts are the same if they differ only in the case of ids", () => {
  const same = (left: string, right: string): boolean =>
    areSameApartFromIdCase({ [left]: [left] }, { [right]: [right] });
  expect(same(`see ${ID} and ${ID}.`, `see ${ID.toUpperCase()} and ${ID}.`)).toBe(true);
  expect(same(`see ${ID}`, `SEE ${ID}`)).toBe(false);
  expect(same(`see ${ID}`, `see ${ID.replace("f", "e")}`)).toBe(false);
  expect(same(`see ${ID}a`, `see ${ID}A`)).toBe(false);
  expect(same(`see ${ID}`, `see ${ID} `)).toBe(false);
});

it("haveSameContent ignores the members that the server adds", () => {
  const body = (more: JsonObject): JsonObject => ({ id: "one", name: "n", tiles: [], ...more });
  expect(haveSameContent(dashboards, body({ createdAt: "a" }), body({ createdAt: "b" }))).toBe(true);
  expect(haveSameContent(dashboards, body({ x: 1 }), body({ x: 2 }))).toBe(false);
  expect(areSameApartFromIdCase({ x: null }, {})).toBe(false);
});

it("the fingerprint of a long text is the digest of its JSON, at whatever character the text is split", () => {
  for (const unit of ["a", "\\", "\u0001", "😀", "é", `${ID} `, "\ud800", "x-"]) {
    for (const shift of [0, 1, 5, 20]) {
      const text = "-".repeat(shift) + unit.repeat(Math.ceil(200_000 / unit.length));
      expect(fingerprint({ text })).toBe(digestOf(JSON.stringify({ text })));
    }
  }
});

it("the fingerprint of a long text ignores the case of ids, at whatever character the text is split", () => {
  for (const shift of [0, 3, 11, 19]) {
    const text = " ".repeat(shift) + `${ID} `.repeat(10_000);
    expect(fingerprint(text.toUpperCase())).toBe(fingerprint(text));
  }
});

it("surveyReferences holds at most 20,000 ids of a record's texts", () => {
  const idOf = (index: number): string => index.toString(16).padStart(24, "0");
  const texts = Array.from({ length: 30 }, (_, part) =>
    Array.from({ length: 1000 }, (_each, index) => idOf(part * 1000 + index)).join(" "),
  );
  expect(idsIn(texts[0] ?? "")).toHaveLength(1000);
  expect(surveyReferences(dashboards, { texts }).mentioned.size).toBe(20_000);
  expect(idsIn(Array.from({ length: 20 }, () => texts[0]).join(" "))).toEqual([]);
});

describe("content digests", () => {
  it("equal those of earlier versions: of sorted JSON, with ids in lower case and without server members", () => {
    const id = hexId("a", 1);
    const body = { tags: [id.toUpperCase()], name: "N", id: hexId("a", 16) };
    expect(recordFingerprint(dashboards, body)).toBe(digestOf(`{"name":"N","tags":["${id}"]}`));
    const digests = Object.fromEntries(
      partsOfTarget(dashboards, body).map(({ key, value }) => [key, partDigest(value)]),
    );
    expect(digests).toEqual({ name: digestOf('"N"').slice(0, 16), tags: digestOf(`["${id}"]`).slice(0, 16) });
  });

  it("of a long record cover its whole text", () => {
    const names = Array.from({ length: 9000 }, (_, index) => hexId("c", index).toUpperCase());
    expect(recordFingerprint(dashboards, { tags: names })).toBe(
      digestOf(
        JSON.stringify({ tags: names })
          .replaceAll("C", "c")
          .replace(/[A-F]/gu, (digit) => digit.toLowerCase()),
      ),
    );
  });
});
