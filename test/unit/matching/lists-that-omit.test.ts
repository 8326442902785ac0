import { expect, it } from "vitest";
import { ignoreEvents } from "../../../src/core/events.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { readTargetInventory } from "../../../src/matching/inventory.ts";
import { memoryStack } from "../../support/memory-stack.ts";
import { alert, dashboard, hexId } from "../../support/stack-records.ts";

const [first, second] = [
  dashboard(hexId("b", 17), "Board 17", hexId("b", 1)),
  dashboard(hexId("b", 18), "Board 18", hexId("b", 1)),
];
const [tile] = second["tiles"] as readonly Record<string, string>[];
const boxed = {
  ...second,
  tiles: [{ ...tile, containerId: "c1" }],
  containers: [{ id: "c1", title: "Rest", collapsed: false }],
};
const inline = {
  ...alert(hexId("b", 32), "Inline", first, hexId("b", 2)),
  source: "inline",
  chartConfig: { displayType: "line" },
};
const watching = alert(hexId("b", 33), "Watching", first, hexId("b", 2));

it("reads singly what lists are known to leave out of, and no other record", async () => {
  const stack = memoryStack({ dashboards: [first, boxed], alerts: [inline, watching] });
  stack.show = (_, bodies) => bodies.map(({ containers: _containers, chartConfig: _chart, ...shown }) => shown);
  const { kinds: lists } = await readTargetInventory(stack.client, kinds, { events: ignoreEvents });
  const bodies = [...lists.values()].flatMap(({ records }) => records.map(({ body }) => body));
  expect(bodies.map(({ containers, chartConfig }) => containers ?? chartConfig)).toEqual([
    undefined,
    boxed.containers,
    inline.chartConfig,
    undefined,
  ]);
  expect(stack.requests.map(({ operation }) => operation).filter((name) => name.startsWith("get"))).toHaveLength(2);
});

it("takes the list's word for a record that cannot be read singly", async () => {
  const stack = memoryStack({ dashboards: [boxed], alerts: [] });
  stack.show = (_, bodies) => bodies.map(({ containers: _containers, ...shown }) => shown);
  stack.intercept = (operation) => {
    if (operation === "get dashboards") stack.records.get("dashboards")?.clear();
  };
  const { kinds: lists } = await readTargetInventory(stack.client, kinds, { events: ignoreEvents });
  expect(lists.get("dashboards")?.records).toMatchObject([{ name: "Board 18" }]);
});
