import { describe, expect, it } from "vitest";
import { changeOn, recordOn, sortedNamesOn } from "../../support/on-stack.ts";
import {
  outcomeOf,
  tileIds,
  writesOn,
  type JsonObject,
  type Outcome,
  type RunOptions,
} from "../../support/import-stage.ts";
import { failOperation, putRecord, refusalError, type MemoryStack } from "../../support/memory-stack.ts";
import {
  addAlertOn,
  alertOn,
  archive,
  changedOutcomes,
  linkingBoard,
  mirror,
  plannedRemovals as planned,
  stageAfterImport,
  update,
} from "../../support/mirror-stage.ts";
import { board } from "../../support/import-samples.ts";
import { alert, archiveIds, hexId, linkingTable, targetIds, tileWith } from "../../support/stack-records.ts";

/** Adds a dashboard to the target that links to the dashboard with this name. */
function linkTo(stack: MemoryStack, name: string): void {
  const id = hexId("b", 90);
  const body = linkingBoard(90, recordOn(stack, "dashboards", name).id, { id, name: "Theirs" });
  putRecord(stack, "dashboards", body);
}

describe("a mirror's plan does not delete a dashboard in use", () => {
  const linked = (more: JsonObject = {}): JsonObject => linkingBoard(16, hexId("a", 17), more);
  const tooManyTags = Array.from({ length: 51 }, (_, index) => `tag ${index}`);

  it.each<[string, JsonObject, archived: JsonObject, RunOptions["onConflict"], Partial<Outcome>]>([
    ["kept", { tags: ["theirs"] }, linked(), "keep", { action: "skip", code: "edited" }],
    ["blocked", {}, linked({ tags: tooManyTags }), "overwrite", { action: "blocked", code: "needs-fitting" }],
    ["kept without it", { tags: ["theirs"] }, board(16), "keep", { action: "skip", code: "both-changed" }],
  ])("by a link of a dashboard that is %s, whatever the archive has in its place", async (...row) => {
    const [, edit, archived, onConflict, outcome] = row;
    const { stack, stage } = await stageAfterImport([linked(), board(17)]);
    changeOn(stack, "dashboards", edit, "Board 16");
    const run = await stage.run(archive([archived]), { ...mirror, onConflict });
    expect(outcomeOf(run, "Board 16")).toMatchObject(outcome);
    expect(planned(run)).toEqual(["Board 17 blocked in-use"]);
  });

  it("by a link of a tile that a merge leaves on the target", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)]);
    const link = linkingTable(recordOn(stack, "dashboards", "Board 17").id, targetIds.source);
    const { tiles, ...body } = recordOn(stack, "dashboards", "Board 16");
    putRecord(stack, "dashboards", {
      ...body,
      tiles: [...(tiles as JsonObject[]), tileWith(hexId("e", 1), "Theirs", link)],
    });
    const run = await stage.run(archive([board(16, { tags: ["new"] })]), { ...mirror, onConflict: "merge" });
    expect(outcomeOf(run, "Board 16")).toMatchObject({ action: "update", code: "kept" });
    expect(planned(run)).toEqual(["Board 17 blocked in-use"]);
  });

  it("by such a link, if the update that takes it out fails", async () => {
    const { stack, stage } = await stageAfterImport([linked(), board(17)]);
    failOperation(stack, "update dashboards", () => refusalError("rejected", "no"));
    const run = await stage.run(archive([board(16)]), mirror);
    expect(planned(run)).toEqual(["Board 17 delete"]);
    expect(outcomeOf(run, "Board 17")).toMatchObject({ action: "blocked", code: "in-use" });
    expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17"]);
  });

  it("by a link in a dashboard of somebody else, nor a dashboard that the kept one links to", async () => {
    const { stack, stage } = await stageAfterImport([linked(), board(17), board(18), board(19)]);
    linkTo(stack, "Board 16");
    const run = await stage.run(archive([board(19)]), mirror);
    expect(planned(run).toSorted()).toEqual(["Board 16 blocked in-use", "Board 17 blocked in-use", "Board 18 delete"]);
    expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17", "Board 19", "Theirs"]);
  });

  it("except by a link in a dashboard of the source, which is dead at the source, too", async () => {
    const { stack, stage } = await stageAfterImport([linked(), board(17)]);
    const run = await stage.run(archive([linked()]), mirror);
    expect(planned(run)).toEqual(["Board 17 delete"]);
    expect(sortedNamesOn(stack)).toEqual(["Board 16"]);
  });

  it("except by an alert that this run moves to another dashboard", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)], [alertOn(16)]);
    const moved = { ...alertOn(16), dashboardId: hexId("a", 17), tileId: alertOn(17)["tileId"] ?? null };
    const run = await stage.run(archive([board(17)], [moved]), mirror);
    expect(planned(run)).toEqual(["Board 16 delete"]);
    expect(writesOn(stack)).toEqual(["update alerts", "delete dashboards"]);
    expect(sortedNamesOn(stack, "alerts")).toEqual(["Alert 16"]);
  });

  it("by an alert that stays as it is", async () => {
    const { stack, stage } = await stageAfterImport([board(16)], [alertOn(16)]);
    changeOn(stack, "alerts", { threshold: 99 }, "Alert 16");
    const run = await stage.run(archive([board(17)]), mirror);
    expect(planned(run)).toEqual(["Board 16 blocked in-use", "Alert 16 skip kept"]);
    expect(run.plan.mirror?.removals[1]).not.toHaveProperty("there");
    expect(sortedNamesOn(stack, "alerts")).toEqual(["Alert 16"]);
  });

  it("by somebody's alert, and says so before anything is written; one that is created later keeps its dashboard, too", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)]);
    addAlertOn(stack, "Board 16");
    let listed = 0;
    stack.intercept = (operation) => {
      if (operation === "list alerts") listed += 1;
      if (operation === "list alerts" && listed === 2) addAlertOn(stack, "Board 17");
    };
    const run = await stage.run(archive([board(18)]), mirror);
    expect(run.exitCode).toBe(3);
    expect(planned(run)).toEqual(["Board 16 blocked in-use", "Board 17 delete"]);
    expect(run.plan.mirror?.removals[0]).not.toHaveProperty("there");
    expect(run.plan.mirror?.removals[0]?.message).toContain('the alert "Theirs"');
    expect(outcomeOf(run, "Board 16")).toMatchObject({ status: "failed", code: "in-use" });
    expect(changedOutcomes(run).slice(1)).toEqual(["Board 16 blocked in-use", "Board 17 blocked in-use"]);
    expect(sortedNamesOn(stack, "alerts")).toEqual(["Theirs", "Theirs"]);
    expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17", "Board 18"]);
  });

  it("by somebody's alert that is created while others are deleted", async () => {
    const boards = [16, 17, 18, 19].map((number) => board(number));
    const { stack, stage } = await stageAfterImport([...boards, board(20)]);
    let late = "";
    stack.intercept = (operation) => {
      if (operation !== "delete dashboards" || late !== "") return;
      late = "Board 19";
      const on = recordOn(stack, "dashboards", late);
      putRecord(stack, "alerts", alert(hexId("b", 61), "Late", on, targetIds.webhook));
    };
    const run = await stage.run(archive([board(20)]), { ...mirror, concurrency: 1 });
    expect(outcomeOf(run, "Board 19")).toMatchObject({ action: "blocked", status: "failed", code: "in-use" });
    expect(outcomeOf(run, "Board 18")).toMatchObject({ action: "delete", status: "done" });
    expect(run.exitCode).toBe(3);
    expect(sortedNamesOn(stack)).toEqual(["Board 19", "Board 20"]);
    expect(sortedNamesOn(stack, "alerts")).toEqual(["Late"]);
  });
});

it("a dashboard that a mirror cannot delete, because somebody uses it, stays linked", async () => {
  const { stack, stage } = await stageAfterImport([linkingBoard(16, hexId("a", 17)), board(17)]);
  addAlertOn(stack, "Board 17");
  const edited = linkingBoard(16, hexId("a", 17), { tags: ["edited"] });
  const run = await stage.run(archive([edited]), mirror);
  expect([run.exitCode, changedOutcomes(run)]).toEqual([3, ["Board 16 update", "Board 17 blocked in-use"]]);
  const linked = JSON.stringify(recordOn(stack, "dashboards", "Board 16"));
  expect(linked).toContain(recordOn(stack, "dashboards", "Board 17").id);
});

describe("a tile that the source no longer has", () => {
  it("is deleted with its alert in one run, which an import alone does not do", async () => {
    const [tile = {}] = board(16)["tiles"] as JsonObject[];
    const two = [
      { ...tile, id: hexId("e", 1) },
      { ...tile, id: hexId("e", 2), name: "Errors", y: 3 },
    ];
    const both = board(16, { tiles: two });
    const first = alert(hexId("a", 40), "On requests", both, archiveIds.webhook);
    const second = { ...alert(hexId("a", 41), "On errors", both, archiveIds.webhook), tileId: hexId("e", 2) };
    const { stack, stage } = await stageAfterImport([both], [first, second]);
    const smaller = archive([board(16, { tiles: two.slice(0, 1) })], [first]);
    const blocked = await stage.run(smaller, update);
    expect(outcomeOf(blocked, "Board 16")).toMatchObject({ action: "blocked", code: "would-delete-alerts" });
    const run = await stage.run(smaller, mirror);
    expect(run.exitCode).toBe(0);
    expect(writesOn(stack)).toEqual(["delete alerts", "update dashboards"]);
    expect(sortedNamesOn(stack, "alerts")).toEqual(["On requests"]);
    expect(tileIds(recordOn(stack, "dashboards", "Board 16"))).toHaveLength(1);
  });

  it("stays if its alert could not be deleted", async () => {
    const { stack, stage } = await stageAfterImport([board(16)], [alertOn(16)]);
    stack.intercept = (operation) => {
      // Somebody changes the alert after the plan was made.
      if (operation === "get alerts") changeOn(stack, "alerts", { threshold: 99 }, "Alert 16");
    };
    const run = await stage.run(archive([board(16, { tiles: [] })]), mirror);
    expect(run.exitCode).toBe(3);
    const message = expect.stringContaining("run the same command again");
    expect(outcomeOf(run, "Alert 16")).toMatchObject({ status: "failed", code: "changed-since", message });
    expect(outcomeOf(run, "Board 16")).toMatchObject({ action: "blocked", code: "dependency-failed" });
    expect(writesOn(stack)).toEqual([]);
  });

  it.each<[string, (stack: MemoryStack) => void, writes: string[], alert: string]>([
    ["that somebody has changed", (stack) => changeOn(stack, "alerts", { threshold: 99 }), [], "Alert 16"],
    ["of somebody", (stack) => addAlertOn(stack, "Board 16"), ["delete alerts"], "Theirs"],
  ])("stays with an alert on it %s, and only that alert is named", async (_, edit, writes, staying) => {
    const { stack, stage } = await stageAfterImport([board(16)], [alertOn(16)]);
    edit(stack);
    const blocked = outcomeOf(await stage.run(archive([board(16, { tiles: [] })]), mirror), "Board 16");
    expect(blocked).toMatchObject({ action: "blocked", code: "would-delete-alerts" });
    expect(blocked?.message?.match(/Theirs|Alert 16/g)).toEqual([staying]);
    expect(recordOn(stack, "dashboards", "Board 16")["tiles"]).toHaveLength(1);
    expect([writesOn(stack), sortedNamesOn(stack, "alerts")]).toEqual([writes, [staying]]);
  });
});
