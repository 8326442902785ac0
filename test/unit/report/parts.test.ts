import { describe, expect, it } from "vitest";
import type { StackRecord } from "../../../src/core/records/record.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { countsText, groupByState, stateOf } from "../../../src/report/view/outcomes.ts";
import type { Outcome } from "../../../src/core/outcome.ts";
import { markupOf } from "../../../src/report/html/html.ts";
import { readStackModel } from "../../../src/report/model/stack.ts";
import { factList } from "../../../src/report/html/page.ts";
import { plainWords } from "../../../src/report/document.ts";
import { describeRecord } from "../../../src/report/view/records.ts";
import { timeText } from "../../../src/report/view/words.ts";

const source = (id: string, more = {}): StackRecord => ({ kind: "sources", id, name: `S${id}`, body: { id, ...more } });

describe("timeText", () => {
  it.each([
    ["2026-01-02T03:04:05.678Z", "2026-01-02 03:04:05 UTC"],
    ["2026-01-02T03:04:05Z", "2026-01-02 03:04:05 UTC"],
    ["yesterday", "yesterday"],
  ])("writes %j as %j", (moment, text) => expect(timeText(moment)).toBe(text));
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

describe("the description of a record", () => {
  const alert = (id: string, body: JsonObject): StackRecord => ({ kind: "alerts", id, name: "", body });
  const tiles = [{ id: "t2", name: "Tt2", config: { sourceId: "1" } }];
  const model = readStackModel([
    source("1"),
    { kind: "dashboards", id: "d", name: "Dd", body: { id: "d", tiles } },
    alert("n", { dashboardId: "d", tileId: "t2" }),
    alert("o", { dashboardId: "gone", tileId: "t2" }),
  ]);
  const factOf = (kind: string, id: string, wanted: string): string | undefined => {
    const record = model.find(kind, id);
    if (record === undefined) throw new Error(`there is no ${kind} ${id}`);
    const facts = describeRecord(record, model).blocks.flatMap((block) => (block.is === "facts" ? block.facts : []));
    const words = facts.find(([term]) => term === wanted)?.[1];
    return words && plainWords(words);
  };

  it("names the records that it uses and those that use it, and the id of a record that is gone", () => {
    expect(factOf("sources", "1", "Used by")).toBe("dashboard Dd");
    expect(factOf("dashboards", "d", "Uses")).toBe("source S1");
    expect(factOf("dashboards", "d", "Used by")).toBe("alert on Tt2 (Dd)");
    expect(factOf("alerts", "o", "Uses")).toBe("dashboard gone");
  });

  it("has a name for an unnamed alert, made of what it watches", () => {
    expect(model.find("alerts", "n")?.name).toBe("on Tt2 (Dd)");
    expect(model.find("alerts", "o")?.name).toBe("");
  });
});

describe("the result of an import", () => {
  const ended = (ends: Pick<Outcome, "action" | "status" | "code">): { state: ReturnType<typeof stateOf> } => ({
    state: stateOf({ kind: "alerts", name: "A", sourceId: "1", ...ends }, false),
  });
  const all = [
    ended({ action: "create", status: "done" }),
    ended({ action: "create", status: "done" }),
    ended({ action: "blocked", status: "failed", code: "missing-reference" }),
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
    const ids = groupByState(all).map(({ row }) => row.id);
    expect(ids).toEqual(["failed", "blocked", "created", "kept", "not-begun", "unchanged", "matched"]);
  });
});
