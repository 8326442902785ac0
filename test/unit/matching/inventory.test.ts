import { describe, expect, it } from "vitest";
import { ignoreEvents, type RunEvent } from "../../../src/core/events.ts";
import { importedKinds as kinds } from "../../../src/kinds/registry.ts";
import { readInventory } from "../../../src/matching/inventory.ts";
import { interruptionError, memoryStack, refusalError, type MemoryStack } from "../../support/memory-stack.ts";
import { alert, dashboard, hexId, source, targetIds } from "../../support/stack-records.ts";

const BOARD = dashboard(hexId("a", 1), "Board", "");
const context = { events: ignoreEvents };
const empty = { connections: [], sources: [], webhooks: [], "saved-searches": [], dashboards: [], alerts: [] };

const listed = ({ requests }: MemoryStack): string[] =>
  requests.map(({ operation }) => operation.replace("list ", "")).toSorted((one, other) => (one < other ? -1 : 1));

const ALL = ["alerts", "connections", "dashboards", "saved-searches", "sources", "webhooks"];

/** Makes a stack whose list of one kind fails. */
function failing(kind: string, error: () => Error): MemoryStack {
  const stack = memoryStack({ ...empty, dashboards: [BOARD] });
  stack.intercept = (operation) => {
    if (operation === `list ${kind}`) throw error();
  };
  return stack;
}

describe("the inventory of a stack", () => {
  it("is read from the lists of the kinds that it is asked for", async () => {
    const stack = memoryStack({ ...empty, dashboards: [BOARD], pipes: [{ id: "p", name: "P" }] });
    const { kinds: read } = await readInventory(stack.client, kinds, context);
    expect(listed(stack)).toEqual(ALL);
    expect([...read.keys()].toSorted((one, other) => (one < other ? -1 : 1))).toEqual(ALL);
    expect(read.get("dashboards")).toMatchObject({ status: "complete", records: [{ id: BOARD["id"], name: "Board" }] });
  });

  it("marks a list that the stack lacks as not-offered", async () => {
    const { webhooks: _webhooks, ...seed } = empty;
    const { kinds: read } = await readInventory(memoryStack(seed).client, kinds, context);
    expect(read.get("webhooks")).toEqual({ status: "not-offered", records: [] });
    expect(read.get("sources")).toEqual({ status: "complete", records: [] });
  });

  it("fails if any list fails, whatever the reason", async () => {
    const read = (stack: MemoryStack) => readInventory(stack.client, kinds, context);
    await expect(read(failing("alerts", () => refusalError("unauthorized", "no")))).rejects.toMatchObject({
      code: "unauthorized",
    });
    await expect(read(failing("alerts", interruptionError))).rejects.toMatchObject({ code: "interrupted" });
    await expect(read(failing("alerts", () => new TypeError("a fault")))).rejects.toThrow(TypeError);
    await expect(read(memoryStack({}))).rejects.toMatchObject({ code: "protocol" });
  });

  it("is refused if it exceeds the memory budget", async () => {
    const text = "x".repeat(16 * 1024 * 1024);
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ ...source(hexId("c", at), "S", ""), text }));
    const read = (count: number) =>
      readInventory(memoryStack({ ...empty, sources: many(count) }).client, kinds, context);
    expect((await read(2)).kinds.get("sources")?.records).toHaveLength(2);
    await expect(read(17)).rejects.toMatchObject({ code: "protocol", hint: expect.any(String) });
  });

  it("is reported as one event per kind, with warnings of unreadable records", async () => {
    const events: RunEvent[] = [];
    const seed = { ...empty, dashboards: [BOARD, { id: "b", name: 7 }], sources: [{ name: {} }] };
    const told = { events: (event: RunEvent) => void events.push(event) };
    const { kinds: read } = await readInventory(memoryStack(seed).client, kinds, told);
    expect(read.get("dashboards")?.records).toHaveLength(1);
    expect(events).toContainEqual({ type: "listed", kind: "dashboards", count: 1 });
    const warnings = events.flatMap((event) => (event.type === "warning" ? [event.warning] : []));
    expect(warnings.map(({ code }) => code)).toEqual(["unreadable-record", "unreadable-record"]);
    expect(warnings.map(({ message }) => message).join("\n")).toMatch(/dashboard b cannot.*|source without id cannot/);
  });

  it("has each id in lower case, whatever the list has", async () => {
    const watching = alert(hexId("b", 1), "Busy", BOARD, "");
    const shouted = { ...BOARD, id: hexId("a", 1).toUpperCase() };
    const seed = { ...empty, dashboards: [shouted], alerts: [watching] };
    const inventory = await readInventory(memoryStack(seed).client, kinds, context);
    expect(inventory.kinds.get("dashboards")?.records).toMatchObject([{ id: BOARD["id"], body: { id: BOARD["id"] } }]);
    expect(inventory.kinds.get("alerts")?.records).toMatchObject([{ id: hexId("b", 1), name: "Busy" }]);
    expect(inventory.kinds.get("sources")?.records).toEqual([]);
  });
});

describe("the inventory of a target", () => {
  const asked = async (stack: MemoryStack, of = kinds) => {
    const { kinds: read } = await readInventory(stack.client, of, context);
    return { asked: listed(stack), alerts: read.get("alerts") };
  };
  const without = (kind: string): string[] => ALL.filter((each) => each !== kind);

  it("does not request alerts if no dashboard or saved search exists", async () => {
    expect(await asked(memoryStack(empty))).toEqual({
      asked: without("alerts"),
      alerts: { status: "complete", records: [] },
    });
  });

  it("requests alerts if a dashboard or saved search exists, is unreadable, or cannot be listed", async () => {
    expect((await asked(memoryStack({ ...empty, dashboards: [BOARD] }))).asked).toEqual(ALL);
    expect((await asked(memoryStack({ ...empty, dashboards: [{ id: "b", name: 7 }] }))).asked).toEqual(ALL);
    expect((await asked(memoryStack({ ...empty, "saved-searches": [{ id: "s", name: "S" }] }))).asked).toEqual(ALL);
    const { "saved-searches": _searches, ...older } = empty;
    expect((await asked(memoryStack(older))).asked).toEqual(ALL);
    const some = kinds.filter(({ name }) => name !== "saved-searches");
    expect((await asked(memoryStack(empty), some)).asked).toEqual(without("saved-searches"));
  });

  it("requests each list once", async () => {
    const stack = memoryStack({ ...empty, dashboards: [BOARD], sources: [source(hexId("c", 1), "Logs", "")] });
    await readInventory(stack.client, kinds, context);
    expect(new Set(listed(stack)).size).toBe(stack.requests.length);
  });
});

describe("a list that leaves members out", () => {
  const [first, second] = [
    dashboard(hexId("b", 17), "Board 17", targetIds.source),
    dashboard(hexId("b", 18), "Board 18", targetIds.source),
  ];
  const [tile] = second["tiles"] as readonly Record<string, string>[];
  const boxed = {
    ...second,
    tiles: [{ ...tile, containerId: "c1" }],
    containers: [{ id: "c1", title: "Rest", collapsed: false }],
  };
  const inline = {
    ...alert(hexId("b", 32), "Inline", first, targetIds.webhook),
    source: "inline",
    chartConfig: { displayType: "line" },
  };
  const watching = alert(hexId("b", 33), "Watching", first, targetIds.webhook);

  it("is completed by single reads of only those records that lists shorten", async () => {
    const stack = memoryStack({ dashboards: [first, boxed], alerts: [inline, watching] });
    stack.replaceListed = (_, bodies) =>
      bodies.map(({ containers: _containers, chartConfig: _chart, ...shown }) => shown);
    const { kinds: lists } = await readInventory(stack.client, kinds, context);
    const bodies = [...lists.values()].flatMap(({ records }) => records.map(({ body }) => body));
    expect(bodies.map(({ containers, chartConfig }) => containers ?? chartConfig)).toEqual([
      undefined,
      boxed.containers,
      inline.chartConfig,
      undefined,
    ]);
    expect(stack.requests.map(({ operation }) => operation).filter((name) => name.startsWith("get"))).toHaveLength(2);
  });

  it("is used for a record that cannot be read singly", async () => {
    const stack = memoryStack({ dashboards: [boxed], alerts: [] });
    stack.replaceListed = (_, bodies) => bodies.map(({ containers: _containers, ...shown }) => shown);
    stack.intercept = (operation) => {
      if (operation === "get dashboards") stack.records.get("dashboards")?.clear();
    };
    const { kinds: lists } = await readInventory(stack.client, kinds, context);
    expect(lists.get("dashboards")?.records).toMatchObject([{ name: "Board 18" }]);
  });
});
