import { describe, expect, it } from "vitest";
import {
  bodiesSentTo,
  importInto,
  outcomeLines,
  planInto,
  warningMessages,
  writesOn,
  type JsonObject,
  type StackRecord,
} from "../../support/import-stage.ts";
import { memoryStack } from "../../support/memory-stack.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import {
  alert,
  archiveIds,
  dashboard,
  hexId,
  records,
  targetIds,
  tileOf,
  tileWith,
} from "../../support/stack-records.ts";
import { board, dependencies, fromOtherStack, update, usualTarget } from "../../support/import-samples.ts";

const [first, second] = [board(16), board(17)];
const busy = (number: number, on: JsonObject, more: JsonObject = {}): JsonObject =>
  alert(hexId("a", number), "Busy", on, archiveIds.webhook, more);
const archiveOf = (dashboards: readonly JsonObject[], ...alerts: readonly JsonObject[]): StackRecord[] =>
  records({ dashboards, alerts, ...dependencies.ours });

describe("alerts of one name", () => {
  it("are told apart by the tile that they watch", async () => {
    const archive = archiveOf([first, second], busy(32, first), busy(33, second));
    const stack = usualTarget();
    await importInto(stack, archive);
    changeOn(stack, "alerts", { threshold: 99 });
    const { items } = (await importInto(stack, archive, update)).plan;
    expect(
      outcomeLines(
        items.filter(({ kind }) => kind === "alerts"),
        "action",
      ),
    ).toEqual(["update", "update"]);
    const targetOf = (number: number) => items.find(({ sourceId }) => sourceId === hexId("a", number))?.targetId ?? "";
    for (const number of [32, 33]) {
      const updated = stack.records.get("alerts")?.get(targetOf(number));
      expect(updated?.["dashboardId"]).toBe(targetOf(number - 16));
    }
  });

  it("are blocked as ambiguous, with the candidates, if several dashboards of the target could be theirs", async () => {
    const twins = [8, 9].map((number) =>
      dashboard(hexId("b", number), "Board 16", targetIds.source, { tags: [`${number}`] }),
    );
    const stack = usualTarget({ dashboards: twins });
    const archive = archiveOf([first], busy(32, first));
    const { items, unresolved } = (await importInto(stack, archive, { ...fromOtherStack, kinds: ["alerts"] })).plan;
    expect(items.find(({ kind }) => kind === "alerts")).toMatchObject({ action: "blocked", code: "ambiguous" });
    expect(unresolved).toMatchObject([{ space: "dashboards", id: hexId("a", 16), reason: "ambiguous" }]);
    expect(unresolved[0]?.candidates.map(({ id }) => id)).toEqual(twins.map(({ id }) => id));
    expect(writesOn(stack)).toEqual([]);
  });
});

describe("an alert without a name", () => {
  const unnamed = alert(hexId("a", 32), null, first, archiveIds.webhook);
  const there = dashboard(hexId("b", 20), "Board 16", targetIds.source, { tags: ["theirs"] });

  it.each([
    ["on another stack", () => usualTarget({ dashboards: [there] })],
    ["on its own stack", () => memoryStack({ dashboards: [first], alerts: [unnamed], ...dependencies.ours })],
  ])("follows a copy of its dashboard under another name %s, once", async (_, target) => {
    const stack = target();
    const [archive, options] = [archiveOf([first], unnamed), { namePrefix: "Copy " }];
    await importInto(stack, archive, options);
    const copy = recordOn(stack, "dashboards", "Copy Board 16");
    expect(bodiesSentTo(stack, "create alerts")).toMatchObject([{ dashboardId: copy.id, tileId: tileOf(copy) }]);
    const { items } = await planInto(stack, archive, options);
    expect(items.filter(({ action }) => action === "create")).toEqual([]);
  });
});

describe("two alerts of the archive that are alike, and one of the target that was changed", () => {
  const one = busy(32, first);
  const twin = { ...one, id: hexId("a", 33) };
  const theirs = { ...one, id: hexId("b", 32), threshold: 1000 };
  const archive = archiveOf([first], one, twin);
  const target = () => memoryStack({ dashboards: [first], alerts: [theirs], ...dependencies.ours });

  it("are blocked with the reason", async () => {
    const { items } = await planInto(target(), archive);
    const alerts = items.filter(({ kind }) => kind === "alerts");
    const message = expect.stringContaining(`"Busy" ${theirs.id}`) as string;
    expect(alerts).toMatchObject([1, 2].map(() => ({ action: "blocked", message })));
  });

  it("are told apart by a map file that names one of them", async () => {
    const mapping = { alerts: { [String(one["id"])]: theirs.id } };
    const { items } = await planInto(target(), archive, { ...update, mapping });
    const alerts = items.filter(({ kind }) => kind === "alerts");
    expect(alerts.map(({ sourceId, action, targetId }) => [sourceId, action, targetId])).toEqual([
      [one["id"], "update", theirs.id],
      [twin.id, "create", undefined],
    ]);
  });
});

describe("an alert on another tile than the target's alert of its name, without a journal", () => {
  const config = { displayType: "line", sourceId: archiveIds.source, select: [{ aggFn: "count" }] };
  const [cpu, memory] = [hexId("d", 20), hexId("d", 21)];
  const tiles = [tileWith(cpu, "CPU", config), tileWith(memory, "Memory", config, { x: 6 })];
  const [here, other] = [board(16, { tiles }), board(17, { tiles: [tileWith(hexId("d", 30), "CPU", config)] })];
  const onMemory = { tileId: memory };

  /** Imports an alert on the first tile. Later runs do not get this run's journal. */
  async function imported(name: string | null = "Busy") {
    const stack = usualTarget();
    await importInto(stack, archiveOf([here], busy(32, here, { name })), fromOtherStack);
    return { stack, targetId: String(recordsOn(stack, "alerts")[0]?.["id"]) };
  }

  it.each<[string, name: string | null, on: JsonObject, JsonObject]>([
    ["of the same dashboard", "Busy", here, onMemory],
    ["of the same dashboard, without a name", null, here, onMemory],
    ["of another dashboard", "Busy", other, {}],
    ["of another dashboard, without a name", null, other, {}],
    ["of another dashboard, with other content", "Busy", other, { threshold: 7 }],
  ])("is created as a second one, as nothing tells that it has moved: %s", async (_, name, on, more) => {
    const { stack, targetId } = await imported(name);
    await importInto(stack, archiveOf([here, other], busy(32, on, { name, ...more })), fromOtherStack);
    expect(recordsOn(stack, "alerts").map(({ id }) => id)).toContain(targetId);
    expect(bodiesSentTo(stack, "create alerts")).toHaveLength(2);
  });

  it("is moved if a map file names it", async () => {
    const { stack, targetId } = await imported();
    const options = { ...fromOtherStack, ...update, mapping: { alerts: { [hexId("a", 32)]: targetId } } };
    const { plan } = await importInto(stack, archiveOf([here], busy(32, here, onMemory)), options);
    expect(warningMessages(plan, "created-beside")).toEqual([]);
    expect(bodiesSentTo(stack, "create alerts")).toHaveLength(1);
    const [, theirMemory] = recordOn(stack, "dashboards", "Board 16")["tiles"] as JsonObject[];
    expect(recordOn(stack, "alerts", "Busy")["tileId"]).toBe(theirMemory?.["id"]);
  });

  it("is no second one if the source has both", async () => {
    const { stack } = await imported();
    const both = archiveOf([here], busy(32, here), busy(33, here, onMemory));
    const plan = await planInto(stack, both, fromOtherStack);
    expect(warningMessages(plan, "created-beside")).toEqual([]);
  });
});
