import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { judgeAnswer } from "../../../src/import/compare-answer.ts";
import { dashboards } from "../../../src/kinds/dashboards.ts";

const pointers = (sent: JsonObject, stored: JsonObject): (string | undefined)[] =>
  judgeAnswer(dashboards, "a", { sent, stored }).warnings.map(({ pointer }) => pointer);

describe("the stored record compared with the record that was sent", () => {
  it("names a member that was dropped or changed", () => {
    const sent = { name: "a", tiles: [{ name: "t", config: { query: "q", unit: "ms" } }] };
    expect(pointers(sent, { name: "a", tiles: [{ name: "t", config: { unit: "s" } }] })).toEqual([
      "/tiles/0/config/query",
      "/tiles/0/config/unit",
    ]);
  });

  it("distinguishes an empty list in a list from null", () => {
    expect(pointers({ name: "a", rows: [[]] }, { name: "a", rows: [null] })).toEqual(["/rows/0"]);
  });
});
