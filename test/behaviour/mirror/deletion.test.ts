import { describe, expect, it } from "vitest";
import { changeOn, recordOn, sortedNamesOn } from "../../support/on-stack.ts";
import {
  excluding,
  including,
  outcomeOf,
  importStage,
  outcomeLines,
  writesDuring,
  writesOn,
  type StageRun,
} from "../../support/import-stage.ts";
import { deleteRecord, putRecord } from "../../support/memory-stack.ts";
import {
  alertOn,
  archive,
  changedOutcomes,
  stageAfterImport,
  linkingBoard,
  mirror,
  mirrorAll,
  update,
} from "../../support/mirror-stage.ts";
import { LATER, expectSourceFollowed, followAfterKill, targetBehindSource } from "../../support/killed-mirror.ts";
import { rollBack } from "../../support/rollback-runs.ts";
import { alert, dashboard, hexId, tileOf, archiveIds, targetIds } from "../../support/stack-records.ts";
import { board, usualTarget } from "../../support/import-samples.ts";

describe("a record that the source no longer has", () => {
  it("stays without --mirror, and is deleted with it, alerts first, and the journal knows it no longer", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)], [alertOn(16)]);
    expect(changedOutcomes(await stage.run(archive([board(17)]), update))).toEqual([]);
    expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17"]);
    const run = await stage.run(archive([board(17)]), mirror);
    expect(run.exitCode).toBe(0);
    expect(changedOutcomes(run)).toEqual(["Alert 16 delete", "Board 16 delete"]);
    expect(writesOn(stack)).toEqual(["delete alerts", "delete dashboards"]);
    expect(sortedNamesOn(stack)).toEqual(["Board 17"]);
    expect([...stage.bases.keys()].filter((key) => /^(?:dashboards|alerts)/.test(key))).toEqual([
      `dashboards/${hexId("a", 17)}`,
    ]);
  });

  it("stays if somebody has changed it, or if no import wrote it", async () => {
    const stack = usualTarget({ dashboards: [dashboard(hexId("b", 16), "Board 16", targetIds.source)] });
    const stage = importStage(stack);
    await stage.run(archive([board(16), board(17), board(18)]), update);
    changeOn(stack, "dashboards", { tags: ["theirs"] }, "Board 17");
    stack.requests.length = 0;
    const run = await stage.run(archive([board(19)]), mirror);
    expect(run.exitCode).toBe(0);
    expect(changedOutcomes(run)).toEqual([
      "Board 19 create",
      "Board 16 skip kept",
      "Board 17 skip kept",
      "Board 18 delete",
    ]);
    expect(outcomeOf(run, "Board 16")?.message).toContain("it was on the target before");
    expect(outcomeOf(run, "Board 17")?.message).toContain("somebody changed it on the target");
    expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17", "Board 19"]);
    const taken = await stage.run(archive([board(19)]), { ...mirror, mirror: { takesEdited: true } });
    expect(changedOutcomes(taken)).toEqual(["Board 16 skip kept", "Board 17 delete"]);
  });

  it("stays if it was edited, and the alerts on it that were not are deleted", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)], [alertOn(16)]);
    changeOn(stack, "dashboards", { tags: ["theirs"] }, "Board 16");
    const run = await stage.run(archive([board(17)]), mirror);
    expect(changedOutcomes(run)).toEqual(["Alert 16 delete", "Board 16 skip kept"]);
  });

  it("is not a record that a filter excludes, that a run leaves out, or that the archive may lack", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)], [alertOn(16)]);
    const none = archive([board(17)]);
    const filters = [
      { ...mirror, kinds: ["sources"] },
      { ...mirror, filter: including("Board 17") },
      { ...mirror, filter: excluding("*16") },
      { ...mirror, whole: new Set(["sources"]) },
    ];
    const runs: StageRun[] = [];
    for (const options of filters) runs.push(await stage.run(none, options));
    expect(runs.flatMap(changedOutcomes).filter((end) => end.includes(" delete"))).toEqual([]);
    expect(runs[3]?.plan.warnings.map(({ code }) => code)).toEqual(["not-mirrored", "not-mirrored"]);
    const left = archive([board(16), board(17)], [alertOn(16)]);
    const transforms = { leaveOut: { alerts: ["Alert 16"] } };
    for (const options of [mirror, mirrorAll])
      expect(changedOutcomes(await stage.run(left, { ...options, transforms }))).toEqual(["Alert 16 skip left-out"]);
    expect(writesOn(stack)).toEqual([]);
  });

  it("is not deleted if it is matched with another record of the source", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    const again = { ...board(17), name: "Board 16" };
    expect(changedOutcomes(await stage.run(archive([again]), mirror))).toEqual([]);
    expect(sortedNamesOn(stack)).toEqual(["Board 16"]);
  });

  it("is deleted also if it had another id on the source when an import wrote it", async () => {
    const { stage } = await stageAfterImport([board(16)]);
    await stage.run(archive([{ ...board(17), name: "Board 16" }]), mirror);
    expect(changedOutcomes(await stage.run(archive([board(18)]), mirror))).toEqual([
      "Board 18 create",
      "Board 16 delete",
    ]);
  });

  it("stays if somebody created it again on the target, although an import wrote the one before", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    const former = recordOn(stack, "dashboards", "Board 16");
    deleteRecord(stack, "dashboards", "Board 16");
    putRecord(stack, "dashboards", { ...former, id: hexId("b", 50) });
    await stage.run(archive([board(16)]), mirror);
    expect(changedOutcomes(await stage.run(archive([board(18)]), mirror))).toEqual([
      "Board 18 create",
      "Board 16 skip kept",
    ]);
  });

  it("is not deleted if that is too large a share of the journal's records, even if the target has many others", async () => {
    const { stack, stage } = await stageAfterImport([16, 17, 18, 19, 20, 21, 22, 23].map((number) => board(number)));
    for (let number = 100; number < 150; number += 1)
      putRecord(stack, "dashboards", board(number, { id: hexId("d", number) }));
    const run = stage.run(archive([board(16)]), { mirror: { maxDelete: { percent: 20 } } });
    await expect(run).rejects.toMatchObject({ code: "incomplete" });
    expect(writesOn(stack)).toEqual([]);
  });

  it("is not deleted above --max-delete, and then nothing else is written", async () => {
    const all = Array.from({ length: 12 }, (_, index) => board(16 + index));
    const { stack, stage } = await stageAfterImport(all);
    const changed = archive([{ ...board(16), name: "Renamed" }, ...all.slice(7)]);
    const withLimit = (maxDelete: { count: number } | { percent: number }) => ({ ...update, mirror: { maxDelete } });
    await expect(stage.run(changed, withLimit({ percent: 20 }))).rejects.toMatchObject({ code: "incomplete" });
    await expect(stage.run(changed, withLimit({ count: 5 }))).rejects.toMatchObject({ code: "incomplete" });
    expect(writesOn(stack)).toEqual([]);
    expect((await stage.run(changed, withLimit({ percent: 50 }))).exitCode).toBe(0);
    expect(sortedNamesOn(stack)).toHaveLength(6);
  });

  it("is created again with its alerts and links by a rollback", async () => {
    const pair = [linkingBoard(16, hexId("a", 17)), linkingBoard(17, hexId("a", 16))];
    const busy = alert(hexId("a", 40), "Busy", pair[0] ?? {}, archiveIds.webhook);
    const { stack, stage } = await stageAfterImport([...pair, board(18)], [busy]);
    expect((await stage.run(archive([board(18)]), mirror)).exitCode).toBe(0);
    expect(sortedNamesOn(stack)).toEqual(["Board 18"]);
    const entries = [...stage.history];
    expect(outcomeLines(await rollBack(stack, entries), "name", "action", "status").toSorted()).toEqual([
      "Board 16 create done",
      "Board 17 create done",
      "Busy create done",
    ]);
    const [one, two] = [recordOn(stack, "dashboards", "Board 16"), recordOn(stack, "dashboards", "Board 17")];
    expect(recordOn(stack, "alerts", "Busy")).toMatchObject({ dashboardId: one["id"], tileId: tileOf(one) });
    expect(JSON.stringify(one)).toContain(two.id);
    expect(JSON.stringify(two)).toContain(one.id);
  });
});

it("a dashboard that the mirror deletes is unlinked in the same run from one that is updated", async () => {
  const { stack, stage } = await stageAfterImport([linkingBoard(16, hexId("a", 17)), board(17)]);
  const edited = linkingBoard(16, hexId("a", 17), { tags: ["edited"] });
  const run = await stage.run(archive([edited]), mirror);
  expect([run.exitCode, changedOutcomes(run)]).toEqual([0, ["Board 16 update", "Board 17 delete"]]);
  expect(JSON.stringify(recordOn(stack, "dashboards", "Board 16"))).not.toContain("dashboardId");
  expect(await writesDuring(stack, () => stage.run(archive([edited]), mirror))).toEqual([]);
});

it("a dashboard that links to one that stays comes back in one write", async () => {
  const linking = linkingBoard(16, hexId("a", 18));

  const { stack, stage } = await stageAfterImport([linking, board(17), board(18)]);
  expect((await stage.run(archive([board(18)]), mirror)).exitCode).toBe(0);
  stack.requests.length = 0;
  await rollBack(stack, [...stage.history]);
  expect(writesOn(stack)).toEqual(["create dashboards", "create dashboards"]);
  const stays = recordOn(stack, "dashboards", "Board 18").id;
  expect(JSON.stringify(recordOn(stack, "dashboards", "Board 16"))).toContain(stays);
});

describe("a source that has moved on", () => {
  it("is followed in one run, and a second one writes nothing", async () => {
    const { stack, stage } = await targetBehindSource();
    const run = await stage.run(LATER, mirror);
    expect(changedOutcomes({ ...run, outcomes: run.outcomes.filter(({ code }) => code !== undefined) })).toEqual([
      "Renamed 17 update both-changed",
      "Board 50 update edited",
      "Board 55 update both-changed",
      "Alert 39 skip kept",
      "Board 39 blocked in-use",
      "Board 40 skip kept",
    ]);
    expect(run.outcomes.filter(({ action, status }) => action === "delete" && status === "done")).toHaveLength(11);
    expect(run.outcomes.filter(({ action, status }) => action === "update" && status === "done")).toHaveLength(22);
    expectSourceFollowed(stack);
    expect(await writesDuring(stack, () => stage.run(LATER, mirror))).toEqual([]);
  });

  it("is followed all the same after a kill; test/slow kills at every write", async () => {
    for (const kill of [1, 20, 34])
      for (const moment of ["intercept", "interceptAfter"] as const) await followAfterKill(moment, kill);
  });
});
