import { describe, expect, it } from "vitest";
import { changeOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import { importStage, warningMessages, writesOn, type ImportStage } from "../../support/import-stage.ts";
import { deleteRecord, memoryStack, putRecord } from "../../support/memory-stack.ts";
import {
  alertOn,
  archive,
  changedOutcomes,
  stageAfterImport,
  mirror,
  mirrorAll,
  noteSeen,
  plannedRemovals as planned,
  update,
} from "../../support/mirror-stage.ts";
import type { RecordKey } from "../../../src/core/records/record.ts";
import { dashboard, hexId, records, source, webhook, targetIds, archiveIds } from "../../support/stack-records.ts";
import { board, theirHook, usualTarget, dependencies } from "../../support/import-samples.ts";

/** Notes in the journal that an import has created a record. */
function noteCreated(stage: ImportStage, key: RecordKey, { targetId, name }: { targetId: string; name: string }): void {
  const at = "2026-01-01T00:00:00.000Z";
  const run = stage.history.filter(({ type }) => type === "begin").length + 1;
  const write = { at, key, name, write: "create", targetId } as const;
  stage.history.push({ type: "begin", at, run }, { type: "intent", ...write }, { type: "done", ...write, content: "" });
  stage.history.push({ type: "end", at });
}

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
