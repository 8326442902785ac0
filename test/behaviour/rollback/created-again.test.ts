import { describe, expect, it } from "vitest";
import { board, dependencies, usualTarget } from "../../support/import-samples.ts";
import { outcomeLines, writesOn, type JournalEntry, type JsonObject } from "../../support/import-stage.ts";
import { interruptionError, memoryStack, namesOn, putRecord, type MemoryStack } from "../../support/memory-stack.ts";
import { alertOn, archive, mirror, stageAfterImport, type MirrorStage } from "../../support/mirror-stage.ts";
import { recordOn, recordsOn } from "../../support/on-stack.ts";
import { deletionEntries, planLines, rollBackJournal, type RollbackRun } from "../../support/rollback-runs.ts";
import {
  alert,
  archiveIds,
  dashboard,
  hexId,
  linkingTable,
  targetIds,
  tileOf,
  tileWith,
  webhook,
} from "../../support/stack-records.ts";

// A mirror, or another run, has deleted these records. A rollback creates them again.

const overview = dashboard(hexId("b", 16), "Overview", targetIds.source, { tags: ["theirs"] });
const namesake = dashboard(hexId("b", 17), "Overview", targetIds.source, { tags: ["another"] });

describe("a deleted record that a rollback creates again", () => {
  it("stands beside another one of its name", async () => {
    const stack = usualTarget({ dashboards: [namesake] });
    const { exitCode } = await rollBackJournal(stack, deletionEntries("dashboards", overview));
    expect([exitCode, namesOn(stack)]).toEqual([0, ["Overview", "Overview"]]);
    expect(recordsOn(stack, "dashboards")[0]).toEqual(namesake);
  });

  it.each(["another record of the source", "a person's copy"])("stands beside %s that is equal to it", async (twin) => {
    const twins = [board(16, { name: "Twin" }), board(17, { name: "Twin" })];
    const isCopy = twin === "a person's copy";
    const { stack, stage } = await stageAfterImport(isCopy ? twins.slice(0, 1) : twins);
    if (isCopy) putRecord(stack, "dashboards", { ...recordOn(stack, "dashboards", "Twin"), id: hexId("e", 1) });
    await stage.run(archive(isCopy ? [board(18)] : twins.slice(0, 1)), mirror);
    const kept = namesOn(stack).filter((name) => name === "Twin");
    await rollBackJournal(stack, stage.history);
    expect([kept, namesOn(stack)]).toEqual([["Twin"], ["Twin", "Twin"]]);
  });

  it("stands beside somebody's webhook of its name", async () => {
    const [deleted, theirs] = [webhook(hexId("b", 50), "chat", "slack"), webhook(hexId("b", 51), "chat", "slack")];
    const other = { ...theirs, url: "https://hooks.example.com/in/2" };
    const stack = usualTarget({ dashboards: [overview], webhooks: [other], connections: [], "saved-searches": [] });
    const { lines } = await rollBackJournal(stack, deletionEntries("webhooks", deleted));
    expect(lines).toEqual(["chat create done"]);
  });

  it("is not doubled where somebody has made it again", async () => {
    const { stack, stage } = await stageAfterImport([board(16, { name: "Twin" })]);
    const former = recordOn(stack, "dashboards", "Twin");
    await stage.run(archive([]), mirror);
    putRecord(stack, "dashboards", { ...former, id: hexId("e", 1) });
    const { lines } = await rollBackJournal(stack, stage.history);
    expect([lines, namesOn(stack)]).toEqual([["Twin skip done put-back"], ["Twin"]]);
  });

  it("is not doubled where an earlier rollback may have sent its create: the record of its name is left", async () => {
    const at = "2026-01-01T00:00:00.000Z";
    const key = `dashboards/${hexId("b", 16)}` as const;
    const begun: JournalEntry[] = [
      ...deletionEntries("dashboards", overview),
      { type: "begin", at, run: 2, undoes: 1 },
      { type: "intent", at, key, name: "Overview", write: "create", content: "as sent" },
    ];
    const stack = usualTarget({ dashboards: [namesake] });
    const { lines, exitCode } = await rollBackJournal(stack, begun);
    expect(lines).toEqual(["Overview skip done changed-since"]);
    expect([exitCode, writesOn(stack)]).toEqual([3, []]);
  });

  it("is an alert with its webhooks and all of its channels, though a managed stack lists no webhooks", async () => {
    const channels = ["d1", "d2"].map((id) => ({ type: "webhook", webhookId: `6b${id.padEnd(22, "0")}` }));
    const busy = alert(hexId("b", 32), "Busy", overview, "", { channel: channels[0] ?? null, channels });
    const { sources } = dependencies.theirs;
    const stack = memoryStack({ dashboards: [overview], alerts: [], sources }, "managed");
    const { lines, exitCode } = await rollBackJournal(stack, deletionEntries("alerts", busy));
    expect([lines, exitCode]).toEqual([["Busy create done"], 0]);
    expect(recordsOn(stack, "alerts")).toMatchObject([{ name: "Busy", channels }]);
  });
});

describe("records that an import moved off a dashboard that its mirror deleted", () => {
  const table = (config: JsonObject): JsonObject => ({ tiles: [tileWith(hexId("d", 17), "Table", config)] });
  const linking = board(17, table(linkingTable(hexId("a", 16), archiveIds.source)));
  const plain = board(17, table({ displayType: "table", sourceId: archiveIds.source }));
  const watchesNew = alert(hexId("a", 1016), "Alert 16", board(18), archiveIds.webhook);

  async function mirroredTarget(): Promise<MirrorStage> {
    const { stack, stage } = await stageAfterImport([board(16), linking, board(18)], [alertOn(16)]);
    const run = await stage.run(archive([plain, board(18)], [watchesNew]), mirror);
    expect(outcomeLines(run.outcomes.filter(({ action }) => action === "delete"))).toEqual(["Board 16 delete done"]);
    stack.requests.length = 0;
    return { stack, stage };
  }

  const expectBack = (stack: MemoryStack): void => {
    const again = recordOn(stack, "dashboards", "Board 16");
    const link = { onClick: { target: { id: again.id } } };
    expect(recordOn(stack, "dashboards", "Board 17")).toMatchObject({ tiles: [{ config: link }] });
    expect(recordOn(stack, "alerts", "Alert 16")).toMatchObject({ dashboardId: again.id, tileId: tileOf(again) });
  };

  it("refer to it again, under its new id, after one write each", async () => {
    const { stack, stage } = await mirroredTarget();
    const { lines } = await rollBackJournal(stack, stage.history);
    expect(lines).toEqual(["Board 17 update done", "Board 16 create done", "Alert 16 update done"]);
    expect(writesOn(stack)).toEqual(["create dashboards", "update dashboards", "update alerts"]);
    expectBack(stack);
  });

  it("are put back by the next rollback where the first ended before", async () => {
    const { stack, stage } = await mirroredTarget();
    stack.intercept = (operation) => {
      if (operation.startsWith("update")) throw interruptionError();
    };
    const done = ({ lines }: RollbackRun): string[] => lines.filter((line) => line.endsWith(" done")).toSorted();
    const first = await rollBackJournal(stack, stage.history);
    expect(done(first)).toEqual(["Board 16 create done"]);
    stack.intercept = () => {};
    const second = await rollBackJournal(stack, first.entries);
    expect(done(second)).toEqual(["Alert 16 update done", "Board 17 update done"]);
    expectBack(stack);
    expect(await planLines(stack, second.entries)).toEqual([]);
  });
});
