import { describe, expect, it } from "vitest";
import { closestName } from "../../../../src/core/text/similarity.ts";

describe("closestName", () => {
  it.each([
    ["exprot", "export"],
    ["EXPORT", "export"],
    ["verfy", "verify"],
  ])("knows what %s means", (typed, meant) => {
    expect(closestName(typed, ["import", "export", "verify"])).toBe(meant);
  });

  it("does not guess at what is nothing like it", () =>
    expect(closestName("zzz", ["import", "export"])).toBeUndefined());
});
