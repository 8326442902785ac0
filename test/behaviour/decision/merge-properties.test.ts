import fc from "fast-check";
import { expect, it } from "vitest";
import { fromOtherStack } from "../../support/import-samples.ts";
import { writesDuring, type JournalEntry, type JsonObject } from "../../support/import-stage.ts";
import { putRecord, unreachableError } from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { alert, hexId } from "../../support/stack-records.ts";
import { propertyRuns } from "../../support/tries.ts";
import { type MergeStage, conflictsOf, hook, imported, tile } from "./merge-stage.ts";

/** What one side does to a tile. */
type Op = "none" | "change" | "remove";
const names = ["A", "B", "C", "D"] as const;
const four = names.map((name) => tile(name));
const op = fc.constantFrom<Op>("none", "none", "change", "remove");
const ops = fc.tuple(op, op, op, op);

/** Returns the tiles after the edits of one side: a changed tile has that side's version, and one tile is added. */
function editedTiles(made: readonly Op[], side: string): JsonObject[] {
  const remaining = names.flatMap((name, at) =>
    made[at] === "remove" ? [] : [tile(name, made[at] === "change" ? side : "1")],
  );
  return [...remaining, tile(side === "ours" ? "M" : "N", side)];
}

/** Makes the edits of one side on the stack, where tiles have ids of their own. */
function editStack(board: MergeStage, made: readonly Op[], side: string): void {
  board.retile((tiles) => {
    const ids = new Map(tiles.map(({ name, id }) => [name, id]));
    return editedTiles(made, side).map((each) => ({ ...each, id: ids.get(each["name"]) ?? hexId("e", 77) }));
  });
}

/** Creates an alert on the stack's tile with this name, as another user would. */
function watch(board: MergeStage, name: string): void {
  const on = { ...board.body(), tiles: board.tiles().filter((each) => each["name"] === name) };
  putRecord(board.stack, "alerts", alert(hexId("a", 40 + name.charCodeAt(0)), `On ${name}`, on, hook));
}

/** Returns the version of a tile that a merge must choose, and whether the merge must name the tile. */
function expected(here: Op, there: Op, isWatched: boolean): [version: string | undefined, named: boolean] {
  if (there === "change") return ["theirs", true];
  if (there === "remove") return [undefined, here !== "remove"];
  if (here === "change") return ["ours", false];
  if (here === "none") return ["1", false];
  return isWatched ? ["1", true] : [undefined, false];
}

it("any edits of both sides come to what each tile's two edits say, and no tile with an alert is lost", async () => {
  await fc.assert(
    fc.asyncProperty(ops, ops, fc.subarray([...names]), fc.boolean(), async (here, there, watchable, isElsewhere) => {
      const options = isElsewhere ? fromOtherStack : {};
      const board = await imported(four, options);
      editStack(board, there, "theirs");
      const watched = watchable.filter((name) => there[names.indexOf(name)] !== "remove");
      for (const name of watched) watch(board, name);
      const run = await board.run(editedTiles(here, "ours"), options);
      const [named, now] = [conflictsOf(run), board.versions()];
      names.forEach((name, at) => {
        const [version, isNamed] = expected(here[at] ?? "none", there[at] ?? "none", watched.includes(name));
        expect([name, now[name], named.includes(`tile "${name}"`)]).toEqual([name, version, isNamed]);
      });
      expect([now["M"], now["N"]]).toEqual(["ours", "theirs"]);
      const ids = new Set(board.tiles().map(({ id }) => id));
      for (const each of recordsOn(board.stack, "alerts")) expect(ids.has(each["tileId"] as string)).toBe(true);
      expect(recordsOn(board.stack, "alerts")).toHaveLength(watched.length);
      const again = await writesDuring(board.stack, () => board.run(editedTiles(here, "ours"), options));
      expect([again, board.versions()]).toEqual([[], now]);
    }),
    propertyRuns(30),
  );
});

it.each(["before the write", "after the write", "before its line is written"])(
  "a merge that was killed %s is finished by the next run: no tile is lost or doubled",
  async (moment) => {
    await fc.assert(
      fc.asyncProperty(ops, ops, async (here, there) => {
        const board = await imported(four);
        editStack(board, there, "theirs");
        let journal: JournalEntry[] | undefined;
        const die = (operation: string): void => {
          if (operation !== "update dashboards" || journal !== undefined) return;
          journal = [...board.stage.history];
          throw unreachableError();
        };
        if (moment === "before the write") board.stack.intercept = die;
        if (moment === "after the write") board.stack.interceptAfter = die;
        await board.run(editedTiles(here, "ours"));
        board.stage.history.splice(0, board.stage.history.length, ...(journal ?? board.stage.history));
        const run = await board.run(editedTiles(here, "ours"));
        const now = board.versions();
        const wanted = names.map((_, at) => expected(here[at] ?? "none", there[at] ?? "none", false)[0]);
        expect(names.map((name) => now[name])).toEqual(wanted);
        expect([run.exitCode, now["M"], now["N"]]).toEqual([0, "ours", "theirs"]);
        expect(board.tiles()).toHaveLength(Object.keys(now).length);
      }),
      propertyRuns(8),
    );
  },
);

it("edits of different tiles commute", async () => {
  await fc.assert(
    fc.asyncProperty(ops, fc.tuple(...names.map(() => fc.boolean())), async (all, isOurs) => {
      const ours = all.map((each, at): Op => (isOurs[at] ? each : "none"));
      const theirs = all.map((each, at): Op => (isOurs[at] ? "none" : each));
      const merged = async (here: readonly Op[], side: string, there: readonly Op[], other: string) => {
        const board = await imported(four);
        editStack(board, there, other);
        const named = conflictsOf(await board.run(editedTiles(here, side)));
        expect(names.filter((name, at) => here[at] !== "none" && named.includes(`tile "${name}"`))).toEqual([]);
        return board.versions();
      };
      expect(await merged(ours, "ours", theirs, "theirs")).toEqual(await merged(theirs, "theirs", ours, "ours"));
    }),
    propertyRuns(12),
  );
});
