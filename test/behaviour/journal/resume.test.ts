import { describe, expect, it } from "vitest";
import { board, fromOtherStack, update, usualTarget } from "../../support/import-samples.ts";
import {
  importStage,
  including,
  writesDuring,
  type ImportStage,
  type JsonObject,
  type RunOptions,
  type StackRecord,
  type StageRun,
} from "../../support/import-stage.ts";
import { instantClock } from "../../support/instant-clock.ts";
import { runNumbers } from "../../support/journal-file.ts";
import { areLinked, isUpdate, killRun } from "../../support/killed-run.ts";
import { failOperation, namesOn, putRecord, refusalError, runKilled } from "../../support/memory-stack.ts";
import { alertOn, archive, linkingBoard, stageAfterImport, type MirrorStage } from "../../support/mirror-stage.ts";
import { changeOn, recordOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import { callSandbox } from "../../support/read-sandbox.ts";
import {
  editJournal,
  isWrite,
  programWithArchive,
  warningCodes,
  watchWrites,
} from "../../support/program-with-archive.ts";
import { foldJournal, readAfter, rollBack, rollBackJournal } from "../../support/rollback-runs.ts";
import { documentOf } from "../../support/run-cli.ts";
import { alert, archiveIds, dashboard, hexId, targetIds, tileWith } from "../../support/stack-records.ts";

const linked = linkingBoard(16, hexId("a", 17));
const busy = alert(hexId("a", 1016), "Alert 16", linked, archiveIds.webhook);
/** Two dashboards that link to each other, one without a link, and two alerts. */
const five = archive([linked, linkingBoard(17, hexId("a", 16)), board(18)], [busy, alertOn(18)]);
const one = archive([board(18)]);

const tagsOn = ({ stack }: MirrorStage): unknown => recordOn(stack, "dashboards", "Board 18")["tags"];

/** Kills an import at its first write. */
async function killed(
  records: readonly StackRecord[],
  moment: "before" | "after",
  stack = usualTarget(),
  options: RunOptions = {},
): Promise<MirrorStage> {
  const stage = importStage(stack);
  await runKilled(stack, moment, /^(?:create|update) /, () => stage.run(records, options));
  return { stack, stage };
}

describe("an import that is killed at a write", () => {
  const kills = [1, 2, 3, 4, 5, 6].flatMap((nth) => [[nth, "before"] as const, [nth, "after"] as const]);

  it.each(kills)(
    "number %i, %s the stack has carried it out, is finished by the next run, or undone as a whole",
    async (nth, moment) => {
      const stack = usualTarget();
      const stage = importStage(stack);
      const run = (): Promise<StageRun> => stage.run(five, { concurrency: 1 });
      const rollBackAll = async (): Promise<void> => {
        expect((await rollBackJournal(stack, stage.history)).exitCode).toBe(0);
        expect([...namesOn(stack), ...namesOn(stack, "alerts")]).toEqual([]);
      };
      const killRun = (): Promise<void> => runKilled(stack, moment, /^(?:create|update) /, run, nth);
      await killRun();
      if (nth > 1 || moment === "after") await rollBackAll();
      stage.history.length = 0;
      await killRun();
      expect((await run()).exitCode).toBe(0);
      expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17", "Board 18"]);
      expect(sortedNamesOn(stack, "alerts")).toEqual(["Alert 16", "Alert 18"]);
      const [one, two] = ["Board 16", "Board 17"].map((name) => recordOn(stack, "dashboards", name));
      expect(JSON.stringify(one)).toContain(two?.id);
      expect(JSON.stringify(two)).toContain(one?.id);
      expect(await writesDuring(stack, run)).toEqual([]);
      await rollBackAll();
    },
  );

  it("and whose journal's last line was cut off with it, is finished and undone by the program, too", async () => {
    await using program = await programWithArchive();
    let writes = 0;
    await killRun(
      program,
      (request) => isWrite(request) && (writes += 1) === 4,
      () => program.import("--concurrency", "1"),
      "after",
    );
    await editJournal(program, (text) => `${text}{"type":"done","at":"20`);
    expect(documentOf(await program.import())).toMatchObject({ exitCode: 0 });
    expect(await sortedNamesOn(program.to)).toEqual(["One", "Three", "Two"]);
    expect(await sortedNamesOn(program.to, "alerts")).toEqual(["Busy", "Quiet"]);
    expect(await areLinked(program)).toBe(true);
    expect(program.entries().at(-1)).toMatchObject({ type: "end" });
    expect(documentOf(await program.import())).toMatchObject({ exitCode: 0, counts: { unchanged: 5 } });
    expect(documentOf(await program.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 5 } });
    expect([...(await sortedNamesOn(program.to)), ...(await sortedNamesOn(program.to, "alerts"))]).toEqual([]);
  });

  it("has a text that mentions its own dashboard completed by the next run with the new id", async () => {
    const config = { displayType: "markdown", markdown: `see ${hexId("a", 16)}` };
    const records = archive([board(16, { tiles: [tileWith(hexId("e", 1), "Notes", config)] }), board(17)]);
    const stack = usualTarget();
    const stage = importStage(stack);
    await runKilled(stack, "before", /^update /, () => stage.run(records));
    await stage.run(records);
    const { id, tiles } = recordOn(stack, "dashboards", "Board 16");
    expect(tiles).toMatchObject([{ config: { markdown: `see ${id}` } }]);
  });

  it("makes the next run wait until lists can show its writes, and doubles nothing", async () => {
    const stack = usualTarget();
    const clock = instantClock();
    const stage = importStage(stack, clock);
    await runKilled(stack, "before", /^update /, () => stage.run(five));
    stack.replaceListed = (kind, bodies) => (kind === "dashboards" ? [] : bodies);
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (ms, signal) => {
      stack.replaceListed = (_, bodies) => bodies;
      await sleep(ms, signal);
    };
    expect((await stage.run(five)).exitCode).toBe(0);
    expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17", "Board 18"]);
  });
});

describe("a create that was killed", () => {
  it("is recorded in the journal by the next run, so that a later change is recognised", async () => {
    const { stack, stage } = await killed(one, "after");
    expect(await writesDuring(stack, () => stage.run(one))).toEqual([]);
    expect(stage.history.filter(({ type }) => type === "done")).toMatchObject([{ write: "create" }]);
    changeOn(stack, "dashboards", { tags: ["later"] });
    expect(await rollBack(stack, stage.history)).toMatchObject([{ name: "Board 18", code: "changed-since" }]);
    expect(await rollBack(stack, stage.history, true)).toMatchObject([{ action: "delete", status: "done" }]);
  });

  it("is undone by deleting the record, also if the next run has updated that", async () => {
    const { stack, stage } = await killed(one, "after");
    changeOn(stack, "dashboards", { tags: ["somebody else"] });
    expect(await writesDuring(stack, () => stage.run(one, update))).toEqual(["update dashboards"]);
    expect(await rollBack(stack, stage.history)).toMatchObject([{ action: "delete", status: "done" }]);
    expect(namesOn(stack)).toEqual([]);
  });

  it("before it was sent is not mistaken for somebody's record of its name, which is neither written nor deleted", async () => {
    const { stack, stage } = await killed(one, "before");
    putRecord(stack, "dashboards", dashboard(hexId("b", 18), "Board 18", targetIds.source, { tags: ["by hand"] }));
    expect(await writesDuring(stack, () => stage.run(one))).toEqual([]);
    const { exitCode, outcomes } = await rollBackJournal(stack, stage.history);
    expect([exitCode, outcomes]).toMatchObject([3, [{ name: "Board 18", code: "changed-since" }]]);
    expect(tagsOn({ stack, stage })).toEqual(["by hand"]);
  });

  it("is not doubled, also if a run in between does not select its record", async () => {
    const records = archive([board(16), board(17)]);
    const { stack, stage } = await killed(records, "after", usualTarget(), { filter: including("Board 16") });
    expect((await stage.run(records, { filter: including("Board 17") })).exitCode).toBe(0);
    expect(foldJournal(stage.history).open).toEqual([]);
    expect((await stage.run(records)).exitCode).toBe(0);
    expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17"]);
    expect(await writesDuring(stack, () => stage.run(records))).toEqual([]);
  });
});

describe("an update that was killed", () => {
  it("still knows what it replaced, which a rollback puts back", async () => {
    const theirs = dashboard(hexId("b", 18), "Board 18", targetIds.source, { tags: ["theirs"] });
    const { stack, stage } = await killed(one, "after", usualTarget({ dashboards: [theirs] }), update);
    expect(tagsOn({ stack, stage })).toEqual([]);
    expect(await writesDuring(stack, () => stage.run(one, update))).toEqual([]);
    expect(await rollBack(stack, stage.history)).toMatchObject([{ action: "update", status: "done" }]);
    expect(tagsOn({ stack, stage })).toEqual(["theirs"]);
  });

  it("has its new tile known to the next run: a person's change of the tile is no new tile", async () => {
    const tiles = ["One", "Two"].map((name, index) => tileWith(hexId("e", index), name, { displayType: "markdown" }));
    const { stack, stage } = await stageAfterImport([board(18, { tiles: tiles.slice(0, 1) })]);
    const added = archive([board(18, { tiles })]);
    await runKilled(stack, "after", /^update /, () => stage.run(added));
    await stage.run(added);
    const stored = recordOn(stack, "dashboards", "Board 18")["tiles"] as JsonObject[];
    const renamed = stored.map((tile) => (tile["name"] === "Two" ? { ...tile, name: "Theirs" } : tile));
    changeOn(stack, "dashboards", { tiles: renamed });
    await stage.run(added, { onConflict: "merge" });
    expect(recordOn(stack, "dashboards", "Board 18")["tiles"]).toMatchObject([{ name: "One" }, { name: "Theirs" }]);
  });
});

describe("an import that was killed, and a source that has changed since", () => {
  const keep = fromOtherStack;
  const louder = { ...alertOn(16), threshold: 7 };

  it("is finished by the next run, which writes the change, and is not named", async () => {
    await using program = await programWithArchive();
    await killRun(program, isUpdate, () => program.run(program.migration()));
    expect(await areLinked(program)).toBe(false);
    for (const name of ["One", "Three"]) await changeOn(program.from, "dashboards", { tags: ["new"] }, name);
    await callSandbox(program.from, "DELETE", `alerts/${(await recordOn(program.from, "alerts", "Quiet")).id}`);
    const run = await program.run(program.migration());
    expect([run.exitCode, warningCodes(run)], run.stdout).toEqual([0, []]);
    expect(await areLinked(program)).toBe(true);
    for (const name of ["One", "Three"])
      expect(await recordOn(program.to, "dashboards", name)).toMatchObject({ tags: ["new"] });
    const writes = watchWrites(program);
    const again = await program.run(program.migration());
    expect([again.exitCode, warningCodes(again), writes]).toEqual([0, [], []]);
  });

  /** Imports a dashboard and its alert, and kills a second import at the alert. @returns the run of a third one */
  async function killedAtAlert(
    stack: MirrorStage["stack"],
    stage: ImportStage,
    second: JsonObject,
    options: RunOptions,
  ) {
    const run = (body: JsonObject, more: RunOptions): Promise<StageRun> => stage.run(archive([body], [louder]), more);
    await runKilled(stack, "before", /^update alerts/, () => run(second, options));
    return run;
  }

  it("has the source's second change written, too", async () => {
    const { stack, stage } = await stageAfterImport([board(16)], [alertOn(16)]);
    const run = await killedAtAlert(stack, stage, board(16, { tags: ["second"] }), keep);
    expect((await run(board(16, { tags: ["third"] }), keep)).exitCode).toBe(0);
    expect(recordOn(stack, "dashboards", "Board 16")).toMatchObject({ tags: ["third"] });
    expect(recordOn(stack, "alerts", "Alert 16")).toMatchObject({ threshold: 7 });
  });

  it("leaves somebody's edit that its merge has left", async () => {
    const { stack, stage } = await stageAfterImport([board(16)], [alertOn(16)]);
    changeOn(stack, "dashboards", { tags: ["theirs"] });
    const wider = (board(16)["tiles"] as JsonObject[]).map((tile) => ({ ...tile, w: 12 }));
    const run = await killedAtAlert(stack, stage, board(16, { tiles: wider }), { ...keep, onConflict: "merge" });
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tags: ["theirs"], tiles: [{ w: 12 }] }]);
    for (const [onConflict, name] of [
      ["keep", "Board 16"],
      ["merge", "Third"],
    ] as const) {
      expect((await run(board(16, { tiles: wider, name: "Third" }), { ...keep, onConflict })).exitCode).toBe(0);
      expect(recordsOn(stack, "dashboards")).toMatchObject([{ name, tags: ["theirs"] }]);
    }
  });
});

describe("an import that the stack refuses", () => {
  const refused = async (code: "rejected" | "unauthorized", only?: number) => {
    const stack = usualTarget();
    const stage = importStage(stack);
    failOperation(stack, "create alerts", () => refusalError(code, "no"), only);
    const run = await stage.run(five);
    stack.intercept = () => {};
    return { stack, stage, run };
  };

  it("as a whole has no end in the journal: the next run goes on under its number with what was not sent", async () => {
    const { stack, stage, run } = await refused("unauthorized");
    expect([run.exitCode, run.stopped?.code]).toEqual([5, "unauthorized"]);
    const made = namesOn(stack).length;
    expect(made).toBeGreaterThan(0);
    expect(stage.history.map(({ type }) => type)).not.toContain("end");
    const writes = await writesDuring(stack, async () => expect((await stage.run(five)).exitCode).toBe(0));
    expect(writes.filter((write) => write === "create dashboards")).toHaveLength(3 - made);
    expect(writes.filter((write) => write === "create alerts")).toHaveLength(2);
    expect([runNumbers(stage.history), stage.history.at(-1)?.type]).toEqual([[1, 1], "end"]);
  });

  it("in one record has that and an end in the journal: the next run does not wait, and creates the record", async () => {
    const { stack, stage, run } = await refused("rejected", 1);
    expect(run.exitCode).toBe(3);
    const refusals = stage.history.flatMap((entry) => (entry.type === "refused" ? [entry] : []));
    expect(refusals).toMatchObject([{ write: "create", code: "rejected" }]);
    const [{ key } = { key: "alerts/none" as const }] = refusals;
    expect(stage.history.filter((entry) => entry.type === "done" && entry.key === key)).toEqual([]);
    expect(stage.history.at(-1)).toMatchObject({ type: "end" });
    const { open, runs, bases } = foldJournal(stage.history);
    expect([open, runs.map(({ isCutShort }) => isCutShort), bases.has(key)]).toEqual([[], [false], false]);
    expect((await readAfter(stack, stage.history, stage.clock)).waitedMs).toBe(0);
    const writes = await writesDuring(stack, async () => expect((await stage.run(five)).exitCode).toBe(0));
    expect(writes).toEqual(["create alerts"]);
    expect(stage.history.at(-1)).toMatchObject({ type: "end" });
  });
});
