import { expect, it } from "vitest";
import { ignoreEvents } from "../../../src/core/events.ts";
import { recordKey } from "../../../src/core/records/record.ts";
import { importedKinds } from "../../../src/kinds/registry.ts";
import { readInventory } from "../../../src/matching/inventory.ts";
import { indexTarget } from "../../../src/matching/target-index.ts";
import { memoryStack } from "../../support/memory-stack.ts";
import { alert, dashboard, hexId, tileWith } from "../../support/stack-records.ts";

it("the index finds an alert whose ids differ from those of its dashboard and tile in case", async () => {
  const [boardId, tileId] = [hexId("a", 1), hexId("b", 1)];
  const board = dashboard(boardId, "Board", "", { tiles: [tileWith(tileId, "Errors", {})] });
  const watching = alert(hexId("c", 1), "Watching", board, "");
  const shouted = { ...watching, dashboardId: boardId.toUpperCase(), tileId: tileId.toUpperCase() };
  const stack = memoryStack({
    connections: [],
    sources: [],
    webhooks: [],
    "saved-searches": [],
    dashboards: [board],
    alerts: [shouted],
  });
  const index = await indexTarget(await readInventory(stack.client, importedKinds, { events: ignoreEvents }));
  const found = [{ id: hexId("c", 1) }];
  expect(index.dependentsOf("dashboards/tiles", `${boardId}/${tileId}`)).toMatchObject(found);
  expect(index.dependentsOn(recordKey("dashboards", boardId))).toMatchObject(found);
});
