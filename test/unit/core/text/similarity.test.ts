import { describe, expect, it } from "vitest";
import { closestName } from "../../../../src/core/text/similarity.ts";

describe("closestName", () => {
  it.each([
    ["exprot", "export"],
    ["EXPORT", "export"],
    ["verfy", "verify"],
  ])("finds the nearest name to %s", (typed, meant) => {
    expect(closestName(typed, ["import", "export", "verify"])).toBe(meant);
  });

  it("finds nothing if no name is similar", () => expect(closestName("zzz", ["import", "export"])).toBeUndefined());
});
