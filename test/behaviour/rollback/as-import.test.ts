import { describe, expect, it } from "vitest";
import { recordOn, recordsOn } from "../../support/on-stack.ts";
import { importStage, outcomeLines, outcomeOf, writesOn, type JsonObject } from "../../support/import-stage.ts";
import { usualTarget, update, board, dependencies } from "../../support/import-samples.ts";
import { memoryStack, namesOn, putRecord, type MemoryStack } from "../../support/memory-stack.ts";
import {
  contentOf,
  deletionEntries,
  imageOf,
  importOnce,
  planRollbackOf,
  rollBackJournal,
  type JournalEntry,
} from "../../support/rollback-runs.ts";
import { archive, stageAfterImport, mirror } from "../../support/mirror-stage.ts";
import {
  alert,
  dashboard,
  hexId,
  records,
  tileWith,
  webhook,
  targetIds,
  archiveIds,
} from "../../support/stack-records.ts";

// A rollback is an import of what the target had before. These tests hold what it has of an import, and what it needs besides.

const at = "2026-01-01T00:00:00.000Z";
const overview = dashboard(hexId("b", 16), "Overview", targetIds.source, { tags: ["theirs"] });
const ours = records({ dashboards: [board(16, { name: "Overview" })], ...dependencies.ours });

describe("a rollback as an import of what was there", () => {
  it("reads back what it has restored: a record that no list shows has failed", async () => {
    const { stack, entries } = await importOnce(ours, usualTarget({ dashboards: [overview] }), update);
    const between = (): void => void (stack.replaceListed = (kind, bodies) => (kind === "dashboards" ? [] : bodies));
    const { outcomes, exitCode } = await rollBackJournal(stack, entries, { between });
    expect(outcomeLines(outcomes)).toEqual(["Overview update failed not-stored"]);
    expect(exitCode).toBe(3);
  });

  it("creates a deleted dashboard again beside another one of its name", async () => {
    const namesake = dashboard(hexId("b", 17), "Overview", targetIds.source, { tags: ["another"] });
    const stack = usualTarget({ dashboards: [namesake] });
    const { exitCode } = await rollBackJournal(stack, deletionEntries("dashboards", overview));
    expect([exitCode, namesOn(stack)]).toEqual([0, ["Overview", "Overview"]]);
    expect(recordsOn(stack, "dashboards")[0]).toEqual(namesake);
  });

  it.each(["another record of the source", "a person's copy"])(
    "creates a deleted dashboard again beside %s that is equal to it",
    async (twin) => {
      const twins = [board(16, { name: "Twin" }), board(17, { name: "Twin" })];
      const isCopy = twin === "a person's copy";
      const { stack, stage } = await stageAfterImport(isCopy ? twins.slice(0, 1) : twins);
      if (isCopy) putRecord(stack, "dashboards", { ...recordOn(stack, "dashboards", "Twin"), id: hexId("e", 1) });
      await stage.run(archive(isCopy ? [board(18)] : twins.slice(0, 1)), mirror);
      const kept = namesOn(stack).filter((name) => name === "Twin");
      await rollBackJournal(stack, stage.history);
      expect([kept, namesOn(stack)]).toEqual([["Twin"], ["Twin", "Twin"]]);
    },
  );

  it("creates no second dashboard if somebody has made a deleted one again since", async () => {
    const { stack, stage } = await stageAfterImport([board(16, { name: "Twin" })]);
    const former = recordOn(stack, "dashboards", "Twin");
    await stage.run(archive([]), mirror);
    putRecord(stack, "dashboards", { ...former, id: hexId("e", 1) });
    const { outcomes } = await rollBackJournal(stack, stage.history);
    expect([outcomeLines(outcomes), namesOn(stack)]).toEqual([["Twin skip done put-back"], ["Twin"]]);
  });

  it("leaves a record of the name of one whose create may have been sent, and creates no second one", async () => {
    const key = `dashboards/${hexId("b", 16)}` as const;
    const namesake = dashboard(hexId("b", 17), "Overview", targetIds.source, { tags: ["another"] });
    const begun: JournalEntry[] = [
      ...deletionEntries("dashboards", overview),
      { type: "begin", at, run: 2, undoes: 1 },
      { type: "intent", at, key, name: "Overview", write: "create", content: "as sent" },
    ];
    const stack = usualTarget({ dashboards: [namesake] });
    const { outcomes, exitCode } = await rollBackJournal(stack, begun);
    expect(outcomeLines(outcomes)).toEqual(["Overview skip done changed-since"]);
    expect([exitCode, writesOn(stack)]).toEqual([3, []]);
  });

  it("leaves a source that another run has linked as it is, and says so: an import never updates a source", async () => {
    const traces = { ...dependencies.theirs.sources[0], kind: "trace", logSourceId: hexId("b", 9) };
    const { logSourceId: _link, ...before } = traces;
    const stack = usualTarget({ sources: [traces], connections: [], "saved-searches": [] });
    const write = { at, key: "sources/x", write: "update", targetId: hexId("b", 1) } as const;
    const entries: JournalEntry[] = [
      { type: "begin", at, run: 1 },
      { type: "intent", name: "Logs", image: imageOf("sources", before), ...write },
      { type: "done", content: contentOf("sources", traces), ...write },
    ];
    const { outcomes, exitCode } = await rollBackJournal(stack, entries);
    expect(outcomeLines(outcomes)).toEqual(["Logs skip done exists"]);
    expect([exitCode, writesOn(stack)]).toEqual([3, []]);
  });
});

describe("a rollback of what a managed stack does not list", () => {
  const managed = (more: Record<string, JsonObject[]>): MemoryStack =>
    memoryStack({ dashboards: [overview], alerts: [], sources: [...dependencies.theirs.sources], ...more }, "managed");
  const channels = ["d1", "d2"].map((id) => ({ type: "webhook", webhookId: `6b${id.padEnd(22, "0")}` }));
  const busy = alert(hexId("b", 32), "Busy", overview, "", { channel: channels[0] ?? null, channels });

  it("an alert keeps its webhooks, and all of its channels, though no alert is left that shows several", async () => {
    const stack = managed({});
    const { outcomes, exitCode } = await rollBackJournal(stack, deletionEntries("alerts", busy));
    expect([outcomeLines(outcomes), exitCode]).toEqual([["Busy create done"], 0]);
    expect(recordsOn(stack, "alerts")).toMatchObject([{ name: "Busy", channels }]);
  });
});

describe("an alert that an import moves to another tile of its dashboard, whose tile it removes", () => {
  const configOf = (name: string): JsonObject => {
    return { displayType: name === "Brand new" ? "number" : "line", sourceId: archiveIds.source };
  };
  const boardWith = (...names: readonly string[]): JsonObject =>
    board(18, { tiles: names.map((name) => tileWith(hexId("e", name.length), name, configOf(name))) });
  const busyOn = (on: JsonObject, name: string): JsonObject =>
    alert(hexId("a", 20), "Busy", on, archiveIds.webhook, { tileId: hexId("e", name.length) });
  const run = async (before: readonly string[], after: readonly string[], to: string) => {
    const stack = usualTarget();
    const stage = importStage(stack);
    const [first, second] = [boardWith(...before), boardWith(...after)];
    const archive = (on: JsonObject, tile: string) =>
      records({ dashboards: [on], alerts: [busyOn(on, tile)], ...dependencies.ours });
    await stage.run(archive(first, before[0] ?? ""), update);
    stack.requests.length = 0;
    const again = () => stage.run(archive(second, to), update);
    return { stack, moved: await again(), again };
  };

  it("is moved, and the next run removes the tile", async () => {
    const { stack, moved, again } = await run(["Old", "Kept"], ["Kept"], "Kept");
    expect(outcomeOf(moved, "Board 18")).toMatchObject({ action: "blocked", code: "would-delete-alerts" });
    expect([moved.exitCode, writesOn(stack)]).toEqual([3, ["update alerts"]]);
    expect([(await again()).exitCode, writesOn(stack)]).toEqual([0, ["update alerts", "update dashboards"]]);
    expect(recordOn(stack, "alerts", "Busy")).toMatchObject({
      tileId: (recordOn(stack, "dashboards", "Board 18")["tiles"] as { id: string }[])[0]?.id,
    });
  });

  it("is not moved to a tile that the same update adds: the update is blocked", async () => {
    const { stack, moved } = await run(["Old", "Kept"], ["Kept", "Brand new"], "Brand new");
    expect(outcomeOf(moved, "Board 18")).toMatchObject({ action: "blocked", code: "would-delete-alerts" });
    expect([moved.exitCode, writesOn(stack)]).toEqual([3, []]);
  });
});

it("an alert that is created on an updated dashboard is created after the update, which could delete it", async () => {
  const theirBoard = dashboard(hexId("b", 16), "Board 16", targetIds.source, { tags: ["theirs"] });
  const alerts = [alert(hexId("a", 32), "Busy", board(16), archiveIds.webhook)];
  const stack = usualTarget({ dashboards: [theirBoard] });
  const archive = records({ dashboards: [board(16)], alerts, ...dependencies.ours });
  expect((await importStage(stack).run(archive, update)).exitCode).toBe(0);
  expect(writesOn(stack)).toEqual(["update dashboards", "create alerts"]);
});

it("a rollback calls an alert without a name that it deletes by what it watches, in the plan too", async () => {
  const nameless = [alert(hexId("a", 32), null, board(16), archiveIds.webhook)];
  const { stack, entries } = await importOnce(
    records({ dashboards: [board(16)], alerts: nameless, ...dependencies.ours }),
  );
  const planned = await planRollbackOf(stack, entries);
  expect(planned.map(({ name, displayName }) => displayName ?? name)).toEqual(["Board 16", "on Requests (Board 16)"]);
});

it("somebody's webhook does not take the place of a deleted one of its name in a rollback", async () => {
  const [deleted, theirs] = [webhook(hexId("b", 50), "chat", "slack"), webhook(hexId("b", 51), "chat", "slack")];
  const other = { ...theirs, url: "https://hooks.example.com/in/2" };
  const stack = usualTarget({ webhooks: [other], connections: [], "saved-searches": [] });
  putRecord(stack, "dashboards", overview);
  const { outcomes } = await rollBackJournal(stack, deletionEntries("webhooks", deleted));
  expect(outcomeLines(outcomes)).toEqual(["chat create done"]);
});
