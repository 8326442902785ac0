import { describe, expect, it } from "vitest";
import { dependencies, update } from "../../support/import-samples.ts";
import {
  bodiesSentTo,
  importStage,
  outcomeOf,
  tileIds,
  writesOn,
  type JsonObject,
} from "../../support/import-stage.ts";
import { memoryStack, putRecord, type MemoryStack } from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { alert, archiveIds, dashboard, hexId, records, tileWith } from "../../support/stack-records.ts";

const boardId = hexId("a", 16);
const [requestsId, errorsId] = [hexId("d", 1), hexId("d", 2)];

function tile(id: string, name: string, more: JsonObject = {}): JsonObject {
  const config = { displayType: "line", sourceId: archiveIds.source, select: [{ aggFn: "count" }] };
  return tileWith(id, name, config, more);
}

const board = (tiles: readonly JsonObject[], more: JsonObject = {}): JsonObject =>
  dashboard(boardId, "Overview", "", { tiles, ...more });
const requests = board([tile(requestsId, "Requests")]);
const both = board([tile(requestsId, "Requests"), tile(errorsId, "Errors")]);

/** Makes an alert on the tile with this id. */
const watch = (tileId: string, more: JsonObject = {}): JsonObject =>
  alert(hexId("b", 32), "Slow", { id: boardId, tiles: [{ id: tileId }] }, archiveIds.webhook, more);
const archiveOf = (body: JsonObject, alerts: readonly JsonObject[] = []) =>
  records({ dashboards: [body], alerts, ...dependencies.ours });
const ownStack = (body: JsonObject, alerts: readonly JsonObject[] = []): MemoryStack =>
  memoryStack({ dashboards: [body], alerts, ...dependencies.ours });

/** Updates a stack's dashboard `there` to the archive's dashboard `archived`. */
async function updated(there: JsonObject, archived: JsonObject, alerts: readonly JsonObject[] = []) {
  const stack = ownStack(there, alerts);
  const run = await importStage(stack).run(archiveOf(archived), update);
  const [sent] = bodiesSentTo(stack, "update dashboards");
  return { stack, run, sent };
}

describe("an update of the archive's own stack", () => {
  it("is blocked where alerts watch a new tile of the target, and names them all, by what they watch if they have no name", async () => {
    const unnamed = watch(errorsId, { id: hexId("b", 33), name: null });
    const { stack, run } = await updated(both, requests, [watch(errorsId), unnamed]);
    expect(outcomeOf(run, "Overview")).toMatchObject({
      action: "blocked",
      code: "would-delete-alerts",
      message: expect.stringContaining("Slow, on Errors (Overview)"),
    });
    expect([run.exitCode, writesOn(stack)]).toEqual([3, []]);
  });

  it("is written if no alert watches the removed tile, and keeps the ids of the other tiles", async () => {
    const { run, sent } = await updated(both, requests, [watch(requestsId)]);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update", status: "done", targetId: boardId });
    expect(tileIds(sent)).toEqual([requestsId]);
  });

  it("puts a tile back under its own id, whatever the target has made of it, and its alert stays on it", async () => {
    const other = tile(requestsId, "Errors by service", { config: { displayType: "markdown", markdown: "new" } });
    const { stack, run, sent } = await updated(board([other]), requests, [watch(requestsId)]);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update", status: "done" });
    expect(sent).toMatchObject({ tiles: [{ id: requestsId, name: "Requests" }] });
    expect(recordsOn(stack, "alerts")).toMatchObject([{ tileId: requestsId }]);
  });

  it("gives no tile, and no alert on it, the content of another tile that somebody has made equal to it", async () => {
    const twice = board([tile(requestsId, "Errors"), tile(errorsId, "Errors")]);
    const { sent } = await updated(twice, both, [watch(requestsId)]);
    const tiles = [
      { id: requestsId, name: "Requests" },
      { id: errorsId, name: "Errors" },
    ];
    expect(sent).toMatchObject({ tiles });
  });

  it.each([
    ["become two tiles of the target, never one", [hexId("d", 11), hexId("d", 12)]],
    ["take one tile of the target once: the other is new there", [hexId("d", 11)]],
  ])("lets two equal tiles of a dashboard %s", async (_, ids) => {
    const there = ids.map((id) => tile(id, "Requests"));
    const twins = board([tile(requestsId, "Requests"), tile(errorsId, "Requests", { x: 6 })]);
    const { sent } = await updated(board(there, { tags: ["theirs"] }), twins);
    expect(tileIds(sent)).toEqual([ids[0], ids[1]]);
  });
});

describe("what an update sends", () => {
  const filter = (number: number, name: string): JsonObject => ({
    id: hexId("e", number),
    name,
    expression: name,
    type: "QUERY_EXPRESSION",
    sourceId: archiveIds.source,
  });
  const filterIds = async (there: JsonObject, ...filters: readonly JsonObject[]): Promise<string[]> => {
    const { sent = {} } = await updated(there, board([tile(requestsId, "Requests")], { filters }));
    return (sent["filters"] as { id: string }[]).map(({ id }) => id);
  };

  it("holds an id for each filter that is new, another for each, and the same the next time", async () => {
    const [first, second] = [filter(1, "Service"), filter(2, "Host")];
    const ids = await filterIds(requests, first, second);
    expect(new Set(ids).size).toBe(2);
    expect(await filterIds(requests, first, second)).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/);
    expect(ids).not.toContain(first["id"]);
  });

  it("gives new filters uuids where the dashboard has one", async () => {
    const [id] = await filterIds({ ...requests, id: "6f1c9a52-0000-4000-8000-00000000000a" }, filter(1, "Service"));
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("takes out what the archive's dashboard lacks, and keeps what it has", async () => {
    const theirs = { savedQuery: "a:b", savedQueryLanguage: "sql", filters: [filter(9, "Theirs")], tags: ["x"] };
    const { filters: _none, ...bare } = board([tile(requestsId, "Requests")], { tags: ["ours"] });
    const { sent } = await updated({ ...requests, ...theirs }, bare);
    expect(sent).toMatchObject({ savedQuery: null, filters: [], tags: ["ours"] });
  });

  it("takes a note out of an alert that the archive's has not", async () => {
    const stack = ownStack(requests, [watch(requestsId, { message: "theirs", numConsecutiveWindows: 3 })]);
    await importStage(stack).run(archiveOf(requests, [watch(requestsId)]), update);
    expect(bodiesSentTo(stack, "update alerts")).toMatchObject([{ message: null, numConsecutiveWindows: null }]);
    expect(recordsOn(stack, "alerts")).toHaveLength(1);
  });

  it("is compared with what the plan was made of, so that a change since then is not overwritten", async () => {
    const stack = ownStack({ ...requests, tags: ["theirs"] });
    stack.intercept = (operation) => {
      if (operation === "get dashboards") putRecord(stack, "dashboards", board([tile(hexId("d", 3), "Brand new")]));
    };
    const run = await importStage(stack).run(archiveOf(requests), update);
    expect(outcomeOf(run, "Overview")).toMatchObject({ status: "failed", code: "changed-since" });
    expect([run.exitCode, writesOn(stack)]).toEqual([3, []]);
  });
});
