import * as fc from "fast-check";
import { expect, it } from "vitest";
import { entryPath } from "../../../src/archive/entry.ts";
import { propertyRuns } from "../../support/tries.ts";
import { anyCharacter } from "../../support/any-character.ts";

it.each([
  ["6b00e154e5757e17d9e50001", "alerts/6b00e154e5757e17d9e50001.json"],
  ["7c9e6679-7425-40de-944b-e07fc1f90ae7", "alerts/7c9e6679-7425-40de-944b-e07fc1f90ae7.json"],
  ["a.b_c", "alerts/a.b_c.json"],
  [".", "alerts/%2e.json"],
  ["..", "alerts/%2e..json"],
  ["../up", "alerts/%2e.%2fup.json"],
  ["A%b", "alerts/%41%25b.json"],
  ["é", "alerts/%c3%a9.json"],
  ["🚢", "alerts/%f0%9f%9a%a2.json"],
  ["con", "alerts/%63on.json"],
  ["com1.x", "alerts/%63om1.x.json"],
  ["console", "alerts/console.json"],
])("the path of an entry writes the id %j as %s", (id, path) => {
  expect(entryPath("alerts", id)).toBe(path);
});

it("the path of an entry shortens ids that are too long for a file system to distinct names", () => {
  const long = "x".repeat(201);
  expect(entryPath("alerts", "x".repeat(200))).toBe(`alerts/${"x".repeat(200)}.json`);
  expect(entryPath("alerts", long)).toMatch(/^alerts\/x{100}%-[0-9a-f]{64}\.json$/);
  expect(entryPath("alerts", long)).not.toBe(entryPath("alerts", `${long}x`));
  expect(entryPath("alerts", "")).toMatch(/^alerts\/%-[0-9a-f]{64}\.json$/);
});

it("the path of an entry never gives two ids one file, even where case and Unicode forms are folded", () => {
  const id = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string(),
    fc.constantFrom("A", "a", "ä", "a\u0308", "\ud800", "\udfff"),
  );
  fc.assert(
    fc.property(id, id, (left, right) => {
      fc.pre(left !== right);
      const fold = (text: string): string => entryPath("alerts", text).normalize("NFC").toUpperCase();
      expect(fold(left)).not.toBe(fold(right));
    }),
    propertyRuns(),
  );
});

it("the path of an entry has names that every file system takes", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 400 }), (id) => {
      const name = entryPath("alerts", id).slice("alerts/".length);
      expect(name).toMatch(/^[a-z0-9_%-][a-z0-9_.%-]*\.json$/);
      expect(name.length).toBeLessThanOrEqual(205);
    }),
    propertyRuns(),
  );
});
