import { describe, expect, it } from "vitest";
import type { StackRecord } from "../../../src/core/record.ts";
import { drawSourceMap } from "../../../src/report/drawing/source-map.ts";
import { markupOf } from "../../../src/report/html.ts";
import { readStack } from "../../../src/report/model/stack.ts";
import { kindFacet } from "../../../src/report/page/facets.ts";
import { facts, linkTo, table, timeText } from "../../../src/report/page/parts.ts";

const source = (id: string, more = {}): StackRecord => ({ kind: "sources", id, name: `S${id}`, body: { id, ...more } });

describe("timeText", () => {
  it.each([
    ["2026-01-02T03:04:05.678Z", "2026-01-02 03:04:05 UTC"],
    ["2026-01-02T03:04:05Z", "2026-01-02 03:04:05 UTC"],
    ["yesterday", "yesterday"],
  ])("says %j as %j", (moment, text) => expect(timeText(moment)).toBe(text));
});

describe("linkTo", () => {
  const model = readStack([source("1"), source("2")], (_kind, id) => id === "1");

  it("leads to a record that the page shows, names one that it does not, and gives the id of one that is not known", () => {
    expect(markupOf(linkTo(model, "sources", "1"))).toBe('<a href="#r-sources-1">S1</a>');
    expect(markupOf(linkTo(model, "sources", "2"))).toBe("S2");
    expect(markupOf(linkTo(model, "sources", "3"))).toBe("source <code>3</code>");
  });
});

describe("kindFacet", () => {
  it("has the kinds in the order of the page, what is no kind last", () => {
    const { values } = kindFacet(["redactions", "sources", "alerts", "dashboards", "sources"]);
    expect(values.map(({ value, count }) => [value, count])).toEqual([
      ["sources", 2],
      ["dashboards", 1],
      ["alerts", 1],
      ["redactions", 1],
    ]);
  });
});

describe("facts", () => {
  it("are nothing where there is nothing to say", () => {
    expect(
      markupOf(
        facts([
          ["Id", false],
          ["Name", ""],
        ]),
      ),
    ).toBe("");
  });
});

describe("table", () => {
  it("has the title of a column with each cell that says something, for where there are no columns", () => {
    expect(markupOf(table("T", ["A", "B", "C"], [["1", "2", ""]]))).toContain(
      '<td>1</td><td data-title="B">2</td><td></td>',
    );
  });
});

describe("the drawing of sources", () => {
  const read = (...records: StackRecord[]) => readStack(records).sources;

  it("has an arc for every reference, each with ends of its own", () => {
    const markup = markupOf(
      drawSourceMap(read(source("1", { logSourceId: "2" }), source("2", { traceSourceId: "1" }), source("3"))),
    );
    const ends = [...markup.matchAll(/class="arc" d="M\d+ ([\d.]+)C.*? ([\d.]+)"/g)].flatMap(([, from, to]) => [
      from,
      to,
    ]);
    expect(ends).toHaveLength(4);
    expect(new Set(ends).size).toBe(4);
  });

  it("is left out where there are no references, or too many sources", () => {
    expect(drawSourceMap(read(source("1"), source("2", { logSourceId: "gone" })))).toBe(false);
    const many = Array.from({ length: 25 }, (_, index) => source(String(index), { logSourceId: "0" }));
    expect(drawSourceMap(read(...many))).toBe(false);
  });
});
