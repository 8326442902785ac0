import { describe, expect, it } from "vitest";
import { board, dependencies, update, usualTarget } from "../../support/import-samples.ts";
import { importStage, type JournalEntry, type JsonObject, type StackRecord } from "../../support/import-stage.ts";
import { namesOn, putRecord, runKilled, type MemoryStack } from "../../support/memory-stack.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import {
  foldJournal,
  importOnce,
  planLines,
  planRollbackOf,
  rollBackJournal,
  type ImportedStack,
} from "../../support/rollback-runs.ts";
import { alert, archiveIds, dashboard, hexId, records, targetIds } from "../../support/stack-records.ts";

const archiveOf = (...dashboards: JsonObject[]): StackRecord[] => records({ dashboards, ...dependencies.ours });
const one = archiveOf(board(16));
const theirs = dashboard(hexId("b", 16), "Board 16", targetIds.source, { tags: ["theirs"] });
const withStranger = (): MemoryStack =>
  usualTarget({ dashboards: [{ ...theirs, id: hexId("b", 40), name: "Stranger" }] });

describe("a rollback of a record that the import created", () => {
  it.each<[dated: string, action: string, createdAt: string | number | null]>([
    // Milliseconds from the import to the create that the target states: a day before the import still counts as during it.
    ["a day before the import", "delete", -24 * 60 * 60_000],
    ["longer before it", "skip ambiguous", -24 * 60 * 60_000 - 1],
    ["as a text of the year before", "skip ambiguous", "2025-06-01T00:00:00.000Z"],
    ["not at all", "delete", null],
    ["in no form of a date", "delete", "yesterday"],
  ])('where the target dates it %s is "%s" in the plan, also under --force', async (_, action, at) => {
    const { stack, entries } = await importOnce(one);
    const begun = Date.parse(entries.flatMap((entry) => (entry.type === "intent" ? [entry.at] : []))[0] ?? "");
    changeOn(stack, "dashboards", { createdAt: typeof at === "number" ? new Date(begun + at).toISOString() : at });
    for (const force of [false, true]) expect(await planLines(stack, entries, force)).toEqual([`Board 16 ${action}`]);
    changeOn(stack, "dashboards", { createdAt: 0 });
    expect(await planLines(stack, entries)).toEqual(["Board 16 delete"]);
  });

  it("has in the plan the name that the target shows now", async () => {
    const { stack, entries } = await importOnce(one);
    const renamed = entries.map((entry) => (entry.type === "intent" ? { ...entry, name: "Harmless" } : entry));
    expect(await planLines(stack, renamed)).toEqual(["Board 16 delete"]);
  });

  it("calls an alert without a name by what it watches, and one with a name by nothing else", async () => {
    const [checkout, payment] = [board(16, { name: "Checkout" }), board(17, { name: "Payment" })];
    const alerts = [
      alert(hexId("a", 32), "Busy", checkout, archiveIds.webhook),
      alert(hexId("a", 33), null, payment, archiveIds.webhook),
    ];
    const archive = records({ dashboards: [checkout, payment], alerts, ...dependencies.ours });
    const { stack, entries } = await importOnce(archive);
    const planned = await planRollbackOf(stack, entries);
    const { outcomes } = await rollBackJournal(stack, entries);
    const called = new Map([
      ["", "on Requests (Payment)"],
      ["Busy", undefined],
      ["Checkout", undefined],
      ["Payment", undefined],
    ]);
    for (const named of [planned, outcomes])
      expect(new Map(named.map(({ name, displayName }) => [name, displayName]))).toEqual(called);
  });

  it("is found although its id changed case, and deleted under the new spelling", async () => {
    const { stack, entries } = await importOnce(one);
    const shouted = entries.map((entry) =>
      entry.type === "done" ? { ...entry, targetId: entry.targetId.toUpperCase() } : entry,
    );
    const { id } = recordOn(stack, "dashboards", "Board 16");
    expect(await planRollbackOf(stack, shouted)).toMatchObject([{ action: "delete", targetId: id }]);
    const { entries: after } = await rollBackJournal(stack, shouted);
    expect(namesOn(stack)).toEqual([]);
    expect(foldJournal(after).bases.size).toBe(0);
  });

  it("counts as done where somebody deletes the record after the plan", async () => {
    const { stack, entries } = await importOnce(archiveOf(board(16), board(17), board(18)));
    const { id } = recordOn(stack, "dashboards", "Board 16");
    const undone = await rollBackJournal(stack, entries, {
      between: () => stack.records.get("dashboards")?.delete(id),
    });
    expect(undone.outcomes.map(({ status }) => status)).toEqual(["done", "done", "done"]);
    expect(await planRollbackOf(stack, undone.entries)).toEqual([]);
  });

  it("has one record to undo where somebody deleted it and a later run created it again", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
    await stage.run(one);
    stack.records.get("dashboards")?.clear();
    await stage.run(one);
    expect(await planLines(stack, stage.history)).toEqual(["Board 16 delete"]);
  });

  it("leaves a record that the import found there and did not write", async () => {
    const { stack, entries } = await importOnce(archiveOf(board(16), board(17)), usualTarget({ dashboards: [theirs] }));
    expect(await rollBackJournal(stack, entries)).toMatchObject({ lines: ["Board 17 delete done"], exitCode: 0 });
    expect(recordsOn(stack, "dashboards")).toMatchObject([theirs]);
  });
});

describe("a rollback of a write without a recorded end in the journal", () => {
  /** Runs an import that is killed after its write number `at` of a dashboard, before the response arrives. */
  async function killedImport(stack: MemoryStack, archive = one, at = 1, options = {}): Promise<ImportedStack> {
    const stage = importStage(stack);
    await runKilled(stack, "after", /^(?:create|update) dashboards/, () => stage.run(archive, options), at);
    return { stack, entries: stage.history };
  }

  it("does not assign a create the record of its equal twin, which is undone once", async () => {
    const { stack, entries } = await importOnce(archiveOf(board(16, { tiles: [] })));
    const begun = entries.flatMap((entry) =>
      entry.type === "intent" ? [{ ...entry, key: `dashboards/${hexId("a", 17)}` as const }] : [],
    );
    const items = await planRollbackOf(stack, [...entries, ...begun]);
    expect(items).toMatchObject([{ action: "delete", sourceId: hexId("a", 16) }]);
    expect(items).toHaveLength(1);
  });

  it("undoes a create once, under its id in the archive, and deletes no other record", async () => {
    const three = archiveOf(board(16), board(17), board(18));
    const { stack, entries } = await killedImport(withStranger(), three, 2, { concurrency: 1 });
    const made = namesOn(stack).length - 1;
    const items = await planRollbackOf(stack, entries);
    expect(items.map(({ kind, action, sourceId }) => `${action} ${kind} ${sourceId}`).toSorted()).toEqual(
      [16, 17, 18].slice(0, made).map((number) => `delete dashboards ${hexId("a", number)}`),
    );
    await rollBackJournal(stack, entries);
    expect(namesOn(stack)).toEqual(["Stranger"]);
  });

  it("plans two creates as two deletions, each under its own key", async () => {
    const { stack, entries } = await importOnce(archiveOf(board(16), board(17)));
    const plan = await planRollbackOf(
      stack,
      entries.filter(({ type }) => type === "begin" || type === "intent"),
    );
    expect(
      new Set(plan.map(({ kind, sourceId, targetId, action }) => `${kind}/${sourceId} ${targetId} ${action}`)),
    ).toEqual(
      new Set(
        [16, 17].map((number) => {
          return `dashboards/${hexId("a", number)} ${recordOn(stack, "dashboards", `Board ${number}`).id} delete`;
        }),
      ),
    );
  });

  it.each(["before", "after"] as const)(
    "leaves the record that was there before a create of a copy was killed %s it",
    async (moment) => {
      const { stack } = await importOnce(one);
      const { id } = recordOn(stack, "dashboards", "Board 16");
      const stage = importStage(stack);
      const withCopy = archiveOf(board(16), { ...board(17), name: "Board 16" });
      await runKilled(stack, moment, /^create dashboards/, () => stage.run(withCopy));
      const planned = await planRollbackOf(stack, stage.history);
      expect(planned.map(({ action }) => action)).toEqual(moment === "after" ? ["delete"] : []);
      expect(planned.map(({ targetId }) => targetId)).not.toContain(id);
    },
  );

  it("does not undo a create of one run with another run", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
    await runKilled(stack, "after", /^create dashboards/, () => stage.run(one));
    // The run ended without a response to its create. A later run creates another record.
    stage.history.push({ type: "end", at: "2026-01-01T00:00:00.000Z" });
    const begin = stage.history.length;
    await stage.run(archiveOf(board(17, { tags: ["made"] })));
    expect(stage.history.slice(begin).some(({ type }) => type === "done")).toBe(true);
    // Somebody makes a copy of the first.
    const { id } = recordOn(stack, "dashboards", "Board 16");
    putRecord(stack, "dashboards", { ...recordOn(stack, "dashboards", "Board 16"), id: hexId("e", 1) });
    const toldOf = (run?: number): Promise<string[]> => planLines(stack, stage.history, false, run);
    expect(await toldOf(2)).toEqual(["Board 17 delete"]);
    expect(await toldOf()).toEqual(["Board 17 delete"]);
    expect(await planRollbackOf(stack, stage.history, false, 1)).toMatchObject([{ action: "delete", targetId: id }]);
  });

  it("never mistakes an update for a create: the earlier record stays", async () => {
    const { stack, entries } = await killedImport(usualTarget({ dashboards: [theirs] }), one, 1, update);
    expect(entries.at(-1)).toMatchObject({ type: "intent", write: "update" });
    const { outcomes } = await rollBackJournal(stack, entries, { force: true });
    expect(outcomes.filter(({ action }) => action === "delete")).toEqual([]);
    expect(namesOn(stack)).toEqual(["Board 16"]);
  });
});

describe("a kind that this version does not support", () => {
  const at = "2026-01-01T00:00:00.000Z";
  const [key, name] = ["widgets/a" as const, "Widget"];

  it("is ignored by a rollback of its create", async () => {
    const { stack, entries } = await importOnce(one);
    const begun = { type: "intent", at, key, name, write: "create", content: "aa" } as const;
    const done = { type: "done", at, key, write: "create", targetId: "b", content: "aa" } as const;
    expect(await planLines(stack, [...entries, begun, done])).toEqual(["Board 16 delete"]);
    expect((await rollBackJournal(stack, [...entries, begun])).lines).toEqual(["Board 16 delete done"]);
  });

  it("is ignored by a rollback after one that created its record again", async () => {
    const entries: JournalEntry[] = [
      { type: "begin", at, run: 1 },
      {
        type: "intent",
        at,
        key,
        name,
        write: "delete",
        targetId: "a",
        image: { key, name, body: { id: "a" }, digest: "aa" },
      },
      { type: "done", at, key, write: "delete", targetId: "a", content: "" },
      { type: "end", at },
      { type: "begin", at, run: 2, undoes: 1 },
      { type: "intent", at, key, name, write: "create", content: "aa" },
      { type: "done", at, key, write: "create", targetId: "b", content: "aa" },
    ];
    for (const run of [1, 2]) expect(await planLines(usualTarget(), entries, false, run)).toEqual([]);
  });
});
