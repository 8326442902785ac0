import { describe, expect, it } from "vitest";
import type { Plan, PlanItem } from "../../../../src/core/plan/plan.ts";
import { changeLines } from "../../../../src/report/view/changes.ts";
import { importStage, type JsonObject, type RunOptions } from "../../../support/import-stage.ts";
import { memoryStack } from "../../../support/memory-stack.ts";
import { alert, dashboard, hexId, records, tileWith, archiveIds, targetIds } from "../../../support/stack-records.ts";
import { dependencies, theirHook, theirLogs, archiveOf } from "../../../support/import-samples.ts";

const SECRET = "c4naryc4naryc4nary";
const LINK = `see https://u:${SECRET}@example.com`;
const there = { alerts: [], sources: [theirLogs] };
const board = (more: JsonObject = {}): JsonObject => dashboard(hexId("a", 16), "Board", archiveIds.source, more);
const other = { source: { variant: "self-hosted", baseUrl: "http://other.test" } } as const;

async function planned(theirs: JsonObject, archive: ReturnType<typeof archiveOf>, options: RunOptions): Promise<Plan> {
  const { plan } = await importStage(memoryStack({ ...there, dashboards: [theirs] })).run(archive, {
    ...other,
    ...options,
  });
  return plan;
}

const itemOf = ({ items }: Plan): PlanItem | undefined => items.find(({ kind }) => kind === "dashboards");

describe("the updates of a plan", () => {
  const theirs = dashboard(hexId("b", 16), "Board", targetIds.source, { tags: ["theirs"], updatedAt: "now" });

  it("list the changed members, with the target's ids and without the members that the server owns", async () => {
    const plan = await planned(theirs, archiveOf(board({ tags: ["ours"] })), { onConflict: "overwrite" });
    expect(itemOf(plan)?.changes).toEqual([{ pointer: "/tags/0", change: "changed", from: "theirs", to: "ours" }]);
  });

  it("are the only plan items with a list of changes", async () => {
    const skipped = await planned(theirs, archiveOf(board({ tags: ["ours"] })), { onConflict: "keep" });
    expect(itemOf(skipped)).toMatchObject({ action: "skip", code: "exists" });
    expect(itemOf(skipped)).not.toHaveProperty("changes");
    const made = await planned({ ...theirs, name: "Other" }, archiveOf(board()), {});
    expect(itemOf(made)).not.toHaveProperty("changes");
  });

  it("show neither the secrets of the target's text nor those of its name", async () => {
    const renamed = { ...theirs, name: LINK, tags: [LINK] };
    const mapping = { dashboards: { [hexId("a", 16)]: hexId("b", 16) } };
    const plan = await planned(renamed, archiveOf(board()), { onConflict: "overwrite", mapping });
    expect(itemOf(plan)?.targetName).toContain("see https://«redacted:");
    expect(itemOf(plan)?.changes?.map(({ pointer }) => pointer)).toEqual(["/name", "/tags"]);
    expect(JSON.stringify([itemOf(plan)?.changes, itemOf(plan)?.targetName])).not.toContain(SECRET);
  });
});

describe("the update of an alert that watches another tile", () => {
  it("names both tiles, without the secrets of a name", async () => {
    const config = { displayType: "line", sourceId: archiveIds.source, select: [{ aggFn: "count" }] };
    const tiles = [tileWith(hexId("a", 20), "CPU", config), tileWith(hexId("a", 21), LINK, config, { x: 6 })];
    const two = board({ tiles });
    const archive = (tileId: string) =>
      records({
        dashboards: [two],
        alerts: [alert(hexId("a", 32), "Busy", two, archiveIds.webhook, { tileId })],
        ...dependencies.ours,
      });
    const stack = memoryStack({ ...there, dashboards: [], webhooks: [theirHook] });
    const stage = importStage(stack);
    await stage.run(archive(hexId("a", 20)), other);
    const moved = await stage.run(archive(hexId("a", 21)), { ...other, onConflict: "overwrite" });
    const item = moved.plan.items.find(({ name }) => name === "Busy");
    expect(item?.changes).toMatchObject([
      { pointer: "/tileId", fromName: "CPU", toName: expect.stringContaining("«redacted:") },
    ]);
    expect(changeLines(item?.changes ?? [], false)).toEqual([
      { mark: "~", words: ["tileId", expect.stringMatching(/^: "CPU" → "see https:\/\/«redacted:/)] },
    ]);
    expect(JSON.stringify(item?.changes)).not.toContain(SECRET);
  });
});

describe("a record that was changed on the target since the last import", () => {
  it("is listed with its changed tiles and with the changes of an update, and the secrets are redacted", async () => {
    const stack = memoryStack({ ...there, dashboards: [] });
    const stage = importStage(stack);
    const update = { onConflict: "overwrite", ...other } as const;
    await stage.run(archiveOf(board()), update);
    const [[id, made]] = [...(stack.records.get("dashboards") ?? [])] as [[string, JsonObject]];
    const [tile] = made["tiles"] as [JsonObject];
    const added = { ...tile, id: hexId("b", 77), name: LINK };
    stack.records.get("dashboards")?.set(id, { ...made, tiles: [tile, added] });
    const archive = archiveOf(board({ tags: ["ours"] }));
    const { plan } = await stage.run(archive, { ...update, onConflict: "keep" });
    const item = itemOf(plan);
    expect(item).toMatchObject({ action: "skip", code: "both-changed", since: { source: ["tags"] } });
    expect(item?.since?.target.join()).toContain("«redacted:");
    expect(item?.changes?.map(({ pointer }) => pointer)).toEqual(["/tags", "/tiles/1"]);
    expect(JSON.stringify([item?.since, item?.changes])).not.toContain(SECRET);
  });
});

describe("a part that a merge leaves as on the target", () => {
  it("is named, and the secrets in its name are redacted", async () => {
    const stack = memoryStack({ ...there, dashboards: [] });
    const stage = importStage(stack);
    await stage.run(archiveOf(board()), other);
    const [[id, made]] = [...(stack.records.get("dashboards") ?? [])] as [[string, JsonObject]];
    const [tile] = made["tiles"] as [JsonObject];
    const added = { ...tile, id: hexId("b", 77), name: LINK, y: 9 };
    stack.records.get("dashboards")?.set(id, { ...made, tiles: [tile, added] });
    const { plan } = await stage.run(archiveOf(board({ tags: ["ours"] })), { ...other, onConflict: "merge" });
    expect(itemOf(plan)?.kept).toMatchObject([{ label: expect.stringContaining("«redacted:") }]);
    expect(itemOf(plan)?.message).toContain("«redacted:");
    expect(JSON.stringify([itemOf(plan)?.kept, itemOf(plan)?.message])).not.toContain(SECRET);
  });
});

describe("a record that a mirror deletes", () => {
  it("is listed by its name, and the secrets in the name are redacted", async () => {
    const stack = memoryStack({ ...there, dashboards: [] });
    const stage = importStage(stack);
    const update = { onConflict: "overwrite", ...other } as const;
    const gone = dashboard(hexId("a", 17), LINK, archiveIds.source);
    await stage.run(archiveOf(board(), gone), update);
    const archive = archiveOf(board());
    const { plan } = await stage.run(archive, { ...update, mirror: {} });
    const { mirror } = plan;
    expect(mirror?.removals).toMatchObject([{ kind: "dashboards", name: expect.stringContaining("«redacted:") }]);
    expect(JSON.stringify(mirror?.removals.map(({ targetRecord: _there, ...shown }) => shown))).not.toContain(SECRET);
  });
});

describe("an update of an alert with an offset that --fit-limits changes", () => {
  const now = Date.UTC(2026, 0, 1);

  it("shows no change of the offset when the target already has the one that is written", async () => {
    const offset = { scheduleOffsetMinutes: 17, interval: "15m" };
    const archive = records({
      dashboards: [board()],
      alerts: [alert(hexId("a", 32), "Busy", board(), archiveIds.webhook, offset)],
      ...dependencies.ours,
    });
    const stack = memoryStack({ ...there, dashboards: [], webhooks: [theirHook] });
    await importStage(stack).run(archive, { fitLimits: true, now });
    for (const [id, body] of stack.records.get("alerts") ?? []) {
      stack.records.get("alerts")?.set(id, { ...body, threshold: 99 });
    }
    const { plan } = await importStage(stack).run(archive, { fitLimits: true, now, onConflict: "overwrite" });
    const changes = plan.items.find(({ name }) => name === "Busy")?.changes;
    expect(changes?.map(({ pointer }) => pointer)).toEqual(["/threshold"]);
  });
});
