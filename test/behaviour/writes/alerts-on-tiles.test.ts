import { describe, expect, it } from "vitest";
import { hook, logs, newStage, update, usualTarget } from "../../support/import-samples.ts";
import {
  importInto,
  importStage,
  outcomeOf,
  warningMessages,
  writesOn,
  type JsonObject,
  type StackRecord,
} from "../../support/import-stage.ts";
import { putRecord, type MemoryStack } from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { rollBackJournal } from "../../support/rollback-runs.ts";
import { alert, archiveIds, dashboard, hexId, records, targetIds, tileWith } from "../../support/stack-records.ts";

// The server deletes an alert if an update makes its tile one of a type that has no alerts.

const shown = (id: string, tags: string[], config: JsonObject): JsonObject =>
  dashboard(id, "Notes", "", { tags, tiles: [tileWith(hexId("d", 90), "Tile", config)] });
const text = { displayType: "markdown", markdown: "x" };
const there = (config: JsonObject = text): JsonObject => shown(hexId("b", 18), ["theirs"], config);
const wanted = (config: JsonObject = text): StackRecord[] =>
  records({ dashboards: [shown(hexId("a", 18), ["ours"], config)] });
const chart = (displayType: string): JsonObject => ({ displayType, select: [{ aggFn: "count" }] });
const rawSql = (displayType: string): JsonObject => ({ displayType, configType: "sql", sqlTemplate: "SELECT 1" });

const onTile = alert(hexId("b", 34), "On tile", there(), targetIds.webhook);
const target = (dashboards: JsonObject[] = [], alerts: JsonObject[] = []): MemoryStack =>
  usualTarget({ dashboards, alerts });

describe("an update that is known to lose an alert, as its tile is of a type that keeps none,", () => {
  it.each(["markdown", "table", "pie", "bar", "heatmap", "search", "event_patterns"])(
    "is blocked: %s",
    async (type) => {
      const stack = target([there(chart(type))], [onTile]);
      const run = await importInto(stack, wanted(chart(type)), update);
      expect(outcomeOf(run, "Notes")).toMatchObject({ action: "blocked", code: "would-delete-alerts" });
      expect(outcomeOf(run, "Notes")?.message).toContain("On tile");
      expect(writesOn(stack)).toEqual([]);
    },
  );

  it.each<[types: string, JsonObject, JsonObject, action: string]>([
    ["line to table", chart("line"), chart("table"), "blocked"],
    ["line to raw SQL table", chart("line"), rawSql("table"), "blocked"],
    ["line to number", chart("line"), chart("number"), "update"],
    ["line to raw SQL line", chart("line"), rawSql("line"), "update"],
    ["table to stacked bar", chart("table"), chart("stacked_bar"), "update"],
  ])("is told by the type that the tile gets: %s", async (_types, before, after, action) => {
    const stack = target();
    // The journal of an earlier import tells which tile this is, although its type is another one now.
    const stage = importStage(stack);
    await stage.run(wanted(before));
    const made = recordsOn(stack, "dashboards")[0] as JsonObject;
    putRecord(stack, "alerts", alert(hexId("b", 34), "On tile", made, targetIds.webhook));
    const run = await stage.run(wanted(after), update);
    expect(outcomeOf(run, "Notes")).toMatchObject({ action });
  });

  it.each([false, true])("is left alone by a rollback (force: %s)", async (force) => {
    const { stack, stage } = newStage(target([there()]));
    await stage.run(wanted(), update);
    putRecord(stack, "alerts", onTile);
    const kept = await rollBackJournal(stack, stage.history, { force });
    expect(kept.outcomes).toMatchObject([{ action: "blocked", code: "would-delete-alerts" }]);
  });
});

it("an import warns of an alert that it makes on such a tile: the next update of its dashboard deletes it", async () => {
  const tiles = ["line", "table"].map((displayType, index) =>
    tileWith(hexId("d", 90 + index), displayType, { ...chart(displayType), sourceId: archiveIds.source }),
  );
  const both = dashboard(hexId("a", 19), "Both", archiveIds.source, { tiles });
  const alerts = tiles.map(({ id, name }, index) =>
    alert(hexId("a", 40 + index), `On ${String(name)}`, both, archiveIds.webhook, { tileId: id ?? null }),
  );
  const archive = records({ dashboards: [both], alerts, sources: [logs], webhooks: [hook] });
  const run = await importInto(target(), archive);
  expect(warningMessages(run.plan, "would-delete-alerts")).toEqual([expect.stringContaining("On table")]);
});
