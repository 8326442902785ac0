import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { renderTable } from "../../../../src/cli/output/table.ts";
import { createTheme } from "../../../../src/cli/output/terminal.ts";

describe("renderTable", () => {
  const table = {
    columns: ["KIND", "NAME", { right: "SIZE" }],
    rows: [
      ["dashboards", "概要 of everything that this company has ever looked at, in one place", "12 kB"],
      ["alerts", "evil\u001b[2J", "3 B"],
    ],
  };

  it.each([60, 80, 160])("fits %i columns, with and without colours", (columns) => {
    const plain = renderTable(table, { theme: createTheme(false), columns });
    const coloured = renderTable(table, { theme: createTheme(true), columns });
    for (const text of [plain, coloured]) {
      for (const line of text.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    }
    expect(plain).not.toContain("\u001b");
    expect(coloured).toContain("\u001b[2m");
    expect(coloured).not.toContain("\u001b[2J");
    expect(plain.includes("…")).toBe(columns < 100);
  });

  it("prints a long name in full if there is no terminal, and pads no other line to its length", () => {
    const name = "n".repeat(1000);
    const rows = [
      ["alerts", name, "3 B"],
      ["alerts", "short", "3 B"],
    ];
    const text = renderTable({ ...table, rows }, { theme: createTheme(false), columns: undefined });
    const [, long, short] = text.split("\n");
    expect(long).toContain(name);
    expect(stringWidth(short ?? "")).toBeLessThan(250);
  });

  it("aligns numbers to the right, and ends no line with spaces", () => {
    const lines = renderTable(table, { theme: createTheme(false), columns: undefined })
      .trimEnd()
      .split("\n");
    expect(new Set(lines.map((line) => stringWidth(line))).size).toBe(1);
    expect(lines[2]).toMatch(/ {2}3 B$/);
  });
});
