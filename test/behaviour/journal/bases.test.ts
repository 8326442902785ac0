import { describe, expect, it } from "vitest";
import { changeOn, recordOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import {
  importStage,
  including,
  outcomeOf,
  withSecrets,
  writesOn,
  type JsonObject,
  type Outcome,
  type RunOptions,
  type StageRun,
} from "../../support/import-stage.ts";
import { memoryStack, runKilled, type MemoryStack } from "../../support/memory-stack.ts";
import { addAlertOn, alertOn, archive, stageAfterImport, mirror } from "../../support/mirror-stage.ts";
import { rollBack, rollBackJournal } from "../../support/rollback-runs.ts";
import { board, dependencies, fromOtherStack, usualTarget } from "../../support/import-samples.ts";
import { alert, dashboard, hexId, records, tileWith, archiveIds, targetIds } from "../../support/stack-records.ts";

const keep = fromOtherStack;
const merge: RunOptions = { ...keep, onConflict: "merge" };
const config = { displayType: "line", sourceId: archiveIds.source, select: [{ aggFn: "count" }] };
const tileOf = (letter: string, more: JsonObject = {}): JsonObject =>
  tileWith(hexId("d", letter.charCodeAt(0)), letter, config, more);
const two = (a: JsonObject = {}, b: JsonObject = {}): JsonObject =>
  board(16, { tiles: [tileOf("A", a), tileOf("B", { y: 3, ...b })] });
const of16 = (run: StageRun): Outcome | undefined => outcomeOf(run, "Board 16");

/** Changes the width of one tile of the target's dashboard. */
function widen(stack: MemoryStack, name: string, w: number): void {
  const { tiles } = recordOn(stack, "dashboards", "Board 16");
  const edited = (tiles as JsonObject[]).map((each) => (each["name"] === name ? { ...each, w } : each));
  changeOn(stack, "dashboards", { tiles: edited }, "Board 16");
}

const widthsOf = ({ tiles }: JsonObject): unknown[] => (tiles as JsonObject[]).map(({ w }) => w);
const widths = (stack: MemoryStack): unknown[] => widthsOf(recordOn(stack, "dashboards", "Board 16"));

describe("an edit on the target", () => {
  it("stays known after one other tile of the dashboard is imported", async () => {
    const { stack, stage } = await stageAfterImport([two()]);
    widen(stack, "A", 8);
    const changed = archive([two({}, { w: 9 })]);
    await stage.run(changed, { ...keep, filter: including("Board 16"), tile: "B" });
    expect(widths(stack)).toEqual([8, 9]);
    expect(of16(await stage.run(changed, keep))).toMatchObject({ action: "skip", code: "edited" });
    expect(widths(stack)).toEqual([8, 9]);
  });

  it("counts from where both sides had come to say the same", async () => {
    const { stack, stage } = await stageAfterImport([board(16, { tags: ["1"] })]);
    changeOn(stack, "dashboards", { tags: ["2"] }, "Board 16");
    const same = archive([board(16, { tags: ["2"] })]);
    await stage.run(same, keep);
    const lines = stage.history.length;
    await stage.run(same, keep);
    expect(stage.history).toHaveLength(lines);
    changeOn(stack, "dashboards", { tags: ["3"] }, "Board 16");
    expect(of16(await stage.run(same, keep))).toMatchObject({ code: "edited" });
    changeOn(stack, "dashboards", { tags: ["2"] }, "Board 16");
    expect(of16(await stage.run(archive([board(16, { tags: ["1"] })]), keep))).toMatchObject({ action: "update" });
  });

  it("is kept and named for as long as the journal lacks the run that wrote the record last", async () => {
    const { stack, stage } = await stageAfterImport([board(16, { tags: ["1"] }), board(17)]);
    const stale = [...stage.history];
    await stage.run(archive([board(16, { tags: ["2"] }), board(17), board(18)]), keep);
    stage.history.splice(0, stage.history.length, ...stale);
    const now = archive([board(16, { tags: ["3"] }), board(17), board(18)]);
    expect(of16(await stage.run(now, keep))).toMatchObject({ action: "skip", code: "both-changed" });
    // What the lost run created is found by its name, and no mirror deletes it.
    expect((await stage.run(archive([board(16, { tags: ["3"] }), board(17)]), mirror)).exitCode).toBe(0);
    expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17", "Board 18"]);
  });
});

it("tiles that somebody has put into another order are no edit: a rollback puts their dashboard back", async () => {
  const { stack, stage } = await stageAfterImport([two()]);
  await stage.run(archive([two({ w: 8 })]), keep);
  const { tiles } = recordOn(stack, "dashboards", "Board 16");
  changeOn(stack, "dashboards", { tiles: (tiles as JsonObject[]).toReversed() }, "Board 16");
  const outcomes = await rollBack(stack, stage.history);
  expect(outcomes).toMatchObject([{ action: "update", status: "done" }]);
  expect(new Set(widths(stack))).toEqual(new Set(widthsOf(two())));
});

it("an undo of a rename calls the dashboard by the name that it gets back", async () => {
  const { stack, stage } = await stageAfterImport([two()]);
  await stage.run(archive([{ ...two(), name: "Renamed" }]), keep);
  const outcomes = await rollBack(stack, stage.history);
  expect(outcomes).toMatchObject([{ action: "update", name: "Board 16", targetName: "Renamed" }]);
  expect(recordsOn(stack, "dashboards").map(({ name }) => name)).toEqual(["Board 16"]);
});

describe("a record of which nobody can say who changed it", () => {
  it("has a base for the parts that were equal: a merge takes their later changes, and names the others", async () => {
    const stack = usualTarget({
      dashboards: [dashboard(hexId("b", 16), "Board 16", targetIds.source, { tags: ["theirs"] })],
    });
    const stage = importStage(stack);
    expect(of16(await stage.run(archive([board(16)]), keep))).toMatchObject({ code: "exists" });
    const filters = [
      { id: hexId("e", 9), type: "QUERY_EXPRESSION", name: "Host", expression: "host", sourceId: archiveIds.source },
    ];
    const changed = archive([board(16, { filters })]);
    expect(of16(await stage.run(changed, keep))).toMatchObject({ action: "skip", code: "exists" });
    const merged = await stage.run(changed, merge);
    expect(of16(merged)).toMatchObject({ action: "update", code: "kept" });
    expect(of16(merged)?.message).toMatch(/: tags$/);
    expect(recordOn(stack, "dashboards", "Board 16")).toMatchObject({
      tags: ["theirs"],
      filters: [{ name: "Host" }],
    });
  });

  it("is one whose update was cut short, and that shows neither what was sent nor what was there", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    const changed = archive([board(16, { tags: ["new"] })]);
    await runKilled(stack, "after", /^update dashboards$/, () => stage.run(changed, keep));
    changeOn(stack, "dashboards", { tags: ["NEW"] }, "Board 16");
    expect(of16(await stage.run(changed, keep))).toMatchObject({ action: "skip", code: "exists" });
    expect(recordOn(stack, "dashboards", "Board 16")).toMatchObject({ tags: ["NEW"] });
  });
});

describe("a change that only the source has", () => {
  it("is another value of a secret, and not its absence", async () => {
    const text = tileWith(hexId("d", 1), "Notes", {
      displayType: "markdown",
      markdown: "https://u:«redacted:url-credential»@x.test",
    });
    const notes = archive([board(16, { tiles: [text] })]);
    const answered = (value: string) =>
      withSecrets(notes, { [`dashboards/${hexId("a", 16)}`]: { "/tiles/0/config/markdown": value } });
    const stack = usualTarget();
    const stage = importStage(stack);
    expect((await stage.run(notes, { ...keep, secrets: answered("one").secrets })).exitCode).toBe(0);
    expect(of16(await stage.run(notes, keep))).toMatchObject({ action: "unchanged" });
    expect(of16(await stage.run(notes, { ...keep, secrets: answered("two").secrets }))).toMatchObject({
      action: "update",
    });
    expect(JSON.stringify(recordOn(stack, "dashboards", "Board 16"))).toContain("u:two@");
  });

  it("is another transform of the target", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    const run = await stage.run(archive([board(16)]), { ...keep, transforms: { tags: { set: ["new"] } } });
    expect(of16(run)).toMatchObject({ action: "update" });
    expect(recordOn(stack, "dashboards", "Board 16")).toMatchObject({ tags: ["new"] });
  });

  it("is no id of a kind that the target does not list", async () => {
    const { stack, stage } = await stageAfterImport([board(16)], [alertOn(16)]);
    const channel = { type: "webhook", webhookId: hexId("b", 77) };
    changeOn(stack, "alerts", { channel, channels: [channel] }, "Alert 16");
    const { webhooks: _webhooks, ...listed } = Object.fromEntries(
      [...stack.records].map(([kind, bodies]) => [kind, [...bodies.values()]]),
    );
    const unlisting = memoryStack(listed);
    const again = importStage(unlisting);
    again.history.push(...stage.history);
    const mapping = { webhooks: { [hexId("a", 2)]: hexId("b", 2) } };
    const run = await again.run(archive([board(16)], [alertOn(16)]), { ...keep, mapping });
    expect(outcomeOf(run, "Alert 16")).toMatchObject({ action: "skip", code: "edited" });
    expect(writesOn(unlisting)).toEqual([]);
  });
});

describe("an alert of the source on a tile that was removed on the target", () => {
  it.each(["keep", "merge"] as const)(
    "is left out and named under --on-conflict %s, and that is no failure",
    async (onConflict) => {
      const { stack, stage } = await stageAfterImport([two()]);
      const { tiles } = recordOn(stack, "dashboards", "Board 16");
      changeOn(stack, "dashboards", { tiles: (tiles as JsonObject[]).slice(1) }, "Board 16");
      const watching = alert(hexId("a", 40), "On A", two(), archiveIds.webhook);
      const run = await stage.run(archive([two()], [watching]), { ...keep, onConflict });
      expect(outcomeOf(run, "On A")).toMatchObject({ action: "skip", code: "edited" });
      expect(run.exitCode).toBe(0);
    },
  );
});

it("a tile that the source has removed stays in a merge with somebody's alert on it, and all else is merged", async () => {
  const { stack, stage } = await stageAfterImport([two()]);
  addAlertOn(stack, "Board 16");
  const run = await stage.run(archive([board(16, { tiles: [tileOf("B", { y: 3, w: 9 })] })]), merge);
  expect(run.exitCode).toBe(0);
  expect(of16(run)?.message).toMatch(/: tile "A"$/);
  expect(recordsOn(stack, "alerts")).toHaveLength(1);
  expect(widths(stack)).toEqual([6, 9]);
});

describe("--on-conflict fail", () => {
  it("does not fail for a record that is blocked for another reason", async () => {
    const stack = usualTarget();
    const other = dashboard(hexId("a", 17), "Board 17", hexId("a", 99));
    const run = await importStage(stack).run(archive([board(16), other]), { ...keep, onConflict: "fail" });
    expect(outcomeOf(run, "Board 17")).toMatchObject({ action: "blocked", code: "missing-reference" });
    expect(sortedNamesOn(stack)).toEqual(["Board 16"]);
  });
});

describe("--on-conflict overwrite", () => {
  it("overwrites no record of a kind that is only matched or created", async () => {
    const connections = [{ id: hexId("c", 1), name: "Main", host: "http://new:8123", username: "x" }];
    const theirs = [{ id: hexId("c", 2), name: "Main", host: "http://db:8123", username: "reader" }];
    const stack = usualTarget({ connections: theirs });
    const run = await importStage(stack).run(records({ connections, ...dependencies.ours }), {
      ...keep,
      onConflict: "overwrite",
      create: ["connections", "sources", "webhooks"],
    });
    expect(run.outcomes.map(({ action }) => action)).not.toContain("update");
    expect(writesOn(stack)).toEqual([]);
  });
});

describe("what a rollback created again after a mirror", () => {
  /** Lets a mirror delete "Board 16", and a rollback create it again. */
  async function createdAgain() {
    const { stack, stage } = await stageAfterImport([board(16), board(17)]);
    await stage.run(archive([board(17)]), mirror);
    const { entries } = await rollBackJournal(stack, stage.history);
    stage.history.splice(0, Infinity, ...entries);
    expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17"]);
    return { stack, stage };
  }

  it("is nobody's: the next mirror leaves it", async () => {
    const { stack, stage } = await createdAgain();
    await stage.run(archive([board(17)]), mirror);
    expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17"]);
  });

  it("is deleted by a rollback of the run that had created it first", async () => {
    const { stack, stage } = await createdAgain();
    const { exitCode, outcomes } = await rollBackJournal(stack, stage.history, { run: 1 });
    expect([exitCode, outcomes.filter(({ code }) => code === "gone"), sortedNamesOn(stack)]).toEqual([0, [], []]);
  });
});
