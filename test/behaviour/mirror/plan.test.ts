import { describe, expect, it } from "vitest";
import { changeOn, recordOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import {
  outcomeOf,
  importStage,
  outcomeLines,
  warningMessages,
  writesOn,
  type ImportStage,
  type JsonObject,
  type StageRun,
} from "../../support/import-stage.ts";
import {
  deleteRecord,
  failOperation,
  memoryStack,
  refusalError,
  putRecord,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import {
  alertOn,
  archive,
  changedOutcomes,
  addAlertOn,
  stageAfterImport,
  linkingBoard,
  mirror,
  mirrorAll,
  noteSeen,
  update,
} from "../../support/mirror-stage.ts";
import type { RecordKey } from "../../../src/core/records/record.ts";
import {
  dashboard,
  hexId,
  linkingTable,
  records,
  source,
  tileWith,
  webhook,
  targetIds,
  archiveIds,
} from "../../support/stack-records.ts";
import { board, theirHook, usualTarget, dependencies } from "../../support/import-samples.ts";

// These tests tell which records a mirror plans to delete, and which ones it leaves alone.

const planned = ({ plan }: StageRun): string[] => outcomeLines(plan.mirror?.removals ?? [], "name", "action", "code");

/** Notes in the journal that an import has created a record. */
function noteCreated(stage: ImportStage, key: RecordKey, { targetId, name }: { targetId: string; name: string }): void {
  const at = "2026-01-01T00:00:00.000Z";
  const run = stage.history.filter(({ type }) => type === "begin").length + 1;
  const write = { at, key, name, write: "create", targetId } as const;
  stage.history.push({ type: "begin", at, run }, { type: "intent", ...write }, { type: "done", ...write, content: "" });
  stage.history.push({ type: "end", at });
}

/** Adds a dashboard to the target that links to the dashboard with this name. */
function linkTo(stack: MemoryStack, name: string): void {
  const id = hexId("b", 90);
  const body = linkingBoard(90, recordOn(stack, "dashboards", name).id, { id, name: "Theirs" });
  putRecord(stack, "dashboards", body);
}

describe("a mirror's plan does not delete a dashboard in use", () => {
  it("by an alert of somebody else, and says so before anything is written", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)]);
    addAlertOn(stack, "Board 16");
    const run = await stage.run(archive([board(18)]), mirror);
    expect(planned(run)).toEqual(["Board 16 blocked in-use", "Board 17 delete"]);
    expect(run.plan.mirror?.removals[0]).not.toHaveProperty("there");
    expect(run.plan.mirror?.removals[0]?.message).toContain('the alert "Theirs"');
    expect(outcomeOf(run, "Board 16")).toMatchObject({ status: "failed", code: "in-use" });
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

  it("by a link of a dashboard that is kept, whatever the archive has in its place", async () => {
    const { stack, stage } = await stageAfterImport([linkingBoard(16, hexId("a", 17)), board(17)]);
    changeOn(stack, "dashboards", { tags: ["theirs"] }, "Board 16");
    const run = await stage.run(archive([linkingBoard(16, hexId("a", 17))]), { ...mirror, onConflict: "keep" });
    expect(outcomeOf(run, "Board 16")).toMatchObject({ action: "skip", code: "edited" });
    expect(planned(run)).toEqual(["Board 17 blocked in-use"]);
  });

  it("by a link of a dashboard that is blocked, whatever the archive has in its place", async () => {
    const { stage } = await stageAfterImport([linkingBoard(16, hexId("a", 17)), board(17)]);
    const tags = Array.from({ length: 51 }, (_, index) => `tag ${index}`);
    const run = await stage.run(archive([linkingBoard(16, hexId("a", 17), { tags })]), mirror);
    expect(outcomeOf(run, "Board 16")).toMatchObject({ action: "blocked", code: "needs-fitting" });
    expect(planned(run)).toEqual(["Board 17 blocked in-use"]);
  });

  it("by a link that the source has taken out of a dashboard, if that one stays as it is", async () => {
    const { stack, stage } = await stageAfterImport([linkingBoard(16, hexId("a", 17)), board(17)]);
    changeOn(stack, "dashboards", { tags: ["theirs"] }, "Board 16");
    const run = await stage.run(archive([board(16)]), { ...mirror, onConflict: "keep" });
    expect(planned(run)).toEqual(["Board 17 blocked in-use"]);
    expect(outcomeOf(run, "Board 16")).toMatchObject({ action: "skip", code: "both-changed" });
  });

  it("by such a link, if the update that takes it out fails", async () => {
    const { stack, stage } = await stageAfterImport([linkingBoard(16, hexId("a", 17)), board(17)]);
    failOperation(stack, "update dashboards", () => refusalError("rejected", "no"));
    const run = await stage.run(archive([board(16)]), mirror);
    expect(planned(run)).toEqual(["Board 17 delete"]);
    expect(outcomeOf(run, "Board 17")).toMatchObject({ action: "blocked", code: "in-use" });
    expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17"]);
  });

  it("by a link in a dashboard of somebody else, nor a dashboard that the kept one links to", async () => {
    const { stack, stage } = await stageAfterImport([
      linkingBoard(16, hexId("a", 17)),
      board(17),
      board(18),
      board(19),
    ]);
    linkTo(stack, "Board 16");
    const run = await stage.run(archive([board(19)]), mirror);
    expect(planned(run).toSorted()).toEqual(["Board 16 blocked in-use", "Board 17 blocked in-use", "Board 18 delete"]);
    expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17", "Board 19", "Theirs"]);
  });

  it("except by a link in a dashboard of the source, which is dead at the source, too", async () => {
    const { stack, stage } = await stageAfterImport([linkingBoard(16, hexId("a", 17)), board(17)]);
    const run = await stage.run(archive([linkingBoard(16, hexId("a", 17))]), mirror);
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
});

it("a tile stays with the alert on it that is not deleted, as somebody has changed it", async () => {
  const { stack, stage } = await stageAfterImport([board(16)], [alertOn(16)]);
  changeOn(stack, "alerts", { threshold: 99 }, "Alert 16");
  const run = await stage.run(archive([board(16, { tiles: [] })]), mirror);
  expect(outcomeOf(run, "Board 16")).toMatchObject({ action: "blocked", code: "would-delete-alerts" });
  expect(writesOn(stack)).toEqual([]);
  expect(sortedNamesOn(stack, "alerts")).toEqual(["Alert 16"]);
});

describe("a record in the journal that neither side has", () => {
  it("is named, and nothing is written", async () => {
    for (const options of [mirror, mirrorAll]) {
      const { stack, stage } = await stageAfterImport([board(16), board(17)]);
      deleteRecord(stack, "dashboards", "Board 16");
      const run = await stage.run(archive([board(17)]), options);
      expect(run.exitCode).toBe(0);
      expect(planned(run)).toEqual(["Board 16 unchanged gone"]);
      expect(writesOn(stack)).toEqual([]);
    }
  });

  it("is not named if the target does not list its kind", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)]);
    const alerts = new Map(stack.records);
    const less = memoryStack({ dashboards: [...(alerts.get("dashboards")?.values() ?? [])], ...dependencies.theirs });
    const again = importStage(less);
    again.history.push(...stage.history);
    noteSeen(again, `alerts/${hexId("a", 40)}`, { targetId: hexId("b", 40), name: "Gone" });
    expect(planned(await again.run(archive([board(16), board(17)]), mirror))).toEqual([]);
  });
});

describe("a record whose id the journal has in another case", () => {
  it("is recognised, and counts for --max-delete", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)]);
    stage.history.splice(
      0,
      Infinity,
      ...stage.history.map((entry) =>
        entry.type === "done" ? { ...entry, targetId: entry.targetId.toUpperCase() } : entry,
      ),
    );
    const run = await stage.run(archive([board(17)]), mirror);
    expect(planned(run)).toEqual(["Board 16 delete"]);
    expect(run.plan.mirror?.of).toBe(2);
    expect(sortedNamesOn(stack)).toEqual(["Board 17"]);
  });
});

describe("records that only the target has, under --mirror all", () => {
  it("are each planned once, also records in the journal and records of other kinds that an import created", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)]);
    putRecord(stack, "dashboards", dashboard(hexId("b", 50), "Theirs", targetIds.source));
    const run = await stage.run(archive([board(16)]), mirrorAll);
    expect(planned(run)).toEqual(["Board 17 delete", "Theirs delete"]);
    expect(run.plan.mirror?.of).toBe(3);
    expect(run.plan.mirror?.removals.map(({ sourceId }) => sourceId)).toEqual([hexId("a", 17), hexId("b", 50)]);
  });

  it("do not include a source from before the import; a source that an import created is deleted", async () => {
    const lists = { dashboards: [], alerts: [], connections: [], "saved-searches": [], webhooks: [] };
    const stack = memoryStack({ ...lists, webhooks: [theirHook] });
    const stage = importStage(stack);
    const hooks = [webhook(archiveIds.webhook, "oncall"), { ...webhook(hexId("a", 3), "chat"), service: "slack" }];
    const first = records({ dashboards: [], webhooks: hooks });
    expect((await stage.run(first, { ...update, create: ["webhooks"] })).exitCode).toBe(0);
    expect(sortedNamesOn(stack, "webhooks")).toEqual(["chat", "oncall"]);
    const run = await stage.run(records({ webhooks: hooks.slice(0, 1) }), mirrorAll);
    expect(planned(run)).toEqual(["chat delete"]);
    expect(sortedNamesOn(stack, "webhooks")).toEqual(["oncall"]);
  });

  it("are those with the prefix under --name-prefix", async () => {
    const { stack, stage } = await stageAfterImport([]);
    for (const [index, name] of ["[eu] Old", "Old"].entries())
      putRecord(stack, "dashboards", dashboard(hexId("b", 50 + index), name, targetIds.source));
    const namePrefix = "[eu] ";
    expect(planned(await stage.run(archive([board(16)]), { ...mirrorAll, namePrefix }))).toEqual(["[eu] Old delete"]);
    expect(sortedNamesOn(stack)).toEqual(["Old", "[eu] Board 16"]);
  });

  it("do not include a record that could match an unmatched record of the source", async () => {
    const twins = [50, 51].map((number) =>
      dashboard(hexId("b", number), "Board 16", targetIds.source, { tags: [String(number)] }),
    );
    const stack = usualTarget({ dashboards: twins });
    const stage = importStage(stack);
    const run = await stage.run(archive([board(16)]), mirrorAll);
    expect(planned(run)).toEqual(["Board 16 skip kept", "Board 16 skip kept"]);
    expect(recordsOn(stack, "dashboards").length).toBeGreaterThan(1);
  });

  it("do not include the journal's target of a record that the map file maps to another target", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    putRecord(stack, "dashboards", dashboard(hexId("b", 40), "Chosen", targetIds.source));
    const mapping = { dashboards: { [hexId("a", 16)]: hexId("b", 40) } };
    expect(planned(await stage.run(archive([board(16)]), { ...mirrorAll, mapping }))).toEqual([]);
  });
});

it("a source that an import has created and could be one of the archive's stays (ambiguous)", async () => {
  const twins = [1, 2].map((number) => source(hexId("b", number), "Logs", hexId("c", 2)));
  const stack = memoryStack({ dashboards: [], alerts: [], ...dependencies.theirs, sources: twins });
  const stage = importStage(stack);
  noteCreated(stage, `sources/${hexId("a", 9)}`, { targetId: hexId("b", 2), name: "Logs" });
  expect(planned(await stage.run(archive([board(16, { tiles: [] })]), mirror))).toEqual(["Logs skip kept"]);
});

it("records of the journal are ignored if the target does not list their kind", async () => {
  const { stage } = await stageAfterImport([board(16)]);
  noteCreated(stage, `pipes/${hexId("a", 9)}`, { targetId: hexId("b", 9), name: "orders" });
  expect(planned(await stage.run(archive([board(16)]), mirror))).toEqual([]);
});

it("records that the target's API cannot delete are named (not-offered)", async () => {
  const connection = { id: hexId("b", 9), name: "Main", host: "http://db", username: "reader" };
  const stack = memoryStack(
    { dashboards: [], alerts: [], ...dependencies.theirs, connections: [connection] },
    "managed",
  );
  const stage = importStage(stack);
  noteCreated(stage, `connections/${hexId("a", 9)}`, { targetId: hexId("b", 9), name: "Main" });
  expect(planned(await stage.run(archive([board(16)]), mirror))).toEqual(["Main skip kept"]);
});

describe("a filter", () => {
  it("counts under every name that a record is known by: the source's, the last import's and the target's", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    noteSeen(stage, `dashboards/${hexId("a", 16)}`, { sourceName: "Called there" });
    changeOn(stack, "dashboards", { name: "Called here" }, "Board 16");
    const none = archive([board(17)]);
    const plan = async (include: string[], exclude: string[] = []): Promise<string[]> =>
      planned(await stage.run(none, { ...mirror, filter: { include: [...include, "Board 17"], exclude } }));
    for (const name of ["Called there", "Board 16", "Called here"]) {
      expect(await plan([name]), name).toEqual(["Called here skip kept"]);
      expect(await plan(["*"], [name]), name).toEqual([]);
    }
    expect(await plan(["Another"])).toEqual([]);
  });

  it("that excludes a dashboard counts for the alerts without a name on it", async () => {
    const { stage } = await stageAfterImport([board(16), board(17)], [{ ...alertOn(16), name: null }, alertOn(17)]);
    const run = async (exclude: string[]): Promise<string[]> =>
      planned(await stage.run(archive([board(16), board(17)]), { ...mirror, filter: { include: [], exclude } }));
    expect(await run(["Board 16"])).toEqual(["Alert 17 delete"]);
    expect(await run([])).toEqual(["delete"]);
  });

  it("of kinds counts, too", async () => {
    const { stage } = await stageAfterImport([board(16)], [alertOn(16)]);
    const run = await stage.run(archive([board(17)]), { ...mirror, kinds: ["dashboards", "alerts"] });
    expect(planned(run)).toHaveLength(2);
    expect(changedOutcomes(run)).toContain("Alert 16 delete");
  });
});

describe("a mirror without a journal or with an incomplete archive", () => {
  it("warns, and deletes only what it is told to delete, whoever wrote it", async () => {
    const { stack } = await stageAfterImport([board(16)]);
    const ours = await importStage(stack).run(archive([board(17)]), mirror);
    expect([warningMessages(ours.plan, "not-mirrored").length, planned(ours)]).toEqual([1, []]);
    const whole = await importStage(stack).run(archive([board(17)]), mirrorAll);
    expect([warningMessages(whole.plan, "not-mirrored").length, planned(whole)]).toEqual([0, ["Board 16 delete"]]);
  });

  it("names the number of records not deleted of a kind that the archive may have incompletely", async () => {
    const { stage } = await stageAfterImport([board(16), board(17), board(18)]);
    const partial = { ...mirror, whole: new Set(["alerts"]) };
    const run = await stage.run(archive([board(18)]), partial);
    expect(warningMessages(run.plan, "not-mirrored")).toEqual([expect.stringContaining("the 2 that")]);
    expect(planned(run)).toEqual([]);
  });
});

it("a tile stays if somebody's alert on it is not deleted, and only that alert is named", async () => {
  const { stack, stage } = await stageAfterImport([board(16)], [alertOn(16)]);
  addAlertOn(stack, "Board 16");
  const run = await stage.run(archive([board(16, { tiles: [] })]), mirror);
  const blocked = outcomeOf(run, "Board 16");
  expect(blocked).toMatchObject({ action: "blocked", code: "would-delete-alerts" });
  expect(blocked?.message).toContain("Theirs");
  expect(blocked?.message).not.toContain("Alert 16");
  expect(recordOn(stack, "dashboards", "Board 16")["tiles"]).toHaveLength(1);
  expect(sortedNamesOn(stack, "alerts")).toContain("Theirs");
});
