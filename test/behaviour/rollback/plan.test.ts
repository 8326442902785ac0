import { describe, expect, it } from "vitest";
import { foldJournal } from "../../../src/journal/fold.ts";
import type { JsonValue } from "../../../src/core/json.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import {
  outcomeLines,
  importStage,
  type JournalEntry,
  type JsonObject,
  type StackRecord,
} from "../../support/import-stage.ts";
import { runKilled, namesOn, putRecord, type MemoryStack } from "../../support/memory-stack.ts";
import {
  importOnce,
  deletionEntries,
  imageOf,
  rollBack,
  rollBackJournal,
  planRollbackOf,
  type ImportedStack,
} from "../../support/rollback-runs.ts";
import {
  alert,
  dashboard,
  hexId,
  linkingTable,
  records,
  tileOf,
  webhook,
  targetIds,
  archiveIds,
} from "../../support/stack-records.ts";
import { dependencies, usualTarget, board, update } from "../../support/import-samples.ts";

const archiveOf = (...dashboards: JsonObject[]): StackRecord[] => records({ dashboards, ...dependencies.ours });
const one = archiveOf(board(16));

const theirs = dashboard(hexId("b", 16), "Board 16", targetIds.source, { tags: ["theirs"] });
const withTheirs = (): MemoryStack => usualTarget({ dashboards: [theirs] });
const withStranger = (): MemoryStack =>
  usualTarget({ dashboards: [{ ...theirs, id: hexId("b", 40), name: "Stranger" }] });

/** Runs an import that is killed after its write number `at` of a dashboard, before the response arrives. */
async function killedImport(stack: MemoryStack, archive = one, at = 1, options = {}): Promise<ImportedStack> {
  const stage = importStage(stack);
  await runKilled(stack, "after", /^(?:create|update) dashboards/, () => stage.run(archive, options), at);
  return { stack, entries: stage.history };
}

/** Creates a target with two records, each of which could be the record that a killed import created. */
async function twoCandidates(): Promise<ImportedStack> {
  const written = await killedImport(withStranger());
  putRecord(written.stack, "dashboards", {
    ...recordOn(written.stack, "dashboards", "Board 16"),
    id: hexId("e", 1),
  });
  return written;
}

async function hiddenSince(): Promise<ImportedStack> {
  const written = await importOnce(one, withTheirs(), update);
  written.stack.substitutes.add(tileOf(theirs));
  return written;
}

/** Runs an import, and changes its journal afterwards. */
async function importWithEditedJournal(
  stack: MemoryStack,
  edit: (entry: JournalEntry) => readonly JournalEntry[],
): Promise<ImportedStack> {
  const { entries } = await importOnce(one, stack, update);
  return { stack, entries: entries.flatMap(edit) };
}

const withImage = (body: JsonObject | undefined) => (entry: JournalEntry) => {
  if (entry.type !== "intent") return [entry];
  const { image: _, ...rest } = entry;
  return [{ ...rest, ...(body && { image: imageOf("dashboards", body) }) }];
};
async function createdBefore(): Promise<ImportedStack> {
  const written = await importOnce(one);
  changeOn(written.stack, "dashboards", { createdAt: "2025-06-01T00:00:00.000Z" });
  return written;
}

const generic = { ...webhook(hexId("b", 50), "generic"), service: "generic" };
const withEveryKind = (): MemoryStack => usualTarget({ connections: [], "saved-searches": [] });
const secret = { ...theirs, tags: ["«redacted:assigned-secret»"] };
const deleted = (...entries: JournalEntry[][]): ImportedStack => ({ stack: usualTarget(), entries: entries.flat() });
const watching = deletionEntries("alerts", alert(hexId("b", 32), "Watching", theirs, targetIds.webhook));

describe("a rollback that cannot undo a record", () => {
  it.each<[code: string, given: () => ImportedStack | Promise<ImportedStack>, undoneByForce?: true]>([
    ["ambiguous", twoCandidates],
    ["ambiguous", createdBefore],
    ["no-previous", () => importWithEditedJournal(withTheirs(), withImage(undefined))],
    ["redacted", () => importWithEditedJournal(withTheirs(), withImage(secret))],
    ["redacted", () => deleted(deletionEntries("dashboards", secret))],
    ["dead-reference", () => deleted(deletionEntries("dashboards", secret), watching)],
    ["redacted", () => ({ ...deleted(deletionEntries("webhooks", generic)), stack: withEveryKind() })],
    ["not-offered", () => deleted(deletionEntries("webhooks", generic))],
    ["would-lose-hidden", hiddenSince],
    ["changed-since", changedSince, true],
  ])("leaves it as it is, and exits with 3, also under --force: %s", async (code, given, undoneByForce) => {
    const { stack, entries } = await given();
    const before = recordsOn(stack, "dashboards");
    for (const force of undoneByForce ? [false] : [false, true]) {
      const { outcomes, exitCode } = await rollBackJournal(stack, entries, { force });
      expect(outcomes.map((outcome) => outcome.code)).toContain(code);
      expect(exitCode).toBe(3);
      expect(recordsOn(stack, "dashboards")).toEqual(before);
    }
    if (undoneByForce) expect(await rollBackJournal(stack, entries, { force: true })).toMatchObject({ exitCode: 0 });
  });

  it("names the record that it lacks", async () => {
    const { stack, entries } = deleted(deletionEntries("dashboards", secret), watching);
    const { outcomes } = await rollBackJournal(stack, entries);
    const blocked = outcomes.find(({ code }) => code === "dead-reference");
    expect(blocked).toMatchObject({ name: "Watching", message: expect.stringContaining(String(theirs["id"])) });
  });

  async function changedSince(): Promise<ImportedStack> {
    const written = await importOnce(one, withTheirs(), update);
    changeOn(written.stack, "dashboards", { tags: ["changed"] });
    return written;
  }

  it.each([
    ["it was deleted since", "gone", (stack: MemoryStack) => stack.records.get("dashboards")?.clear()],
    [
      "it equals its state before the import",
      "put-back",
      (stack: MemoryStack) => putRecord(stack, "dashboards", theirs),
    ],
  ])("because %s counts as undone already (%s, exit 0)", async (_, code, act) => {
    const { stack, entries } = await importOnce(one, withTheirs(), update);
    act(stack);
    for (const force of [false, true]) {
      const { outcomes, exitCode } = await rollBackJournal(stack, entries, { force });
      expect([...outcomeLines(outcomes), exitCode]).toEqual([`Board 16 skip done ${code}`, 0]);
    }
    expect(stack.requests.filter(({ operation }) => operation.startsWith("update"))).toEqual([]);
  });
});

describe("a rollback of a record that the import created", () => {
  it.each<[dated: string, action: string, createdAt: JsonValue | number]>([
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
    for (const force of [false, true])
      expect(outcomeLines(await planRollbackOf(stack, entries, force))).toEqual([`Board 16 ${action}`]);
    changeOn(stack, "dashboards", { createdAt: 0 });
    expect(outcomeLines(await planRollbackOf(stack, entries))).toEqual(["Board 16 delete"]);
  });

  it("has in the plan the name that the target shows now", async () => {
    const { stack, entries } = await importOnce(one);
    const renamed = entries.map((entry) => (entry.type === "intent" ? { ...entry, name: "Harmless" } : entry));
    expect(outcomeLines(await planRollbackOf(stack, renamed))).toEqual(["Board 16 delete"]);
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

  it("is in use only if a record that stays refers to it, not one that is deleted as well", async () => {
    const { stack, entries } = await importOnce(archiveOf(board(16), board(17)));
    const config = linkingTable(recordOn(stack, "dashboards", "Board 16").id);
    putRecord(
      stack,
      "dashboards",
      dashboard(hexId("d", 1), "Foreign", "", { tiles: [{ id: "t", name: "T", config }] }),
    );
    for (const force of [false, true]) {
      const lines = outcomeLines(await planRollbackOf(stack, entries, force));
      expect(lines).toEqual(["Board 16 blocked in-use", "Board 17 delete"]);
    }
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
    expect(outcomeLines(await planRollbackOf(stack, stage.history))).toEqual(["Board 16 delete"]);
  });

  it("undoes both records that two runs created from one record of the archive", async () => {
    const { stack, entries } = await importOnce(one);
    // A later run did not find the first record in the list.
    const begin = { type: "begin", at: "2026-01-01T00:00:00.000Z", run: 2 } as const;
    const second = hexId("e", 16);
    putRecord(stack, "dashboards", { ...recordOn(stack, "dashboards", "Board 16"), id: second });
    const later = entries
      .filter((entry) => "key" in entry)
      .map((entry) => (entry.type === "done" ? { ...entry, targetId: second } : entry));
    const undone = await rollBackJournal(stack, [...entries, begin, ...later]);
    expect(recordsOn(stack, "dashboards").map(({ id }) => id)).not.toContain(second);
    await rollBackJournal(stack, undone.entries, { run: 1 });
    expect(namesOn(stack)).toEqual([]);
  });
});

describe("a rollback of a record that the import updated", () => {
  it("is put back whole: members that the update added are cleared", async () => {
    const filters = [{ id: "f", type: "QUERY_EXPRESSION", name: "F", expression: "x", sourceId: archiveIds.source }];
    const ours = board(16, { tags: ["new"], filters, savedQuery: "a:b" });
    const { stack, entries } = await importOnce(archiveOf(ours), withTheirs(), update);
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ savedQuery: "a:b", tags: ["new"] }]);
    expect(outcomeLines((await rollBackJournal(stack, entries)).outcomes)).toEqual(["Board 16 update done"]);
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tags: ["theirs"], filters: [], savedQuery: null }]);
    const [sent] = stack.requests.filter(({ operation }) => operation === "update dashboards");
    for (const member of ["id", "createdAt", "updatedAt", "teamId"]) expect(sent?.body).not.toHaveProperty(member);
  });

  it("is put back with its saved filters", async () => {
    const filter = (letter: "a" | "b"): JsonObject => ({
      id: hexId("e", 1),
      name: "Service",
      type: "QUERY_EXPRESSION",
      sourceId: hexId(letter, 1),
    });
    const stack = usualTarget({ dashboards: [{ ...theirs, filters: [filter("b")] }] });
    const { entries } = await importOnce(archiveOf(board(16, { filters: [filter("a")] })), stack, update);
    expect(outcomeLines((await rollBackJournal(stack, entries)).outcomes)).toEqual(["Board 16 update done"]);
    expect(recordsOn(stack, "dashboards")).toMatchObject([
      { tags: ["theirs"], filters: [{ sourceId: targetIds.source }] },
    ]);
  });
});

describe("a rollback of a write without a recorded end in the journal", () => {
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
    const toldOf = async (run?: number): Promise<string[]> =>
      outcomeLines(await planRollbackOf(stack, stage.history, false, run)).toSorted();
    expect(await toldOf(2)).toEqual(["Board 17 delete"]);
    expect(await toldOf()).toEqual(["Board 17 delete"]);
    expect(await planRollbackOf(stack, stage.history, false, 1)).toMatchObject([{ action: "delete", targetId: id }]);
  });

  it("never mistakes an update for a create: the earlier record stays", async () => {
    const { stack, entries } = await killedImport(withTheirs(), one, 1, update);
    expect(entries.at(-1)).toMatchObject({ type: "intent", write: "update" });
    expect((await rollBack(stack, entries, true)).filter(({ action }) => action === "delete")).toEqual([]);
    expect(namesOn(stack)).toEqual(["Board 16"]);
  });
});

it("a rollback ignores a create of a kind that this version does not support", async () => {
  const { stack, entries } = await importOnce(one);
  const at = "2026-01-01T00:00:00.000Z";
  const begun = { type: "intent", at, key: "widgets/a", name: "Widget", write: "create", content: "aa" } as const;
  const done = { type: "done", at, key: "widgets/a", write: "create", targetId: "b", content: "aa" } as const;
  expect((await planRollbackOf(stack, [...entries, begun, done])).map(({ kind }) => kind)).toEqual(["dashboards"]);
  expect(outcomeLines((await rollBackJournal(stack, [...entries, begun])).outcomes)).toEqual(["Board 16 delete done"]);
});
