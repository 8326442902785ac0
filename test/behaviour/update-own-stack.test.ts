import { describe, expect, it } from "vitest";
import { importStage, outcomeOf, sentTo, storedRecords, tileIds, writesOn } from "../support/import-stage.ts";
import type { JsonObject } from "../support/import-stage.ts";
import { memoryStack } from "../support/memory-stack.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records, tileWith } from "../support/stack-records.ts";
import { logs, needs } from "../support/usual-stacks.ts";

const BOARD = hexId("a", 16);

function tile(number: number, name: string, more: JsonObject = {}): JsonObject {
  const config = { displayType: "line", sourceId: logs["id"] ?? "", select: [{ aggFn: "count" }] };
  return tileWith(hexId("d", number), name, config, more);
}

const board = (tiles: readonly JsonObject[], more: JsonObject = {}): JsonObject =>
  dashboard(BOARD, "Overview", "", { tiles, ...more });
const watch = (number: number, tileId: string): JsonObject =>
  alert(hexId("b", number), `Alert ${number}`, { id: BOARD, tiles: [{ id: tileId }] }, hexId("a", 2));
const archiveOf = (body: JsonObject) => records({ dashboards: [body], ...needs.ours });
const ownStack = (body: JsonObject, alerts: readonly JsonObject[] = []): MemoryStack =>
  memoryStack({ dashboards: [body], alerts, ...needs.ours });
const update = { onConflict: "update" } as const;

describe("an update of the archive's own stack", () => {
  it("is blocked where the target has a new tile that an alert watches", async () => {
    const stack = ownStack(board([tile(1, "Requests"), tile(2, "Errors")]), [watch(1, hexId("d", 2))]);
    const run = await importStage(stack).run(archiveOf(board([tile(1, "Requests")])), update);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "blocked", code: "would-delete-alerts" });
    expect(run.exitCode).toBe(3);
    expect(writesOn(stack)).toEqual([]);
  });

  it("names every alert that it would cost, one without a name by its id", async () => {
    const unnamed: JsonObject = { ...watch(2, hexId("d", 2)), name: null };
    const stack = ownStack(board([tile(1, "Requests"), tile(2, "Errors")]), [watch(1, hexId("d", 2)), unnamed]);
    const run = await importStage(stack).run(archiveOf(board([tile(1, "Requests")])), update);
    expect(outcomeOf(run, "Overview")?.message).toContain(`Alert 1, ${hexId("b", 2)}`);
  });

  it("is blocked where the id of a tile now names another tile, which an alert watches", async () => {
    const other = tile(1, "Errors by service", { config: { displayType: "markdown", markdown: "new" } });
    const stack = ownStack(board([other]), [watch(1, hexId("d", 1))]);
    const run = await importStage(stack).run(archiveOf(board([tile(1, "Requests")])), update);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "blocked", code: "would-delete-alerts" });
    expect(writesOn(stack)).toEqual([]);
  });

  it("is done where nobody watches the tile that goes, and keeps the ids of the others", async () => {
    const stack = ownStack(board([tile(1, "Requests"), tile(2, "Errors")]), [watch(1, hexId("d", 1))]);
    const run = await importStage(stack).run(archiveOf(board([tile(1, "Requests")])), update);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update", status: "done", targetId: BOARD });
    expect(tileIds(sentTo(stack, "update dashboards")[0])).toEqual([hexId("d", 1)]);
  });
});

describe("equal tiles", () => {
  it("become two tiles of the target, never one", async () => {
    const stack = ownStack(board([tile(11, "Requests"), tile(12, "Requests")], { tags: ["theirs"] }));
    await importStage(stack).run(archiveOf(board([tile(1, "Requests"), tile(2, "Requests")])), update);
    expect(tileIds(sentTo(stack, "update dashboards")[0])).toEqual([hexId("d", 11), hexId("d", 12)]);
  });

  it("take one tile of the target once: the other is new there", async () => {
    const stack = ownStack(board([tile(11, "Requests")]));
    await importStage(stack).run(archiveOf(board([tile(1, "Requests"), tile(2, "Requests", { x: 6 })])), update);
    expect(tileIds(sentTo(stack, "update dashboards")[0])).toEqual([hexId("d", 11), undefined]);
  });
});

describe("what an update sends", () => {
  const filter = (number: number, name: string): JsonObject => ({
    id: hexId("e", number),
    name,
    expression: name,
    type: "QUERY_EXPRESSION",
    sourceId: logs["id"] ?? "",
  });

  it("holds an id for each filter that is new, another for each, and the same the next time", async () => {
    const wanted = archiveOf(board([tile(1, "Requests")], { filters: [filter(1, "Service"), filter(2, "Host")] }));
    const ids = await Promise.all(
      [1, 2].map(async () => {
        const stack = ownStack(board([tile(1, "Requests")]));
        await importStage(stack).run(wanted, update);
        const { filters } = sentTo(stack, "update dashboards")[0] as { filters: { id: string }[] };
        return filters.map(({ id }) => id);
      }),
    );
    expect(new Set(ids[0]).size).toBe(2);
    expect(ids[1]).toEqual(ids[0]);
    for (const id of ids[0] ?? []) expect(id).toMatch(/^[0-9a-f]{24}$/);
    expect(ids[0]).not.toContain(hexId("e", 1));
  });

  it("gives new filters uuids where the dashboard has one", async () => {
    const uuid = "6f1c9a52-0000-4000-8000-00000000000a";
    const theirs = { ...board([tile(1, "Requests")]), id: uuid };
    const stack = ownStack(theirs);
    await importStage(stack).run(archiveOf(board([tile(1, "Requests")], { filters: [filter(1, "Service")] })), update);
    const { filters } = sentTo(stack, "update dashboards")[0] as { filters: { id: string }[] };
    expect(filters[0]?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("takes out what the archive's dashboard lacks, and keeps what it has", async () => {
    const theirs = { savedQuery: "a:b", savedQueryLanguage: "sql", filters: [filter(9, "Theirs")], tags: ["x"] };
    const stack = ownStack(board([tile(1, "Requests")], theirs));
    const { filters: _none, ...bare } = board([tile(1, "Requests")], { tags: ["ours"] });
    await importStage(stack).run(archiveOf(bare), update);
    expect(sentTo(stack, "update dashboards")[0]).toMatchObject({
      savedQuery: null,
      filters: [],
      tags: ["ours"],
    });
  });

  it("takes a note out of an alert that the archive's has not", async () => {
    const plain = alert(hexId("a", 32), "Slow", board([tile(1, "Requests")]), hexId("a", 2));
    const stack = ownStack(board([tile(1, "Requests")]), [{ ...plain, message: "theirs", numConsecutiveWindows: 3 }]);
    const archive = [...archiveOf(board([tile(1, "Requests")])), ...records({ alerts: [plain] })];
    await importStage(stack).run(archive, update);
    expect(sentTo(stack, "update alerts")).toMatchObject([{ message: null, numConsecutiveWindows: null }]);
    expect(storedRecords(stack, "alerts")).toHaveLength(1);
  });

  it("is compared with what the plan was made of, so that a change since then is not overwritten", async () => {
    const stack = ownStack(board([tile(1, "Requests")], { tags: ["theirs"] }));
    stack.intercept = (operation) => {
      if (operation === "get dashboards") stack.records.get("dashboards")?.set(BOARD, board([tile(3, "Brand new")]));
    };
    const run = await importStage(stack).run(archiveOf(board([tile(1, "Requests")])), update);
    expect(outcomeOf(run, "Overview")).toMatchObject({ status: "failed", code: "changed-since" });
    expect(run.exitCode).toBe(3);
    expect(writesOn(stack)).toEqual([]);
  });
});
