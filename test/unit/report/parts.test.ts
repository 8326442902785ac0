import { describe, expect, it } from "vitest";
import type { StackRecord } from "../../../src/core/records/record.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { findDependents } from "../../../src/report/html/dependents.ts";
import { countsText, groupByState, stateOf } from "../../../src/report/view/outcomes.ts";
import type { Outcome } from "../../../src/core/outcome.ts";
import { markupOf } from "../../../src/report/html/html.ts";
import { readStackModel } from "../../../src/report/model/stack.ts";
import { createKindFacet } from "../../../src/report/html/page.ts";
import { factList, linkTo, htmlTable, timeText } from "../../../src/report/html/parts.ts";

const source = (id: string, more = {}): StackRecord => ({ kind: "sources", id, name: `S${id}`, body: { id, ...more } });

describe("timeText", () => {
  it.each([
    ["2026-01-02T03:04:05.678Z", "2026-01-02 03:04:05 UTC"],
    ["2026-01-02T03:04:05Z", "2026-01-02 03:04:05 UTC"],
    ["yesterday", "yesterday"],
  ])("writes %j as %j", (moment, text) => expect(timeText(moment)).toBe(text));
});

describe("linkTo", () => {
  const model = readStackModel([source("1"), source("2")], (_kind, id) => id === "1");

  it("links to a record on the page, names a record outside, and writes the id of an unknown record", () => {
    expect(markupOf(linkTo(model, "sources", "1"))).toBe('<a href="#r-sources-1">S1</a>');
    expect(markupOf(linkTo(model, "sources", "2"))).toBe("S2");
    expect(markupOf(linkTo(model, "sources", "3"))).toBe("source <code>3</code>");
  });
});

describe("createKindFacet", () => {
  it("counts the kinds in the order of the page, and other values last", () => {
    const { values } = createKindFacet(["redactions", "sources", "alerts", "dashboards", "sources"]);
    expect(values.map(({ value, count }) => [value, count])).toEqual([
      ["dashboards", 1],
      ["alerts", 1],
      ["sources", 2],
      ["redactions", 1],
    ]);
  });
});

describe("factList", () => {
  it("is empty if no fact has a value", () => {
    expect(
      markupOf(
        factList([
          ["Id", false],
          ["Name", ""],
        ]),
      ),
    ).toBe("");
  });
});

describe("htmlTable", () => {
  it("writes the column title to each cell with a value, for narrow screens without columns", () => {
    expect(markupOf(htmlTable("T", ["A", "B", "C"], [["1", "2", ""]]))).toContain(
      '<td>1</td><td data-title="B">2</td><td></td>',
    );
  });
});

describe("the records that stop working without a source or connection", () => {
  const tile = (id: string, sourceId: string) => ({ id, name: `T${id}`, config: { sourceId } });
  const alert = (id: string, body: JsonObject): StackRecord => ({ kind: "alerts", id, name: `A${id}`, body });
  const dashboard = (id: string, tiles: JsonObject[]): StackRecord => ({
    kind: "dashboards",
    id,
    name: `D${id}`,
    body: { id, tiles },
  });
  const model = readStackModel([
    { kind: "connections", id: "c", name: "C", body: {} },
    source("1", { connection: "c" }),
    source("2", { logSourceId: "1" }),
    { kind: "saved-searches", id: "s", name: "S", body: { sourceId: "1" } },
    dashboard("d", [tile("t1", "1"), tile("t2", "2")]),
    dashboard("e", [tile("t3", "2")]),
    alert("a", { dashboardId: "d", tileId: "t1" }),
    alert("b", { dashboardId: "d", tileId: "t2" }),
    alert("s", { savedSearchId: "s" }),
  ]);
  const namesOf = (kind: string, id: string) => {
    const record = model.find(kind, id);
    if (record === undefined) throw new Error(`there is no ${kind} ${id}`);
    const { sources, savedSearches, dashboards, alerts, linkedFrom } = findDependents(record, model);
    return {
      ...(linkedFrom.length > 0 && { linkedFrom: linkedFrom.map(({ name }) => name) }),
      sources: sources.map(({ name }) => name),
      savedSearches: savedSearches.map(({ name }) => name),
      tiles: dashboards.flatMap(({ tiles }) => tiles.map(({ name }) => name)),
      alerts: alerts.map(({ name }) => name),
    };
  };

  it("are those that read from the source, with alerts on them; a linked source only loses the link", () => {
    expect(namesOf("sources", "1")).toEqual({
      linkedFrom: ["S2"],
      sources: [],
      savedSearches: ["S"],
      tiles: ["Tt1"],
      alerts: ["Aa", "As"],
    });
    expect(namesOf("sources", "2")).toEqual({ sources: [], savedSearches: [], tiles: ["Tt2", "Tt3"], alerts: ["Ab"] });
  });

  it("are for a connection those of its sources", () => {
    expect(namesOf("connections", "c")).toEqual({
      sources: ["S1"],
      savedSearches: ["S"],
      tiles: ["Tt1"],
      alerts: ["Aa", "As"],
    });
  });

  it("have a name for an unnamed alert, made of what it watches", () => {
    const unnamed = { ...alert("n", { dashboardId: "d", tileId: "t2" }), name: "" };
    const dangling = { ...alert("o", { dashboardId: "gone", tileId: "t2" }), name: "" };
    const extended = readStackModel([...model.records, unnamed, dangling]);
    expect(extended.find("alerts", "n")?.name).toBe("on Tt2 (Dd)");
    expect(extended.find("alerts", "o")?.name).toBe("");
  });
});

describe("the result of an import", () => {
  const ended = (ends: Pick<Outcome, "action" | "status" | "code">): { state: ReturnType<typeof stateOf> } => ({
    state: stateOf({ kind: "alerts", name: "A", sourceId: "1", ...ends }, false),
  });
  const all = [
    ended({ action: "create", status: "done" }),
    ended({ action: "create", status: "done" }),
    ended({ action: "blocked", status: "failed", code: "missing-webhook" }),
    ended({ action: "create", status: "failed", code: "rejected" }),
    ended({ action: "skip", status: "done", code: "exists" }),
    ended({ action: "skip", status: "done", code: "matched" }),
    ended({ action: "unchanged", status: "done" }),
    ended({ action: "update", status: "planned", code: "not-started" }),
  ];

  it("counts writes first, then failures, then the records that stay as they are", () => {
    expect(countsText(all, "done")).toBe("2 created, 1 failed, 1 blocked, 1 kept, 1 not begun; 1 as it is, 1 matched");
    expect(countsText(all.slice(-3, -1), "planned")).toBe("nothing to do; 1 as it is, 1 matched");
  });

  it("is sorted with failures first, and matches last", () => {
    const states = groupByState(all).map(({ state }) => state);
    expect(states).toEqual(["failed", "blocked", "create", "skip", "not begun", "unchanged", "matched"]);
  });
});
