import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { changeOn, recordOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import {
  importStage,
  including,
  outcomeOf,
  withSecrets,
  writesDuring,
  writesOn,
  type ImportStage,
  type JsonObject,
  type RunOptions,
} from "../../support/import-stage.ts";
import { memoryStack, runKilled } from "../../support/memory-stack.ts";
import { addAlertOn, alertOn, archive, stageAfterImport, mirror } from "../../support/mirror-stage.ts";
import { rollBack } from "../../support/rollback-runs.ts";
import { foldJournal } from "../../../src/journal/fold.ts";
import { board, dependencies, fromOtherStack, usualTarget } from "../../support/import-samples.ts";
import { documentOf } from "../../support/run-cli.ts";
import {
  programAfterApply,
  editFile,
  outcomesOf,
  programWithArchive,
  programWithFiles,
} from "../../support/program-with-archive.ts";
import { alert, dashboard, hexId, records, tileWith, archiveIds, targetIds } from "../../support/stack-records.ts";

// What imports remember of a record, and what follows in later runs.

const keep = fromOtherStack;
const merge: RunOptions = { ...keep, onConflict: "merge" };
const config = { displayType: "line", sourceId: archiveIds.source, select: [{ aggFn: "count" }] };
const tileOf = (letter: string, more: JsonObject = {}): JsonObject =>
  tileWith(hexId("d", letter.charCodeAt(0)), letter, config, more);
const two = (a: JsonObject = {}, b: JsonObject = {}): JsonObject =>
  board(16, { tiles: [tileOf("A", a), tileOf("B", { y: 3, ...b })] });
const of16 = (run: Awaited<ReturnType<ImportStage["run"]>>) => outcomeOf(run, "Board 16");

/** Changes the width of one tile of the target's dashboard. */
function widen(stack: ReturnType<typeof usualTarget>, name: string, w: number): void {
  const { tiles } = recordOn(stack, "dashboards", "Board 16");
  const edited = (tiles as JsonObject[]).map((each) => (each["name"] === name ? { ...each, w } : each));
  changeOn(stack, "dashboards", { tiles: edited }, "Board 16");
}

const widthsOf = ({ tiles }: JsonObject): unknown[] => (tiles as JsonObject[]).map(({ w }) => w);
const widths = (stack: ReturnType<typeof usualTarget>): unknown[] =>
  widthsOf(recordOn(stack, "dashboards", "Board 16"));

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
    const listed = Object.entries(Object.fromEntries(stack.records)).filter(([kind]) => kind !== "webhooks");
    const unlisting = memoryStack(Object.fromEntries(listed.map(([kind, bodies]) => [kind, [...bodies.values()]])));
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

it("a create that was cut short is not doubled, also if a run in between does not select it", async () => {
  const stack = usualTarget();
  const stage = importStage(stack);
  const both = archive([board(16), board(17)]);
  const of16Alone = { ...keep, filter: including("Board 16") };
  await runKilled(stack, "after", /^create dashboards$/, () => stage.run(both, of16Alone));
  expect((await stage.run(both, { ...keep, filter: including("Board 17") })).exitCode).toBe(0);
  expect(foldJournal(stage.history).open).toEqual([]);
  expect((await stage.run(both, keep)).exitCode).toBe(0);
  expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17"]);
  expect(await writesDuring(stack, () => stage.run(both, keep))).toEqual([]);
});

describe("what a rollback created again after a mirror", () => {
  it("is nobody's: the next mirror leaves it", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)]);
    await stage.run(archive([board(17)]), mirror);
    const journal = [...stage.history];
    await rollBack(stack, journal);
    stage.history.splice(0, stage.history.length, ...journal);
    expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17"]);
    await stage.run(archive([board(17)]), mirror);
    expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17"]);
  });

  it("is deleted by a rollback of the run that had created it first", async () => {
    await using program = await programWithArchive();
    expect((await program.run(program.migration("--yes"))).exitCode).toBe(0);
    const { id } = await recordOn(program.from, "dashboards", "Three");
    await fetch(`${program.from.url}/api/v2/dashboards/${id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${program.from.apiKey ?? ""}` },
    });
    expect((await program.run(program.migration("--yes", "--mirror", "--max-delete", "9"))).exitCode).toBe(0);
    expect((await program.rollback("--run", "2")).exitCode).toBe(0);
    const first = await program.rollback("--run", "1");
    expect(first.exitCode, first.stdout).toBe(0);
    expect(outcomesOf(first).filter(({ code }) => code === "gone")).toEqual([]);
  });
});

describe("files", () => {
  it("keep the ids of tiles, and so their alerts, when a tile is inserted on top", async () => {
    await using program = await programAfterApply();
    const before = await recordOn(program.to, "dashboards", "Three");
    const path = join(program.cwd, "files/dashboards/three.yaml");
    const file = parse(await readFile(path, "utf8")) as { tiles: JsonObject[] };
    const [tile = {}] = file.tiles;
    await writeFile(
      path,
      stringify({
        ...file,
        tiles: [
          { ...tile, name: "On top" },
          { ...tile, y: 3 },
        ],
      }),
    );
    const run = await program.apply();
    expect(run.exitCode, JSON.stringify(outcomesOf(run))).toBe(0);
    const after = await recordOn(program.to, "dashboards", "Three");
    const idOfRequests = (body: JsonObject): unknown =>
      (body["tiles"] as JsonObject[]).find(({ name }) => name === "Requests")?.["id"];
    expect((after["tiles"] as JsonObject[]).map(({ name }) => String(name)).toSorted()).toEqual(["On top", "Requests"]);
    expect(idOfRequests(after)).toBe(idOfRequests(before));
    expect((await recordOn(program.to, "alerts", "Quiet"))["tileId"]).toBe(idOfRequests(before));
  });

  it("of a stack are ours once an apply has written the record, and then a mirror deletes it without its file", async () => {
    await using program = await programWithFiles();
    const apply = (...more: string[]) =>
      program.run(["apply", "files", "--to", program.from.stack, "--yes", ...more], {
        env: { STACKFERRY_TO_API_KEY: program.from.apiKey ?? "" },
      });
    expect(documentOf(await apply())).toMatchObject({ exitCode: 0, counts: { unchanged: 5 } });
    await editFile(program, "dashboards/three.yaml", "kept", "other");
    await editFile(program, "alerts/quiet.yaml", "threshold: 10", "threshold: 11");
    expect(documentOf(await apply())).toMatchObject({ exitCode: 0, counts: { update: 2 } });
    for (const file of ["dashboards/three.yaml", "alerts/quiet.yaml", "alerts/busy.yaml"]) {
      await rm(join(program.cwd, "files", file));
    }
    const run = await apply("--mirror", "--max-delete", "9");
    const ends = new Map(outcomesOf(run).map(({ name, action }) => [name, action]));
    expect([ends.get("Three"), ends.get("Quiet")]).toEqual(["delete", "delete"]);
    // No import has written this alert: all that ever happened to it was to be found equal.
    expect((await recordOn(program.from, "alerts", "Busy")).name).toBe("Busy");
  });

  it("end with 3 where a record is kept, an import with 0", async () => {
    await using program = await programAfterApply();
    await changeOn(program.to, "dashboards", { tags: ["theirs"] }, "Three");
    expect((await program.apply("--on-conflict", "keep")).exitCode).toBe(3);
    expect((await program.import("--yes")).exitCode).toBe(0);
  });
});
