import { describe, expect, it } from "vitest";
import { memoryBounds, memoryBudget } from "../../../../src/core/records/memory-budget.ts";

const codeOf = (act: () => void): unknown => {
  try {
    act();
    return "held";
  } catch (error) {
    return (error as { readonly code?: unknown }).code;
  }
};

describe("the memory budget for records", () => {
  it("counts the values and member names of all records together", () => {
    const hold = memoryBudget("archive", { maxValues: 12, maxCharacters: 100 });
    const body = { a: [1, null], b: {} };
    expect(codeOf(() => hold(body))).toBe("held");
    expect(codeOf(() => hold([1, 2, 3]))).toBe("held");
    expect(codeOf(() => hold(true))).toBe("held");
    expect(codeOf(() => hold(true))).toBe("archive-unknown");
  });

  it("counts the characters of texts and member names of all records together", () => {
    const hold = memoryBudget("stack", { maxValues: 100, maxCharacters: 12 });
    expect(codeOf(() => hold({ name: "four" }))).toBe("held");
    expect(codeOf(() => hold("four"))).toBe("held");
    expect(codeOf(() => hold("a"))).toBe("protocol");
  });

  it("allows a stack a hundred times as large as any measured stack", () => {
    expect(memoryBounds.maxValues).toBeGreaterThan(5000 * 1407);
    expect(memoryBounds.maxCharacters).toBeGreaterThan(5000 * 16_772);
  });
});
