import { describe, expect, it } from "vitest";
import type { Base } from "../../../src/core/plan/base.ts";
import { compareParts } from "../../../src/references/compare.ts";
import { partDigest, type Part } from "../../../src/references/parts.ts";

const part = (key: string, value: string, isOptional = true): Part => ({ key, label: key, value, isOptional });
const settled = (desired: string, stored: string) => ({
  desired: desired && partDigest(desired),
  stored: stored && partDigest(stored),
  written: true,
  archived: undefined,
});
const baseOf = (parts: Base["parts"]): Base => ({ targetId: "t", name: "Board", ours: true, whole: true, parts });
const NOW = { archived: "2026-03-01T00:00:00.000Z", ownStack: false };

/** Compares one part: its value at the source, on the target, and at the last import. */
function changeOf(source: string, target: string | undefined, base: Base | undefined) {
  const stored = target === undefined ? [] : [part("tags", target)];
  return compareParts([part("tags", source)], stored, base, NOW).map(({ change }) => change);
}

// The table of changes is proved by test/behaviour/decision.
describe("who changed a part since it was last settled", () => {
  it("a part that the target stores in another form is the same, though not equal", () => {
    const base = baseOf({ tags: settled("a", "A") });
    expect(changeOf("a", "A", base)).toEqual(["same"]);
    expect(changeOf("b", "A", base)).toEqual(["here"]);
    expect(changeOf("a", "B", base)).toEqual(["there"]);
  });

  it("a member that the target dropped is not sent again", () => {
    expect(changeOf("a", undefined, baseOf({ tags: settled("a", "") }))).toEqual(["same"]);
  });

  it("a member that neither side had, and that nobody can set, is the server's own", () => {
    const stored = [part("revision", "7", false)];
    expect(compareParts([], stored, baseOf({}), NOW).map(({ change }) => change)).toEqual(["same"]);
  });

  it("a placeholder equals what the target has in its place", () => {
    expect(changeOf("Bearer «redacted:bearer-token»", "Bearer abc", undefined)).toEqual(["same"]);
    expect(changeOf("Basic «redacted:bearer-token»", "Bearer abc", undefined)).toEqual(["unknown"]);
  });
});
