import { describe, expect, it } from "vitest";
import { board, dependencies, update, usualTarget } from "../../support/import-samples.ts";
import {
  importStage,
  outcomeLines,
  type JournalEntry,
  type JsonObject,
  type StackRecord,
} from "../../support/import-stage.ts";
import { loseAlertsOnUpdate, putRecord, type MemoryStack } from "../../support/memory-stack.ts";
import type { MirrorStage } from "../../support/mirror-stage.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import { imageOf, planLines, planRollbackOf, rollBackJournal } from "../../support/rollback-runs.ts";
import { alert, archiveIds, dashboard, hexId, records, targetIds } from "../../support/stack-records.ts";

const overview = dashboard(hexId("b", 16), "Overview", targetIds.source, { tags: ["theirs"] });
const watching = alert(hexId("b", 32), "Watching", overview, targetIds.webhook, { message: "call me" });
const archived = dashboard(hexId("a", 16), "Overview", archiveIds.source);

const archiveOf = (board: JsonObject, ...alerts: JsonObject[]): StackRecord[] =>
  records({ dashboards: [board], alerts, ...dependencies.ours });
const ours = (message: string, id = hexId("a", 32)): JsonObject =>
  alert(id, "Watching", archived, archiveIds.webhook, { message });

const stageWith = (alerts: readonly JsonObject[] = [watching]): MirrorStage => {
  const stack = usualTarget({ dashboards: [overview], alerts });
  return { stack, stage: importStage(stack) };
};

/** Updates a dashboard that was changed on the target; the server deletes its alerts during the update. */
async function updateAndLose({ stack, stage }: MirrorStage, board = archived): Promise<void> {
  const ids = recordsOn(stack, "alerts").map(({ id }) => String(id));
  changeOn(stack, "dashboards", { tags: ["changed since"] }, String(board["name"]));
  loseAlertsOnUpdate(stack, ...ids);
  await stage.run(archiveOf(board), update);
  stack.interceptAfter = () => {};
  const lost = stage.history.filter((entry) => entry.type === "done" && entry.write === "delete");
  expect(lost).toHaveLength(ids.length);
}

/** Returns a line for each alert of a rollback's dry run. */
const alertLines = async (...plan: Parameters<typeof planRollbackOf>): Promise<string[]> =>
  outcomeLines((await planRollbackOf(...plan)).filter(({ kind }) => kind === "alerts"));

describe("an alert that the server took away during an import", () => {
  const again = (id: string, more: JsonObject = {}) => {
    return (stack: MemoryStack): void => putRecord(stack, "alerts", { ...watching, ...more, id });
  };

  it.each<[string, JsonObject[], first: JsonObject | undefined, act: (stack: MemoryStack) => void, string[]]>([
    ["is made again where an earlier run had created it", [], ours("ours"), () => {}, ["Watching create"]],
    [
      "is put back where it is back under its own id, with whatever content",
      [watching],
      undefined,
      again(hexId("b", 32), { threshold: 99 }),
      ["Watching skip put-back"],
    ],
    [
      "is made again where another lost one is there again",
      [watching, { ...watching, id: hexId("b", 33) }],
      undefined,
      again(hexId("b", 60)),
      ["Watching skip put-back", "Watching create"],
    ],
  ])("%s", async (_, alerts, first, act, ends) => {
    const { stack, stage } = stageWith(alerts);
    if (first) await stage.run(archiveOf(archived, first), update);
    await updateAndLose({ stack, stage });
    act(stack);
    expect(await alertLines(stack, stage.history)).toEqual(ends);
  });

  it.each([false, true])(
    "comes back as it was before each run where an earlier run had updated it (by somebody there again: %s)",
    async (back) => {
      const { stack, stage } = stageWith();
      await stage.run(archiveOf(archived, ours("nobody")), update);
      const [left] = recordsOn(stack, "alerts") as JsonObject[];
      expect(left).toMatchObject({ message: "nobody" });
      await updateAndLose({ stack, stage });
      if (back) putRecord(stack, "alerts", left ?? {});
      const second = await rollBackJournal(stack, stage.history, { run: 2 });
      expect(second.lines).toContain(`Watching ${back ? "skip done put-back" : "create done"}`);
      expect(recordsOn(stack, "alerts")).toMatchObject([{ name: "Watching", message: "nobody" }]);
      // Somebody has created it again, so only --force overwrites it.
      const { lines } = await rollBackJournal(stack, second.entries, { run: 1, force: back });
      expect(lines).toContain("Watching update done");
      expect(recordsOn(stack, "alerts")).toMatchObject([
        { name: "Watching", message: "call me", ...(back && { id: hexId("b", 32) }) },
      ]);
    },
  );

  it("is created again once: an alert that somebody deletes after the rollback stays deleted", async () => {
    const { stack, stage } = stageWith();
    await updateAndLose({ stack, stage });
    const { entries } = await rollBackJournal(stack, stage.history);
    expect(recordsOn(stack, "alerts")).toHaveLength(1);
    stack.records.get("alerts")?.clear();
    expect(await alertLines(stack, entries)).toEqual([]);
  });

  it("is created again by the rollback of the run that lost it, and of no other run", async () => {
    const { stack, stage } = stageWith();
    await stage.run(archiveOf(archived), update);
    await updateAndLose({ stack, stage });
    expect(await alertLines(stack, stage.history, false, 1)).toEqual([]);
    expect(await alertLines(stack, stage.history, false, 2)).toEqual(["Watching create"]);
  });

  it("is left alone if no run looked for it, and it is on the stack or somebody created it again", async () => {
    const { stack } = stageWith();
    const at = "2026-01-01T00:00:00.000Z";
    const write = { at, key: `dashboards/${hexId("a", 16)}`, write: "update", targetId: hexId("b", 16) } as const;
    const dependents = [imageOf("alerts", watching)];
    const entries: JournalEntry[] = [
      { type: "begin", at, run: 1 },
      { ...write, type: "intent", name: "Overview", image: imageOf("dashboards", overview), dependents },
      { ...write, type: "done", content: "" },
    ];
    expect(await alertLines(stack, entries)).toEqual([]);
    stack.records.get("alerts")?.clear();
    expect(await alertLines(stack, entries)).toEqual(["Watching create"]);
    again(hexId("b", 60))(stack);
    expect(await alertLines(stack, entries)).toEqual([]);
  });

  it.each([hexId("a", 32), hexId("b", 32)])(
    "stays where a later run has created it again (archived as %s)",
    async (id) => {
      const { stack, stage } = stageWith();
      await updateAndLose({ stack, stage });
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

  it("keeps, once it is back, the dashboard that it is on, which an import had created", async () => {
    const { stack, stage } = stageWith([]);
    const made = dashboard(hexId("a", 17), "Made", archiveIds.source);
    await stage.run(archiveOf(made));
    putRecord(stack, "alerts", alert(hexId("b", 34), "Hung", recordOn(stack, "dashboards", "Made"), targetIds.webhook));
    await updateAndLose({ stack, stage }, made);
    const { lines, entries } = await rollBackJournal(stack, stage.history, { run: 2 });
    expect(lines).toEqual(["Made update done", "Hung create done"]);
    expect(await planLines(stack, entries, true, 1)).toEqual(["Made blocked in-use"]);
    expect(await planLines(stack, entries, false, 1)).toEqual(["Made skip changed-since"]);
  });

  it("counts, where it is back under its own id on a created dashboard, as a user of that", async () => {
    const { stack, stage } = stageWith();
    const both = records({ dashboards: [archived, board(17)], ...dependencies.ours });
    loseAlertsOnUpdate(stack);
    await stage.run(both, update);
    const on = recordOn(stack, "dashboards", "Board 17");
    putRecord(stack, "alerts", alert(hexId("b", 32), "Watching", on, targetIds.webhook));
    const ends = ["Overview update", "Watching skip put-back", "Board 17 blocked in-use"];
    expect(await planLines(stack, stage.history)).toEqual(ends);
  });
});
