import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { diffMembers, withoutLongValues } from "../../../src/references/member-changes.ts";

it("holds lists of more items than a function takes arguments against each other", () => {
  const many = Array.from({ length: 150_000 }, () => ({}));
  const changes = diffMembers(dashboards, { many, last: 1 }, { many: [...many, 2], last: 2 });
  expect(changes).toEqual([
    { pointer: "/last", change: "changed", from: 1, to: 2 },
    { pointer: "/many/150000", change: "added", to: 2 },
  ]);
  const others = Array.from({ length: 150_000 }, (_, index) => index);
  expect(diffMembers(dashboards, { many }, { many: others })).toHaveLength(150_000);
});

it("takes equal values for equal, whatever the order of their members, and a number for no text", () => {
  const list = [{ a: 1, b: 2 }, 1];
  expect(diffMembers(dashboards, { list }, { list: ["1", { b: 2, a: 1 }] })).toEqual([
    { pointer: "/list", change: "moved" },
    { pointer: "/list/0", change: "changed", from: 1, to: "1" },
  ]);
});

it("names members as wholes where the ways to all that differs would take too much", () => {
  const nested = (value: number) => ({ ["long".repeat(1000)]: Array.from({ length: 2000 }, () => value) });
  const changes = diffMembers(dashboards, { x: nested(1), y: 1, z: 0 }, { x: nested(2), y: 1 });
  expect(changes.map(({ change, pointer }) => [change, pointer])).toEqual([
    ["changed", "/x"],
    ["removed", "/z"],
  ]);
});

it("pairs equal items in their order", () => {
  const [a, b] = [{ name: "a" }, { name: "b" }];
  expect(diffMembers(dashboards, { list: [a, a, b] }, { list: [a, b, a] })).toEqual([
    { pointer: "/list", change: "moved" },
  ]);
  expect(diffMembers(dashboards, { list: [a, a] }, { list: [b, a, a] })).toEqual([
    { pointer: "/list/0", change: "added", to: b },
  ]);
});

describe("a change of long values", () => {
  const LIMIT = 256 * 1024;
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

  it("is left as it is where they are of a length that people write", () => {
    // In JSON, the quotation marks add the last two characters.
    const longest = "x".repeat(LIMIT - 2);
    const change = { pointer: "/tiles/0/config", change: "changed", from: { markdown: "old" }, to: longest } as const;
    expect(withoutLongValues(change)).toEqual(change);
    expect(withoutLongValues({ pointer: "/tags", change: "moved" })).toEqual({ pointer: "/tags", change: "moved" });
  });

  it("shows the beginning of each, its length and the checksum of its JSON", () => {
    const long = "x".repeat(LIMIT - 1);
    const list = Array.from({ length: LIMIT }, () => 1);
    const shown = withoutLongValues({ pointer: "/markdown", change: "changed", from: long, to: list });
    const [before, after] = [JSON.stringify(long), JSON.stringify(list)];
    expect(shown.from).toBe(`${before.slice(0, 1000)}… (${LIMIT + 1} characters of JSON, SHA-256 ${sha256(before)})`);
    expect(shown.to).toBe(`${after.slice(0, 1000)}… (${after.length} characters of JSON, SHA-256 ${sha256(after)})`);
  });

  it("tells two that differ at their end apart", () => {
    const [one, other] = ["a", "b"].map((end) => "x".repeat(LIMIT) + end);
    const shown = withoutLongValues({ pointer: "/markdown", change: "changed", from: one ?? "", to: other ?? "" });
    expect(shown.from).not.toEqual(shown.to);
  });

  it("has its pointer cut where a member's name is as long", () => {
    const { pointer } = withoutLongValues({ pointer: `/${"k".repeat(LIMIT)}`, change: "removed", from: 1 });
    expect(pointer.length).toBeLessThan(1200);
  });
});
