import { describe, expect, it } from "vitest";
import type { Base } from "../../../src/core/plan/base.ts";
import {
  compareParts,
  gravestChange,
  type Change,
  settledByLook,
  settledByWrite,
} from "../../../src/references/compare.ts";
import { partDigest, type Part } from "../../../src/references/parts.ts";

const part = (key: string, value: string, isOptional = true): Part => ({ key, label: key, value, isOptional });
const settled = (desired: string, stored: string, written = true, archived?: string) => ({
  desired: desired && partDigest(desired),
  stored: stored && partDigest(stored),
  written,
  archived,
});
const baseOf = (parts: Base["parts"], more: Partial<Base> = {}): Base => ({
  targetId: "t",
  name: "Board",
  ours: true,
  whole: true,
  parts,
  ...more,
});
const NOW = { archived: "2026-03-01T00:00:00.000Z", ownStack: false };

/** Compares one part: its value at the source, on the target, and at the last import. */
function changeOf(
  source: string | undefined,
  target: string | undefined,
  base: Base | undefined,
  time: Parameters<typeof compareParts>[3] = NOW,
) {
  const desired = source === undefined ? [] : [part("tags", source)];
  const stored = target === undefined ? [] : [part("tags", target)];
  return compareParts(desired, stored, base, time).map(({ change }) => change);
}

describe("who changed a part since it was last settled", () => {
  const same = baseOf({ tags: settled("a", "a") });
  it.each([
    ["a", "a", same, ["same"]],
    ["b", "a", same, ["here"]],
    ["a", "b", same, ["there"]],
    ["b", "c", same, ["both"]],
    ["b", "b", same, ["same"]],
    [undefined, "a", same, ["here"]],
    ["a", undefined, same, ["there"]],
    ["a", "b", undefined, ["unknown"]],
    ["a", undefined, undefined, ["unknown"]],
    [undefined, "a", undefined, ["unknown"]],
    ["a", "a", undefined, ["same"]],
    ["a", undefined, baseOf({}), ["here"]],
    [undefined, "a", baseOf({}), ["there"]],
    ["a", "b", baseOf({}), ["both"]],
    ["a", "b", baseOf({}, { whole: false }), ["unknown"]],
  ])("source %s, target %s", (source, target, base, changes) => {
    expect(changeOf(source, target, base)).toEqual(changes);
  });

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

  it("an older archive changes nothing by itself", () => {
    const base = baseOf({ tags: settled("a", "a", true, "2026-03-02T00:00:00.000Z") });
    expect(changeOf("b", "a", base)).toEqual(["unknown"]);
    expect(changeOf("b", "a", base, { ...NOW, archived: "2026-03-02T00:00:00.000Z" })).toEqual(["here"]);
    expect(changeOf("a", undefined, baseOf({}, { archived: "2026-03-02T00:00:00.000Z" }))).toEqual(["unknown"]);
  });

  it("a backup of the target's own stack changes nothing that was only found equal", () => {
    const own = { ...NOW, ownStack: true };
    expect(changeOf("b", "a", baseOf({ tags: settled("a", "a", false) }), own)).toEqual(["unknown"]);
    expect(changeOf("b", "a", baseOf({ tags: settled("a", "a", true) }), own)).toEqual(["here"]);
  });
});

it.each([
  ["same here", "here"],
  ["here there", "both"],
  ["same there", "there"],
  ["here both unknown", "unknown"],
  ["", "same"],
])("of the changes (%s), the gravest is %s", (changes, gravest) => {
  const listed = changes.split(" ").filter((each) => each !== "") as Change[];
  expect(gravestChange(listed.map((change) => ({ change })))).toBe(gravest);
});

describe("what is settled", () => {
  it("by a write: all parts but those that were kept", () => {
    const desired = [part("tags", "a"), part("name", "Board")];
    const stored = [part("tags", "A"), part("name", "Other"), part("revision", "1")];
    const base = baseOf({ query: settled("q", "q") });
    const { parts, whole } = settledByWrite(desired, stored, { base, kept: ["name"] });
    expect(parts).toEqual({ tags: [partDigest("a"), partDigest("A")], revision: ["", partDigest("1")], query: null });
    expect(whole).toBeUndefined();
  });

  it("by a look: what is equal, where the journal does not know it", () => {
    const changes = compareParts(
      [part("tags", "a"), part("name", "x")],
      [part("tags", "a"), part("name", "y")],
      undefined,
      NOW,
    );
    expect(settledByLook(changes, undefined)).toEqual({ parts: {}, equal: { tags: partDigest("a") } });
    const known = baseOf({ tags: settled("a", "a"), name: settled("x", "y") });
    const again = compareParts(
      [part("tags", "a"), part("name", "x")],
      [part("tags", "a"), part("name", "y")],
      known,
      NOW,
    );
    expect(settledByLook(again, known)).toBeUndefined();
  });
});
