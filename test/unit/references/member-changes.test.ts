import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { withoutLongValues } from "../../../src/references/member-changes.ts";
import { changedMembers } from "../../support/changed-members.ts";

it("a drawing of changes compares lists of 150,000 items without a stack overflow", () => {
  const many = Array.from({ length: 150_000 }, () => ({}));
  const changes = changedMembers(dashboards, { many, last: 1 }, { many: [...many, 2], last: 2 });
  expect(changes).toEqual([
    { pointer: "/last", change: "changed", from: 1, to: 2 },
    { pointer: "/many/150000", change: "added", to: 2 },
  ]);
  const others = Array.from({ length: 150_000 }, (_, index) => index);
  expect(changedMembers(dashboards, { many }, { many: others })).toHaveLength(150_000);
});

it("a drawing of changes ignores the order of members, and distinguishes a number from a text", () => {
  const list = [{ a: 1, b: 2 }, 1];
  expect(changedMembers(dashboards, { list }, { list: ["1", { b: 2, a: 1 }] })).toEqual([
    { pointer: "/list", change: "moved" },
    { pointer: "/list/0", change: "changed", from: 1, to: "1" },
  ]);
});

it("a drawing of changes reports whole members if the pointers to all differences would be too long", () => {
  const nested = (value: number) => ({ ["long".repeat(1000)]: Array.from({ length: 2000 }, () => value) });
  const changes = changedMembers(dashboards, { x: nested(1), y: 1, z: 0 }, { x: nested(2), y: 1 });
  expect(changes.map(({ change, pointer }) => [change, pointer])).toEqual([
    ["changed", "/x"],
    ["removed", "/z"],
  ]);
});

it("a drawing of changes pairs equal items of two lists in their order", () => {
  const [a, b] = [{ name: "a" }, { name: "b" }];
  expect(changedMembers(dashboards, { list: [a, a, b] }, { list: [a, b, a] })).toEqual([
    { pointer: "/list", change: "moved" },
  ]);
  expect(changedMembers(dashboards, { list: [a, a] }, { list: [b, a, a] })).toEqual([
    { pointer: "/list/0", change: "added", to: b },
  ]);
});

describe("withoutLongValues", () => {
  const LIMIT = 256 * 1024;
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

  it("leaves values up to the length limit unchanged", () => {
    // In JSON, the quotation marks add the last two characters.
    const longest = "x".repeat(LIMIT - 2);
    const change = { pointer: "/tiles/0/config", change: "changed", from: { markdown: "old" }, to: longest } as const;
    expect(withoutLongValues(change)).toEqual(change);
    expect(withoutLongValues({ pointer: "/tags", change: "moved" })).toEqual({ pointer: "/tags", change: "moved" });
  });

  it("replaces each long value by its beginning, its length and the checksum of its JSON", () => {
    const long = "x".repeat(LIMIT - 1);
    const list = Array.from({ length: LIMIT }, () => 1);
    const shown = withoutLongValues({ pointer: "/markdown", change: "changed", from: long, to: list });
    const [before, after] = [JSON.stringify(long), JSON.stringify(list)];
    expect(shown.from).toBe(`${before.slice(0, 1000)}… (${LIMIT + 1} characters of JSON, SHA-256 ${sha256(before)})`);
    expect(shown.to).toBe(`${after.slice(0, 1000)}… (${after.length} characters of JSON, SHA-256 ${sha256(after)})`);
  });

  it("distinguishes two long values that differ only at their end", () => {
    const [one, other] = ["a", "b"].map((end) => "x".repeat(LIMIT) + end);
    const shown = withoutLongValues({ pointer: "/markdown", change: "changed", from: one ?? "", to: other ?? "" });
    expect(shown.from).not.toEqual(shown.to);
  });

  it("cuts the pointer if a member's name is as long", () => {
    const { pointer } = withoutLongValues({ pointer: `/${"k".repeat(LIMIT)}`, change: "removed", from: 1 });
    expect(pointer.length).toBeLessThan(1200);
  });
});
