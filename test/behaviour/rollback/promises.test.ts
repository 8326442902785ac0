import { describe, expect, it } from "vitest";
import { foldJournal } from "../../../src/journal/fold.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import {
  importStage,
  outcomeLines,
  outcomeOf,
  writesDuring,
  type ImportStage,
  type JsonObject,
  type StackRecord,
} from "../../support/import-stage.ts";
import { namesOn, putRecord, type MemoryStack } from "../../support/memory-stack.ts";
import { board, dependencies, fromOtherStack, update, usualTarget } from "../../support/import-samples.ts";
import {
  contentOf,
  killRollback,
  rollBackJournal,
  planRollbackOf,
  type JournalEntry,
} from "../../support/rollback-runs.ts";
import { documentOf, runCli } from "../../support/run-cli.ts";
import {
  programAfterImport,
  journalsIn,
  outcomesOf,
  passThrough,
  refuseRoute,
  watchWrites,
} from "../../support/program-with-archive.ts";
import { alert, dashboard, hexId, records, tileWith } from "../../support/stack-records.ts";

// What design.md promises of a rollback: it is a run of the journal, which leaves what was there.

const theirs = dashboard(hexId("b", 18), "Board 18", hexId("b", 1), { tags: ["theirs"] });
const boards = [16, 17, 18].map((number) => board(number, { tags: ["ours"] }));
const alerts = boards
  .slice(0, 2)
  .map((on, index) => alert(hexId("a", 32 + index), `Alert ${index}`, on, hexId("a", 2)));
const archive = records({ dashboards: boards, alerts, ...dependencies.ours });
const options = { ...update, ...fromOtherStack };

/** Returns what a stack has, without the ids that each create makes anew. */
function contentsOf(stack: MemoryStack): string[] {
  const without = (key: string, value: unknown): unknown =>
    /^(?:id|dashboardId|tileId)$/.test(key) ? undefined : value;
  return ["dashboards", "alerts"]
    .flatMap((kind) =>
      recordsOn(stack, kind).map((body) => {
        const content = JSON.parse(JSON.stringify(body, without)) as JsonObject;
        return `${String(body["name"])} ${contentOf(kind, content)}`;
      }),
    )
    .toSorted();
}

async function imported(): Promise<{ readonly stack: MemoryStack; readonly stage: ImportStage }> {
  const stack = usualTarget({ dashboards: [theirs] });
  const stage = importStage(stack);
  expect((await stage.run(archive, options)).exitCode).toBe(0);
  return { stack, stage };
}

const runsIn = (entries: readonly JournalEntry[]): string[] =>
  foldJournal(entries).runs.map(
    ({ number, undoes = 0, isCutShort }) => `${number} undoes ${undoes}${isCutShort ? " cut short" : ""}`,
  );

/** Appends to the stage's journal what a rollback of a run has added to it. */
async function undo(stack: MemoryStack, stage: ImportStage, run: number): Promise<number> {
  const { entries, exitCode } = await rollBackJournal(stack, stage.history, { run });
  stage.history.push(...entries.slice(stage.history.length), { type: "end", at: LATER });
  return exitCode;
}

const LATER = "2026-01-01T00:00:00.000Z";

it("a rollback forgets what the undone run had seen of a record before it wrote the record", async () => {
  const { stack, stage } = await imported();
  const known = (): boolean => foldJournal(stage.history).bases.has(`dashboards/${hexId("a", 18)}`);
  expect(known()).toBe(true);
  await undo(stack, stage, 1);
  expect(known()).toBe(false);
});

describe("the rollback of a rollback", () => {
  it("leads back to what the import had written, and the next one back again", async () => {
    const { stack, stage } = await imported();
    const written = contentsOf(stack);
    expect(await undo(stack, stage, 1)).toBe(0);
    expect(recordsOn(stack, "dashboards")).toMatchObject([theirs]);
    expect(namesOn(stack, "alerts")).toEqual([]);
    const before = contentsOf(stack);
    expect(await undo(stack, stage, 2)).toBe(0);
    expect(contentsOf(stack)).toEqual(written);
    expect(await undo(stack, stage, 3)).toBe(0);
    expect(contentsOf(stack)).toEqual(before);
    expect(runsIn(stage.history)).toEqual(["1 undoes 0", "2 undoes 1", "3 undoes 2", "4 undoes 3"]);
  });

  it("leaves nothing to write for the next import, and the import can still be undone by its number", async () => {
    const { stack, stage } = await imported();
    await undo(stack, stage, 1);
    await undo(stack, stage, 2);
    expect(await writesDuring(stack, () => stage.run(archive, options))).toEqual([]);
    expect(await undo(stack, stage, 1)).toBe(0);
    expect(recordsOn(stack, "dashboards")).toMatchObject([theirs]);
    expect(namesOn(stack, "alerts")).toEqual([]);
  });

  it("takes the number of the rollback on the command line", async () => {
    await using program = await programAfterImport();
    const names = async () => (await recordsOn(program.to, "dashboards")).map(({ name }) => name).toSorted();
    const before = await names();
    expect(documentOf(await program.rollback("--run", "1"))).toMatchObject({ exitCode: 0, counts: { delete: 5 } });
    expect(await names()).toEqual([]);
    expect(documentOf(await program.rollback("--run", "2"))).toMatchObject({
      exitCode: 0,
      counts: { create: 5 },
      undoes: 2,
    });
    expect(await names()).toEqual(before);
  });
});

describe("a rollback that was interrupted", () => {
  it.each([1, 2, 3, 4, 5].flatMap((at) => [["before", at] as const, ["after", at] as const]))(
    "%s write %i is finished by the next, which is the same run",
    async (moment, at) => {
      const { stack, stage } = await imported();
      const killed = await killRollback({ stack, entries: stage.history }, moment, at);
      // Without --run, the next one finishes it.
      const { exitCode, entries } = await rollBackJournal(stack, killed);
      expect(exitCode).toBe(0);
      expect(recordsOn(stack, "dashboards")).toMatchObject([theirs]);
      expect(namesOn(stack, "alerts")).toEqual([]);
      expect(runsIn(entries).map((line) => line.replace(" cut short", ""))).toEqual(["1 undoes 0", "2 undoes 1"]);
      expect(await planRollbackOf(stack, entries)).toEqual([]);
    },
  );

  it("is finished on the command line without its number, even if its first request was its last", async () => {
    await using program = await programAfterImport();
    const refused = ["DELETE alerts/{id}", "DELETE dashboards/{id}"];
    for (const route of refused) {
      refuseRoute(program, route, 401);
      expect((await program.rollback()).exitCode).toBe(5);
    }
    program.watch = passThrough;
    const terminal = { columns: 80, answers: ["yes"] };
    const run = documentOf(await program.run(["rollback", "--to", program.to.stack], { terminal }));
    expect(run).toMatchObject({ exitCode: 0, undoes: 1 });
    expect(await recordsOn(program.to, "dashboards")).toEqual([]);
    const begun = program.entries().filter(({ type }) => type === "begin");
    expect(begun.map(({ run: number }) => number)).toEqual([1, 2, 2, 2]);
  });

  it("leads back whole, once it is finished and undone itself", async () => {
    const { stack, stage } = await imported();
    const written = contentsOf(stack);
    const killed = await killRollback({ stack, entries: stage.history }, "after", 3);
    const { entries } = await rollBackJournal(stack, killed);
    const back = await rollBackJournal(stack, [...entries, { type: "end", at: LATER }], { run: 2 });
    expect(back.exitCode).toBe(0);
    expect(contentsOf(stack)).toEqual(written);
  });

  it("is finished before another import is undone by default", async () => {
    const { stack, stage } = await imported();
    await stage.run(
      archive.map((record) =>
        record.id === hexId("a", 16) ? { ...record, body: { ...record.body, tags: ["newer"] } } : record,
      ),
      options,
    );
    const killed = await killRollback({ stack, entries: stage.history }, "before", 1, { run: 1 });
    await rollBackJournal(stack, killed);
    // Run 2 wrote Board 16 later, so that stays; run 2 itself is not undone.
    expect(namesOn(stack)).not.toContain("Board 17");
    expect(recordOn(stack, "dashboards", "Board 16")).toMatchObject({ tags: ["newer"] });
  });
});

describe("the rollback of a merge", () => {
  const tile = (letter: "a" | "b", number: number, name: string): JsonObject =>
    tileWith(hexId(letter === "a" ? "d" : "e", number), name, { displayType: "line", sourceId: hexId(letter, 1) });
  const merge = { onConflict: "merge", ...fromOtherStack } as const;
  const version = (first: string, more: JsonObject = {}): StackRecord[] =>
    records({
      dashboards: [board(16, { tiles: [tile("a", 1, first), tile("a", 2, "Second")], ...more })],
      ...dependencies.ours,
    });
  const tilesOn = (stack: MemoryStack): { name: string }[] =>
    recordOn(stack, "dashboards", "Board 16")["tiles"] as never;
  const renameTile = (stack: MemoryStack, from: string, name: string): void =>
    changeOn(stack, "dashboards", {
      tiles: tilesOn(stack).map((each) => (each.name === from ? { ...each, name } : each)),
    });
  const shownOn = (stack: MemoryStack) => [
    ...tilesOn(stack).map(({ name }) => name),
    recordOn(stack, "dashboards", "Board 16")["tags"],
  ];

  it("leaves the base: the next merge keeps a person's edits and brings the source's", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
    await stage.run(version("First"), merge);
    changeOn(stack, "dashboards", { tags: ["person"] });
    await stage.run(version("Source"), merge);
    expect(shownOn(stack)).toEqual(["Source", "Second", ["person"]]);
    expect(await undo(stack, stage, 2)).toBe(0);
    expect(shownOn(stack)).toEqual(["First", "Second", ["person"]]);
    renameTile(stack, "Second", "Person");
    const run = await stage.run(version("Source again"), merge);
    expect(outcomeOf(run, "Board 16")).toMatchObject({ action: "update", code: "kept" });
    expect(shownOn(stack)).toEqual(["Source again", "Person", ["person"]]);
    expect(await writesDuring(stack, () => stage.run(version("Source again"), merge))).toEqual([]);
  });

  it.each([
    ["merge", "Source again"],
    ["keep", "First"],
  ] as const)("lets no run overwrite an edit from before the merge (%s)", async (onConflict, first) => {
    const stack = usualTarget();
    const stage = importStage(stack);
    await stage.run(version("First"), merge);
    changeOn(stack, "dashboards", { tags: ["person"] });
    await stage.run(version("Source"), merge);
    await undo(stack, stage, 2);
    await stage.run(version("Source again"), { ...merge, onConflict });
    expect(shownOn(stack)).toEqual([first, "Second", ["person"]]);
  });
});

describe("the rollback of a run that removed a tile", () => {
  const tile = (number: number, name: string): JsonObject =>
    tileWith(hexId("d", number), name, { displayType: "line", sourceId: hexId("a", 1) });
  const version = (...names: readonly string[]): StackRecord[] =>
    records({
      dashboards: [board(16, { tiles: names.map((name, index) => tile(index, name)) })],
      ...dependencies.ours,
    });
  const tilesOn = (stack: MemoryStack): { id: string; name: string }[] =>
    recordOn(stack, "dashboards", "Board 16")["tiles"] as never;

  async function removed(): Promise<{ readonly stack: MemoryStack; readonly stage: ImportStage }> {
    const stack = usualTarget();
    const stage = importStage(stack);
    await stage.run(version("First", "Second"), options);
    await stage.run(version("First"), options);
    expect(tilesOn(stack).map(({ name }) => name)).toEqual(["First"]);
    return { stack, stage };
  }

  it.each([undefined, "before", "after"] as const)(
    "leaves the base, also if it is killed (%s its write): the next import removes the tile again",
    async (moment) => {
      const { stack, stage } = await removed();
      if (moment !== undefined) {
        const entries = await killRollback({ stack, entries: stage.history }, moment, 1, { run: 2 });
        stage.history.splice(0, stage.history.length, ...entries);
      }
      expect(await undo(stack, stage, 2)).toBe(0);
      expect(tilesOn(stack).map(({ name }) => name)).toEqual(["First", "Second"]);
      const run = await stage.run(version("First"), { ...options, onConflict: "keep" });
      expect(outcomeLines(run.outcomes.filter(({ kind }) => kind === "dashboards"))).toEqual(["Board 16 update done"]);
      expect(tilesOn(stack).map(({ name }) => name)).toEqual(["First"]);
    },
  );

  it("takes the tile for put back, even by force, where somebody has made it again: its alert stays", async () => {
    const { stack, stage } = await removed();
    const again = { ...tile(7, "Second"), config: { displayType: "line", sourceId: hexId("b", 1) } };
    changeOn(stack, "dashboards", { tiles: [...tilesOn(stack), again] });
    const { id } = recordOn(stack, "dashboards", "Board 16");
    const alerted = alert(hexId("b", 32), "Theirs", { id, tiles: [again] }, hexId("b", 2));
    putRecord(stack, "alerts", alerted);
    const { outcomes, exitCode } = await rollBackJournal(stack, stage.history, { run: 2, force: true });
    expect([outcomeLines(outcomes), exitCode]).toEqual([["Board 16 skip done put-back"], 0]);
    expect(namesOn(stack, "alerts")).toEqual(["Theirs"]);
  });
});

describe("an image with a secret", () => {
  const TOKEN = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
  const query = (secret: string): string => `token=${secret}`;
  const secretBoard = dashboard(hexId("b", 16), "Board 16", hexId("b", 1), {
    tags: ["theirs"],
    savedQuery: query(TOKEN),
  });
  const run = async (savedQuery: string) => {
    const stack = usualTarget({ dashboards: [secretBoard] });
    const stage = importStage(stack);
    const ours = board(16, { tags: ["ours"], savedQuery });
    await stage.run(records({ dashboards: [ours], ...dependencies.ours }), options);
    expect(recordOn(stack, "dashboards", "Board 16")).toMatchObject({ tags: ["ours"], savedQuery });
    expect(JSON.stringify(stage.history)).not.toContain(TOKEN);
    return { stack, ...(await rollBackJournal(stack, stage.history)) };
  };

  it("is put back with the secret, where the run left that as it was", async () => {
    const { stack, outcomes, exitCode } = await run(query(TOKEN));
    expect([outcomeLines(outcomes), exitCode]).toEqual([["Board 16 update done"], 0]);
    expect(recordOn(stack, "dashboards", "Board 16")).toMatchObject({ tags: ["theirs"], savedQuery: query(TOKEN) });
  });

  it("is left where the run has replaced the secret, and the record is named", async () => {
    const other = query(TOKEN.replace("0123", "9876"));
    const { stack, outcomes, exitCode } = await run(other);
    expect([outcomeLines(outcomes), exitCode]).toEqual([["Board 16 skip done redacted"], 3]);
    expect(recordOn(stack, "dashboards", "Board 16")).toMatchObject({ tags: ["ours"], savedQuery: other });
  });
});

describe("a run that is undone already", () => {
  it("is said to be, and nothing is written, to the stack or to the journal", async () => {
    await using program = await programAfterImport();
    expect((await program.rollback()).exitCode).toBe(0);
    const [entries, writes] = [program.entries(), watchWrites(program)];
    const { cwd, env } = program;
    for (const more of [[], ["--force"]]) {
      const words = ["rollback", "--to", program.to.stack, "--run", "1", "--yes", ...more];
      const { exitCode, stdout } = await runCli(words, { cwd, env });
      expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/run 1 is undone already/i)]);
    }
    expect([program.entries(), writes]).toEqual([entries, []]);
  });
});

describe("the runs of two journals of one target", () => {
  it("have numbers of their own, and each is undone by its number", async () => {
    await using program = await programAfterImport();
    await program.writeFiles();
    await changeOn(program.to, "alerts", { threshold: 99 }, "Busy");
    const applied = documentOf(await program.apply());
    expect(applied).toMatchObject({ exitCode: 0, run: 2 });
    expect(documentOf(await program.import("--name-prefix", "copy of "))).toMatchObject({ exitCode: 0, run: 3 });
    expect(journalsIn(program.cwd)).toHaveLength(3);
    const list = async () =>
      (documentOf(await program.rollback("--list"))["runs"] as { number: number; undoes?: number }[]).map(
        ({ number, undoes }) => [number, undoes],
      );
    expect(await list()).toEqual([
      [1, undefined],
      [2, undefined],
      [3, undefined],
    ]);
    expect(documentOf(await program.rollback("--run", "3"))).toMatchObject({
      exitCode: 0,
      counts: { delete: 5 },
      undoes: 3,
    });
    expect(documentOf(await program.rollback("--run", "2"))).toMatchObject({
      exitCode: 0,
      counts: { update: 1 },
      undoes: 2,
    });
    expect((await list()).map(([number]) => number)).toEqual([1, 2, 3, 4, 5]);
    const busy = (await recordsOn(program.to, "alerts")).find(({ name }) => name === "Busy");
    expect(busy).toMatchObject({ threshold: 99 });
    const last = await program.rollback("--run", "1");
    expect(outcomesOf(last).find(({ name }) => name === "Busy")).toMatchObject({
      action: "skip",
      code: "changed-since",
    });
  });

  it("have numbers of their own also where a run has only looked and wrote nothing", async () => {
    await using program = await programAfterImport();
    await program.writeFiles();
    expect(documentOf(await program.apply())).toMatchObject({ exitCode: 0, counts: { unchanged: 5 }, run: 2 });
    expect((await program.rollback("--run", "1")).exitCode).toBe(0);
    const { runs } = documentOf(await program.rollback("--list")) as { runs: { number: number }[] };
    expect(runs.map(({ number }) => number)).toEqual([1, 3]);
  });
});
