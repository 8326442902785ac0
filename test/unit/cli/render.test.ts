import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { fitText } from "../../../src/core/text/fit-width.ts";
import { renderTable } from "../../../src/cli/output/table.ts";
import { createTheme, usesColour } from "../../../src/cli/output/terminal.ts";
import { printable, printableJson } from "../../../src/core/text/printable.ts";

const output = (isTTY: boolean) => ({ write: () => {}, isTTY, columns: undefined });

describe("printable", () => {
  it.each([
    ["\u001b[31mred", "\\u{1b}[31mred"],
    ["a\nb\tc\r", "a\\u{a}b\\u{9}c\\u{d}"],
    ["\u009b2J\u007f", "\\u{9b}2J\\u{7f}"],
    ["user\u202egnp.exe", "user\\u{202e}gnp.exe"],
    ["\u2066\u2069\u200f\u061c\u2028", "\\u{2066}\\u{2069}\\u{200f}\\u{61c}\\u{2028}"],
    ["\ud800", "\\u{d800}"],
  ])("shows %j harmlessly", (text, shown) => expect(printable(text)).toBe(shown));

  it("leaves what people read", () => {
    for (const text of ["Übersicht 概要", "👩‍👩‍👧 família", "שלום", "e\u0301"]) expect(printable(text)).toBe(text);
  });

  it("is harmless in JSON, and the same value after reading it", () => {
    const value = { name: "\u001b\u009b\u202e\u2028\u007f ü 👍" };
    const json = printableJson(value);
    for (const control of ["\u001b", "\u009b", "\u202e", "\u2028", "\u007f", "\n"]) expect(json).not.toContain(control);
    expect(JSON.parse(json)).toEqual(value);
  });
});

describe("fit", () => {
  it.each([
    ["short", 10, "short"],
    ["exactly ten", 11, "exactly ten"],
    ["too long for it", 8, "too lon…"],
    ["概要概要", 5, "概要…"],
    ["概要概要", 4, "概…"],
    ["👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"],
    ["x", 0, ""],
  ])("cuts %j to %i cells", (text, width, cut) => {
    expect(fitText(text, width)).toBe(cut);
    expect(stringWidth(fitText(text, width))).toBeLessThanOrEqual(width);
  });
});

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

  it("shows a long name whole where there is no terminal, and pads no other line to it", () => {
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

  it("aligns numbers to the right and ends no line with spaces", () => {
    const lines = renderTable(table, { theme: createTheme(false), columns: undefined })
      .trimEnd()
      .split("\n");
    expect(new Set(lines.map((line) => stringWidth(line))).size).toBe(1);
    expect(lines[2]).toMatch(/ {2}3 B$/);
  });
});

describe("usesColour", () => {
  it.each([
    [true, {}, false, true],
    [false, {}, false, false],
    [true, { NO_COLOR: "1" }, false, false],
    [true, { NO_COLOR: "" }, false, true],
    [true, { TERM: "dumb" }, false, false],
    [false, { FORCE_COLOR: "1" }, false, true],
    [true, { FORCE_COLOR: "0" }, false, false],
    [true, { FORCE_COLOR: "1", NO_COLOR: "1" }, false, true],
    [true, { FORCE_COLOR: "1" }, true, false],
  ])("terminal %s, %j, --no-color %s → %s", (isTTY, env, noColor, expected) => {
    expect(usesColour(output(isTTY), env, noColor)).toBe(expected);
  });
});
