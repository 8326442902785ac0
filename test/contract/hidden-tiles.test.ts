import { expect, test } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../src/core/json.ts";
import { substitutesIn } from "../../src/references/hidden-content.ts";
import { recordedExchanges } from "../support/recorded-exchanges.ts";

const TRUE_ITEM = { aggFn: "count", where: "", whereLanguage: "lucene", valueExpression: "" };
const BARE_ITEM = { aggFn: "count", where: "" };

/** The tiles that a real server returned, by the content that was stored in its database. */
const SUBSTITUTES: Readonly<Record<string, JsonObject>> = {
  "an unknown display type": { displayType: "line", sourceId: "s", select: [BARE_ITEM] },
  "a select that is a text": { displayType: "line", asRatio: false, fillNulls: true, select: [BARE_ITEM] },
  "raw SQL as a search": { configType: "sql", displayType: "line", connectionId: "c", sqlTemplate: "SELECT 1" },
  "a number whose select is a text": { displayType: "number", sourceId: "s", select: [BARE_ITEM] },
};

const TRUE_TILES: readonly JsonObject[] = [
  { displayType: "line", asRatio: false, fillNulls: true, select: [TRUE_ITEM] },
  { configType: "sql", displayType: "stacked_bar", fillNulls: false, sqlTemplate: "SELECT 1" },
  { configType: "sql", displayType: "table", sqlTemplate: "SELECT 1" },
  { displayType: "heatmap", select: [{ valueExpression: "Duration" }] },
  { displayType: "search", select: "Body" },
  { displayType: "markdown", markdown: "" },
];

const dashboard = (configs: Readonly<Record<string, JsonObject>>): JsonObject => ({
  tiles: Object.entries(configs).map(([name, config]) => ({ id: name, name, config })),
});

const shownSchema = z.object({
  data: z.preprocess(
    (data) => (Array.isArray(data) ? data : [data]),
    z.array(z.looseObject({ name: z.string(), tiles: z.array(z.looseObject({})) })),
  ),
});

test("the substitute of a tile that the API does not show is distinguished from true tiles", () => {
  const found = substitutesIn({ kind: "dashboards", body: dashboard(SUBSTITUTES) }, "self-hosted");
  expect(found).toEqual(Object.keys(SUBSTITUTES));
  const shown = dashboard(Object.fromEntries(TRUE_TILES.map((config, index) => [String(index), config])));
  expect(substitutesIn({ kind: "dashboards", body: shown }, "self-hosted")).toEqual([]);
});

test("no tile of a managed stack's answer is called a substitute, as it has too few members to judge", () => {
  expect(substitutesIn({ kind: "dashboards", body: dashboard(SUBSTITUTES) }, "managed")).toEqual([]);
});

test("of the recorded dashboards, only those made with a tile that the API cannot show hold a substitute", () => {
  const answered = recordedExchanges(() => true).flatMap(({ response }) => {
    const shown = shownSchema.safeParse(response.body);
    return shown.success ? shown.data.data : [];
  });
  const marked = answered.filter(
    (body) =>
      substitutesIn({ kind: "dashboards", body: z.record(z.string(), z.json()).parse(body) }, "self-hosted").length > 0,
  );
  expect(answered.length).toBeGreaterThan(20);
  const made = marked.map(({ name }) => name).filter((name) => !/^(?:UI made|Older: )/.test(name));
  expect(made).toEqual([]);
  expect(marked.length).toBeGreaterThan(0);
});
