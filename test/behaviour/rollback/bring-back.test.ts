import { describe, expect, it } from "vitest";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import { outcomeLines, importStage, writesOn, type ImportStage, type JsonObject } from "../../support/import-stage.ts";
import { interruptionError, loseAlertsOnUpdate, putRecord, type MemoryStack } from "../../support/memory-stack.ts";
import {
  deletionEntries,
  imageOf,
  rollBackJournal,
  planRollbackOf,
  type JournalEntry,
} from "../../support/rollback-runs.ts";
import { alertOn, archive, stageAfterImport, mirror } from "../../support/mirror-stage.ts";
import {
  alert,
  dashboard,
  hexId,
  linkingTable,
  records,
  tileWith,
  webhook,
  targetIds,
  archiveIds,
} from "../../support/stack-records.ts";
import { board, dependencies, usualTarget, update } from "../../support/import-samples.ts";

const overview = dashboard(hexId("b", 16), "Overview", targetIds.source, { tags: ["theirs"] });
const watching = alert(hexId("b", 32), "Watching", overview, targetIds.webhook, { message: "call me" });
const archived = dashboard(hexId("a", 16), "Overview", archiveIds.source);
const at = "2026-01-01T00:00:00.000Z";

const target = (more: Record<string, JsonObject[]> = {}): MemoryStack =>
  usualTarget({ dashboards: [overview], alerts: [watching], ...more });
const archiveOf = (board: JsonObject, ...alerts: JsonObject[]) =>
  records({ dashboards: [board], alerts, ...dependencies.ours });
const ours = (message: string, id = hexId("a", 32)): JsonObject =>
  alert(id, "Watching", archived, archiveIds.webhook, { message });

/**
 * Runs an update of a dashboard that was changed on the target; the server deletes the alerts with these ids during the
 * update.
 */
async function updateAndLose(stage: ImportStage, stack: MemoryStack, board: JsonObject, ids: string[]): Promise<void> {
  changeOn(stack, "dashboards", { tags: ["changed since"] }, String(board["name"]));
  loseAlertsOnUpdate(stack, ...ids);
  await stage.run(archiveOf(board), update);
  stack.interceptAfter = () => {};
  const lost = stage.history.filter((entry) => entry.type === "done" && entry.write === "delete");
  expect(lost).toHaveLength(ids.length);
}

const alertsIn = (items: Awaited<ReturnType<typeof planRollbackOf>>): string[] =>
  outcomeLines(items.filter(({ kind }) => kind === "alerts"));

describe("an alert that the server took away during an import", () => {
  const again = (id: string, more: JsonObject = {}) => {
    return (stack: MemoryStack): void => putRecord(stack, "alerts", { ...watching, ...more, id });
  };

  it.each<
    [string, JsonObject[], first: JsonObject | undefined, act: ((stack: MemoryStack) => void) | undefined, string[]]
  >([
    [
      "is made again by a rollback where an earlier run had created it",
      [],
      ours("ours"),
      undefined,
      ["Watching create"],
    ],
    [
      "is put back by a rollback where it is back under its own id, with whatever content",
      [watching],
      undefined,
      again(hexId("b", 32), { threshold: 99 }),
      ["Watching skip put-back"],
    ],
    [
      "is made again by a rollback where another lost one is there again",
      [watching, { ...watching, id: hexId("b", 33) }],
      undefined,
      again(hexId("b", 60)),
      ["Watching skip put-back", "Watching create"],
    ],
  ])("%s", async (_, alerts, first, act, ends) => {
    const stack = target({ alerts });
    const stage = importStage(stack);
    if (first) await stage.run(archiveOf(archived, first), update);
    const ids = recordsOn(stack, "alerts").map(({ id }) => String(id));
    await updateAndLose(stage, stack, archived, ids);
    act?.(stack);
    expect(alertsIn(await planRollbackOf(stack, stage.history))).toEqual(ends);
  });

  it.each([false, true])(
    "comes back as it was before each run where an earlier run had updated it (by somebody there again: %s)",
    async (back) => {
      const stack = target();
      const stage = importStage(stack);
      await stage.run(archiveOf(archived, ours("nobody")), update);
      const [left] = recordsOn(stack, "alerts") as JsonObject[];
      expect(left).toMatchObject({ message: "nobody" });
      await updateAndLose(stage, stack, archived, [hexId("b", 32)]);
      if (back) putRecord(stack, "alerts", left ?? {});
      const second = await rollBackJournal(stack, stage.history, { run: 2 });
      expect(outcomeLines(second.outcomes)).toContain(`Watching ${back ? "skip done put-back" : "create done"}`);
      expect(recordsOn(stack, "alerts")).toMatchObject([{ name: "Watching", message: "nobody" }]);
      // Somebody has created it again, so only --force overwrites it.
      const { outcomes } = await rollBackJournal(stack, second.entries, { run: 1, force: back });
      expect(outcomeLines(outcomes)).toContain("Watching update done");
      expect(recordsOn(stack, "alerts")).toMatchObject([
        { name: "Watching", message: "call me", ...(back && { id: hexId("b", 32) }) },
      ]);
    },
  );

  it("is created again once: an alert that somebody deletes after the rollback stays deleted", async () => {
    const stack = target();
    const stage = importStage(stack);
    await updateAndLose(stage, stack, archived, [hexId("b", 32)]);
    const { entries } = await rollBackJournal(stack, stage.history);
    expect(recordsOn(stack, "alerts")).toHaveLength(1);
    stack.records.get("alerts")?.clear();
    expect(alertsIn(await planRollbackOf(stack, entries))).toEqual([]);
  });

  it("is created again by the rollback of the run that lost it, and of no other run", async () => {
    const stack = target();
    const stage = importStage(stack);
    await stage.run(archiveOf(archived), update);
    await updateAndLose(stage, stack, archived, [hexId("b", 32)]);
    expect(alertsIn(await planRollbackOf(stack, stage.history, false, 1))).toEqual([]);
    expect(alertsIn(await planRollbackOf(stack, stage.history, false, 2))).toEqual(["Watching create"]);
  });

  it("is left alone if no run looked for it, and it is on the stack or somebody created it again", async () => {
    const stack = target();
    const write = { at, key: `dashboards/${hexId("a", 16)}`, write: "update", targetId: hexId("b", 16) } as const;
    const dependents = [imageOf("alerts", watching)];
    const entries: JournalEntry[] = [
      { type: "begin", at, run: 1 },
      { ...write, type: "intent", name: "Overview", image: imageOf("dashboards", overview), dependents },
      { ...write, type: "done", content: "" },
    ];
    expect(alertsIn(await planRollbackOf(stack, entries))).toEqual([]);
    stack.records.get("alerts")?.clear();
    expect(alertsIn(await planRollbackOf(stack, entries))).toEqual(["Watching create"]);
    again(hexId("b", 60))(stack);
    expect(alertsIn(await planRollbackOf(stack, entries))).toEqual([]);
  });

  it.each([hexId("a", 32), hexId("b", 32)])(
    "stays where a later run has created it again (archived as %s)",
    async (id) => {
      const stack = target();
      const stage = importStage(stack);
      await updateAndLose(stage, stack, archived, [hexId("b", 32)]);
      await stage.run(archiveOf(archived, ours("call me", id)), update);
      const made = recordsOn(stack, "alerts");
      expect(made).toHaveLength(1);
      await rollBackJournal(stack, stage.history, { run: 1 });
      expect(recordsOn(stack, "alerts")).toEqual(made);
      const later = await rollBackJournal(stack, stage.history, { run: 2 });
      expect(recordsOn(stack, "alerts")).toEqual([]);
      await rollBackJournal(stack, later.entries, { run: 1 });
      expect(recordsOn(stack, "alerts")).toMatchObject([{ name: "Watching", message: "call me" }]);
    },
  );

  it("keeps the dashboard that it is on, which the import had created", async () => {
    const stack = target();
    const stage = importStage(stack);
    const made = dashboard(hexId("a", 17), "Made", archiveIds.source);
    await stage.run(archiveOf(made));
    putRecord(stack, "alerts", alert(hexId("b", 34), "Hung", recordOn(stack, "dashboards", "Made"), targetIds.webhook));
    await updateAndLose(stage, stack, made, [hexId("b", 34)]);
    const { outcomes, entries } = await rollBackJournal(stack, stage.history, { run: 2 });
    expect(outcomeLines(outcomes)).toEqual(["Made update done", "Hung create done"]);
    const plan = await planRollbackOf(stack, entries, true, 1);
    expect(outcomeLines(plan)).toEqual(["Made blocked in-use"]);
    const [blocked] = await planRollbackOf(stack, entries, false, 1);
    expect(blocked).toMatchObject({ name: "Made", action: "skip", code: "changed-since" });
    expect(blocked?.message).toContain("--force");
  });
});

it("a rollback ignores an alert that another version of the program created again", async () => {
  const key = "widgets/a";
  const entries: JournalEntry[] = [
    { type: "begin", at, run: 1 },
    {
      type: "intent",
      at,
      key,
      name: "Widget",
      write: "delete",
      targetId: "a",
      image: { key, name: "Widget", body: { id: "a" }, digest: "aa" },
    },
    { type: "done", at, key, write: "delete", targetId: "a", content: "" },
    { type: "end", at },
    { type: "begin", at, run: 2, undoes: 1 },
    { type: "intent", at, key, name: "Widget", write: "create", content: "aa" },
    { type: "done", at, key, write: "create", targetId: "b", content: "aa" },
  ];
  for (const run of [1, 2]) expect(await planRollbackOf(target(), entries, false, run)).toEqual([]);
});

describe("a record that a mirror deleted", () => {
  const none = { dashboards: [], alerts: [], webhooks: [], connections: [], "saved-searches": [] };

  it("is not made again without what no stack shows, where it may have held that", async () => {
    const hooks = [webhook(hexId("b", 50), "generic", "generic"), webhook(hexId("b", 51), "chat", "slack")];
    const main = { id: hexId("b", 52), name: "Main", host: "http://db", username: "reader" };
    const entries = [
      ...hooks.flatMap((hook) => deletionEntries("webhooks", hook)),
      ...deletionEntries("connections", main),
    ];
    const lines = ["Main blocked redacted", "chat create", "generic blocked redacted"];
    expect(outcomeLines(await planRollbackOf(target(none), entries)).toSorted()).toEqual(lines);
  });

  it("is not made again where it held a secret, nor an alert on it; a dashboard that only links to it is", async () => {
    const stack = target(none);
    const tiles = [tileWith(hexId("d", 17), "Table", linkingTable(hexId("b", 16), targetIds.source))];
    const entries = [
      ...deletionEntries("alerts", watching),
      ...deletionEntries("dashboards", { ...overview, tags: ["«redacted:assigned-secret»"] }),
      ...deletionEntries("dashboards", dashboard(hexId("b", 17), "Linking", "", { tiles })),
    ];
    expect(outcomeLines(await planRollbackOf(stack, entries))).toEqual([
      "Linking create",
      "Watching blocked dead-reference",
      "Overview skip redacted",
    ]);
    const { exitCode, warnings } = await rollBackJournal(stack, entries);
    expect(warnings.map(({ code }) => code)).toEqual(["left-out"]);
    expect(JSON.stringify(recordsOn(stack, "dashboards"))).not.toContain("onClick");
    expect(exitCode).toBe(3);
  });
});

describe("a rollback of what an import moved off a dashboard that its mirror deleted", () => {
  const table = (config: JsonObject): JsonObject => ({ tiles: [tileWith(hexId("d", 17), "Table", config)] });
  const linking = board(17, table(linkingTable(hexId("a", 16), archiveIds.source)));
  const plain = board(17, table({ displayType: "table", sourceId: archiveIds.source }));
  const watchesNew = alert(hexId("a", 1016), "Alert 16", board(18), archiveIds.webhook);

  /** Creates a target on which a dashboard and an alert no longer refer to "Board 16", because a mirror has deleted it. */
  async function mirroredTarget() {
    const { stack, stage } = await stageAfterImport([board(16), linking, board(18)], [alertOn(16)]);
    const run = await stage.run(archive([plain, board(18)], [watchesNew]), mirror);
    expect(outcomeLines(run.outcomes.filter(({ action }) => action === "delete"))).toEqual(["Board 16 delete done"]);
    stack.requests.length = 0;
    return { stack, entries: stage.history };
  }

  const expectBack = (stack: MemoryStack): void => {
    const again = recordOn(stack, "dashboards", "Board 16") as { id: string; tiles: { id: string }[] };
    const link = { onClick: { target: { id: again.id } } };
    expect(recordOn(stack, "dashboards", "Board 17")).toMatchObject({ tiles: [{ config: link }] });
    expect(recordOn(stack, "alerts", "Alert 16")).toMatchObject({
      dashboardId: again.id,
      tileId: again.tiles[0]?.id,
    });
  };

  it("points to it again, under its new id, in one write each", async () => {
    const { stack, entries } = await mirroredTarget();
    const { outcomes } = await rollBackJournal(stack, entries);
    expect(outcomeLines(outcomes)).toEqual(["Board 17 update done", "Board 16 create done", "Alert 16 update done"]);
    expect(writesOn(stack)).toEqual(["create dashboards", "update dashboards", "update alerts"]);
    expectBack(stack);
  });

  it("is put back by the next rollback where the first ended before", async () => {
    const { stack, entries } = await mirroredTarget();
    stack.intercept = (operation) => {
      if (operation.startsWith("update")) throw interruptionError();
    };
    const done = ({ outcomes }: Awaited<ReturnType<typeof rollBackJournal>>): string[] =>
      outcomeLines(outcomes.filter(({ status }) => status === "done")).toSorted();
    const first = await rollBackJournal(stack, entries);
    expect(done(first)).toEqual(["Board 16 create done"]);
    stack.intercept = () => {};
    const second = await rollBackJournal(stack, first.entries);
    expect(done(second)).toEqual(["Alert 16 update done", "Board 17 update done"]);
    expectBack(stack);
    expect(await planRollbackOf(stack, second.entries)).toEqual([]);
  });
});
