import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { withoutLongValues } from "../../../src/references/member-changes.ts";

const LIMIT = 256 * 1024;
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

it("leaves a change as it is whose values are of a length that people write", () => {
  // Its quotation marks are the other two characters.
  const longest = "x".repeat(LIMIT - 2);
  const change = { pointer: "/tiles/0/config", change: "changed", from: { markdown: "old" }, to: longest } as const;
  expect(withoutLongValues(change)).toEqual(change);
  expect(withoutLongValues({ pointer: "/tags", change: "moved" })).toEqual({ pointer: "/tags", change: "moved" });
});

it("shows the beginning of a longer one, its length and the checksum of its JSON", () => {
  const long = "x".repeat(LIMIT - 1);
  const list = Array.from({ length: LIMIT }, () => 1);
  const shown = withoutLongValues({ pointer: "/markdown", change: "changed", from: long, to: list });
  const [before, after] = [JSON.stringify(long), JSON.stringify(list)];
  expect(shown.from).toBe(`${before.slice(0, 1000)}… (${LIMIT + 1} characters of JSON, SHA-256 ${sha256(before)})`);
  expect(shown.to).toBe(`${after.slice(0, 1000)}… (${after.length} characters of JSON, SHA-256 ${sha256(after)})`);
});

it("tells two long values that differ at their end apart", () => {
  const [one, other] = ["a", "b"].map((end) => "x".repeat(LIMIT) + end);
  const shown = withoutLongValues({ pointer: "/markdown", change: "changed", from: one ?? "", to: other ?? "" });
  expect(shown.from).not.toEqual(shown.to);
});

it("cuts a pointer through a member whose name is as long", () => {
  const { pointer } = withoutLongValues({ pointer: `/${"k".repeat(LIMIT)}`, change: "removed", from: 1 });
  expect(pointer.length).toBeLessThan(1200);
});
