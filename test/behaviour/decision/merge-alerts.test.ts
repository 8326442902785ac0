import { expect, it } from "vitest";
import { outcomeOf, writesDuring } from "../../support/import-stage.ts";
import { putRecord } from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { dashboard, hexId } from "../../support/stack-records.ts";
import { alertOn, conflictsOf, decisionOf, imported, logs, mergeStage, overview, three, tile } from "./merge-stage.ts";

it("two new tiles that are alike but for their names are both there after a merge, each with its own alert", async () => {
  const board = await imported();
  board.retile((tiles) => [...tiles, { ...tile("X", "new"), x: 6 }]);
  const merged = () => board.run([...three, tile("Q", "new")], { alerts: alertOn("Q") });
  const run = await merged();
  expect([run.exitCode, conflictsOf(run)]).toEqual([0, ['tile "X"']]);
  expect(board.versions()).toEqual({ A: "1", B: "1", C: "1", X: "new", Q: "new" });
  const added = board.tiles().find(({ name }) => name === "Q");
  expect(recordsOn(board.stack, "alerts").map(({ tileId }) => tileId)).toEqual([added?.["id"]]);
  expect(await writesDuring(board.stack, merged)).toEqual([]);
});

it("an alert of the archive is not created on a tile that stays removed", async () => {
  const board = await imported();
  await board.run(three, { alerts: alertOn("A") });
  expect(recordsOn(board.stack, "alerts")).toHaveLength(1);
  board.retile((tiles) => tiles.slice(1));
  board.stack.records.get("alerts")?.clear();
  const run = await board.run([tile("A"), tile("B", "ours"), tile("C")], { alerts: alertOn("A") });
  expect([run.exitCode, board.versions()]).toEqual([0, { B: "ours", C: "1" }]);
  expect(decisionOf(run, "On A")).toBe("skip edited");
});

it("an alert is not created on a tile that a first merge has found equal, and that somebody has removed since", async () => {
  const board = mergeStage(overview([tile("A"), tile("X", "x")], { tags: ["theirs"] }));
  const members = { tags: ["ours"] };
  await board.run(three, { members });
  board.retile((tiles) => tiles.filter(({ name }) => name !== "A"));
  const run = await board.run(three, { members, alerts: alertOn("A") });
  expect(board.versions()).toEqual({ X: "x", B: "1", C: "1" });
  expect(decisionOf(run, "On A")).toBe("skip edited");
});

it("a tile is removed with the alert on it that a mirror deletes", async () => {
  const board = await imported([]);
  await board.run(three, { alerts: alertOn("A") });
  const run = await board.run(three.slice(1), { mirror: {} });
  expect([run.exitCode, conflictsOf(run)]).toEqual([0, []]);
  expect([recordsOn(board.stack, "alerts"), board.versions()]).toEqual([[], { B: "1", C: "1" }]);
});

it("an alert is created with its tile where the map file has moved the dashboard to another one", async () => {
  const board = await imported();
  const chosenId = hexId("a", 16);
  putRecord(board.stack, "dashboards", dashboard(chosenId, "Theirs", logs, { tiles: [tile("X", "x")] }));
  const mapping = { dashboards: { Overview: chosenId } };
  const run = await board.run(three, { mapping, alerts: alertOn("A") });
  expect(outcomeOf(run, "On A")).toMatchObject({ action: "create", status: "done" });
  expect(recordsOn(board.stack, "alerts")).toMatchObject([{ dashboardId: chosenId }]);
});
