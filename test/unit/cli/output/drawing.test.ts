import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { drawTextGrid } from "../../../../src/cli/output/drawing.ts";

const box = (x: number, y: number, w: number, h: number, ...lines: string[]) => ({ x, y, w, h, lines });

describe("drawTextGrid", () => {
  it("counts wide characters as two cells, so that the edges stay aligned", () => {
    const rows = drawTextGrid([box(0, 0, 12, 3, "漢字漢字漢字"), box(12, 0, 12, 3, "plain")], 40)
      .trimEnd()
      .split("\n");
    expect(rows.map((row) => stringWidth(row))).toEqual([40, 40, 40]);
  });

  it("begins with the first box, and ends before a dashboard that has no end", () => {
    expect(drawTextGrid([box(0, 900, 6, 3, "a")], 24).split("\n")).toHaveLength(4);
    const rows = drawTextGrid([box(0, 0, 6, 3, "a"), box(0, 1e6, 6, 3, "b")], 24).split("\n");
    expect(rows.length).toBeLessThan(300);
  });
});
