import { expect, it } from "vitest";
import { markedIds, markSubstitutes, withoutMarks } from "../../../../src/archive/as-code/code-of-record.ts";
import { alerts } from "../../../../src/kinds/alerts.ts";
import { dashboards } from "../../../../src/kinds/dashboards.ts";

const shown = { displayType: "line", fillNulls: true, select: [{ aggFn: "count", whereLanguage: "lucene" }] };
const substitute = { displayType: "line", select: [{ aggFn: "count" }] };
const body = { tiles: [{ id: "a", config: shown }, { id: "b", config: substitute }, "no tile"], tags: ["x"] };

it("an export marks the substitutes of a self-hosted stack alone, and an apply takes the marks away again", () => {
  const marked = markSubstitutes(dashboards, body, "self-hosted");
  expect(markedIds(dashboards, marked)).toEqual(["b"]);
  expect(withoutMarks(dashboards, marked)).toEqual(body);
  expect(markSubstitutes(dashboards, body, "managed")).toEqual(body);
});

it("an apply takes no other value for a mark, and leaves records without such children alone", () => {
  const odd = { tiles: [{ id: "a", substitute: false }, { id: "b", substitute: "yes" }, { substitute: true }] };
  expect(markedIds(dashboards, odd)).toEqual([]);
  expect(withoutMarks(alerts, { substitute: true })).toEqual({ substitute: true });
  expect(withoutMarks(dashboards, { tiles: null })).toEqual({ tiles: null });
});
