import { describe, expect, it } from "vitest";
import { draftedFor } from "../../support/drafted-secrets.ts";
import { outcomeOf, writesDuring, writesOn, type JsonObject } from "../../support/import-stage.ts";
import { changeOn } from "../../support/on-stack.ts";
import { hexId, linkingTable, tileWith } from "../../support/stack-records.ts";
import {
  type MergeStage,
  archive,
  boardId,
  conflictsOf,
  decisionOf,
  imported,
  logs,
  mergeStage,
  overview,
  three,
  tile,
  versionOf,
} from "./merge-stage.ts";

describe("a dashboard that both sides have changed", () => {
  it("gets the parts that only one side has changed, and the others are named", async () => {
    const board = await imported(three, { members: { tags: ["one"] } });
    board.setVersion("A", "theirs");
    const filters = [{ id: hexId("e", 1), name: "env", expression: "env", sourceId: logs }];
    changeOn(board.stack, "dashboards", { filters }, "Overview");
    const changed = [tile("A"), tile("B", "ours"), tile("C"), tile("D")];
    const run = await board.run(changed, { members: { tags: ["two"] } });
    expect([run.exitCode, conflictsOf(run)]).toEqual([0, ['tile "A"', 'filter "env"']]);
    expect(run.plan.items[0]?.since?.target).toEqual(['tile "A"', 'filter "env"']);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update", code: "kept", status: "done" });
    expect(outcomeOf(run, "Overview")?.message).toMatch(/: tile "A", filter "env"$/);
    expect(board.versions()).toEqual({ A: "theirs", B: "ours", C: "1", D: "1" });
    expect(board.body()).toMatchObject({ tags: ["two"], filters: [{ name: "env" }] });
    expect(decisionOf(await board.run(changed, { members: { tags: ["two"] } }))).toBe("skip edited");
  });

  it("does not name a part that the server stores in another form, and that nobody has changed", async () => {
    const board = mergeStage();
    board.stack.replaceStored = (operation, body) =>
      operation.endsWith("dashboards") ? { ...body, tags: ["form"] } : body;
    const members = { tags: ["one"] };
    await board.run(three, { members });
    board.setVersion("A", "theirs");
    const changed = [tile("A"), tile("B", "ours"), tile("C")];
    expect(conflictsOf(await board.run(changed, { members }))).toEqual(['tile "A"']);
    board.setVersion("A", "1");
    const again = async (): Promise<void> =>
      expect(decisionOf(await board.run(changed, { members }))).toBe("unchanged");
    expect([await writesDuring(board.stack, again), board.body()["tags"]]).toEqual([[], ["form"]]);
  });

  it.each<[string, (board: MergeStage) => void, JsonObject[], string[], Record<string, string>]>([
    [
      "keeps the target's side of a tile that both have changed, which is named",
      (board) => board.setVersion("A", "theirs"),
      [tile("A", "ours"), tile("B", "ours"), tile("C")],
      ['tile "A"'],
      { A: "theirs", B: "ours", C: "1" },
    ],
    [
      "leaves a tile removed that the target has removed, and names it where the archive has changed it",
      (board) => board.retile((tiles) => tiles.slice(2)),
      [tile("A"), tile("B", "ours"), tile("C", "ours")],
      ['tile "A"', 'tile "B"'],
      { C: "ours" },
    ],
  ])("%s, again and again", async (_, edit, tiles, conflicts, left) => {
    const board = await imported();
    edit(board);
    expect(conflictsOf(await board.run(tiles))).toEqual(conflicts);
    expect(board.versions()).toEqual(left);
    const again = async (): Promise<void> => {
      const run = await board.run(tiles);
      expect([decisionOf(run), conflictsOf(run)]).toEqual(["skip both-changed", conflicts]);
    };
    expect([await writesDuring(board.stack, again), board.versions()]).toEqual([[], left]);
  });

  it("takes a later change of a part that was in conflict once the target is as the archive was", async () => {
    const board = await imported();
    board.setVersion("A", "theirs");
    await board.run([tile("A", "ours"), tile("B", "2"), tile("C")]);
    board.setVersion("A", "1");
    const run = await board.run([tile("A", "newer"), tile("B", "2"), tile("C")]);
    expect([conflictsOf(run), board.versions()]).toEqual([[], { A: "newer", B: "2", C: "1" }]);
  });

  it.each([true, false])(
    "keeps two tiles of one id, which nothing tells apart, and names them",
    async (copyIsFirst) => {
      const board = await imported();
      board.retile(([first = {}, ...others]) => {
        const copy = { ...first, name: "copy" };
        return copyIsFirst ? [copy, first, ...others] : [first, ...others, copy];
      });
      const run = await board.run([tile("A", "3"), tile("B", "2"), tile("C")]);
      expect(board.versions()).toEqual({ A: copyIsFirst ? "1" : "3", B: "2", C: "1", copy: "1" });
      expect(conflictsOf(run)).toContain(copyIsFirst ? 'tile "A"' : 'tile "copy"');
    },
  );

  it("keeps its query and the query's language from one side", async () => {
    const query = { savedQuery: "a", savedQueryLanguage: "lucene" };
    const board = await imported(three, { members: query });
    changeOn(board.stack, "dashboards", { savedQueryLanguage: "sql" }, "Overview");
    expect(conflictsOf(await board.run(three, { members: { ...query, savedQuery: "b" } }))).toEqual(["savedQuery"]);
    expect(board.body()).toMatchObject({ savedQuery: "a", savedQueryLanguage: "sql" });
  });

  it("takes a tile with a secret, which only the target has edited, for an edit, also without the secrets file", async () => {
    const markdown = "see https://wiki.test/?token=«redacted:url-credentials»";
    const note = tileWith(hexId("d", 99), "Note", { displayType: "markdown", markdown });
    const answers = { [`dashboards/${boardId}`]: { "/tiles/0/config/markdown": "4f6Qw-x81Zk" } };
    const first = [note, tile("B")];
    const board = await imported(first, { secrets: draftedFor(archive(first), answers) });
    board.editTile("Note", { name: "Note of theirs" });
    const ending = async (tiles: readonly JsonObject[], onConflict: "merge" | "keep" = "merge") => {
      const run = await board.run(tiles, { onConflict });
      return [decisionOf(run), conflictsOf(run)];
    };
    for (const onConflict of ["merge", "keep"] as const)
      expect(await ending(first, onConflict)).toEqual(["skip edited", []]);
    expect(await ending([note, tile("B", "ours")])).toEqual(["update kept", ['tile "Note"']]);
    const [kept, taken = {}] = board.tiles();
    const held = expect.stringContaining("4f6Qw-x81Zk") as string;
    expect(kept).toMatchObject({ name: "Note of theirs", config: { markdown: held } });
    expect(versionOf(taken)).toBe("ours");
    // The archive's change of the tile still counts as an edit, so there is a conflict.
    const [, conflicts] = await ending([{ ...note, name: "Note of ours" }, tile("B", "ours")]);
    expect(conflicts).toEqual(['tile "Note of ours"']);
  });
});

describe("an edit that a merge left on the target", () => {
  it("is named by a run that does not merge, and no later one overwrites it", async () => {
    const board = await imported();
    board.setVersion("A", "theirs");
    const changed = [tile("A"), tile("B", "ours"), tile("C")];
    await board.run(changed);
    expect(decisionOf(await board.run(changed, { onConflict: "keep" }))).toBe("skip edited");
    const later = [tile("A"), tile("B", "ours"), tile("C", "later")];
    expect(decisionOf(await board.run(later, { onConflict: "keep" }))).toBe("skip both-changed");
    expect(board.versions()).toEqual({ A: "theirs", B: "ours", C: "1" });
  });

  it("is overwritten where it is in conflict and --on-conflict overwrite decides", async () => {
    const board = await imported();
    board.setVersion("A", "theirs");
    const changed = [tile("A", "ours"), tile("B", "ours"), tile("C")];
    await board.run(changed);
    const run = await board.run(changed, { onConflict: "overwrite" });
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update" });
    expect(board.versions()).toEqual({ A: "ours", B: "ours", C: "1" });
  });
});

it("a dashboard that the archive alone has changed is the archive's", async () => {
  const board = await imported();
  expect(decisionOf(await board.run([tile("C"), tile("A", "ours")]))).toBe("update");
  expect(board.versions()).toEqual({ A: "ours", C: "1" });
});

it("a dashboard that had no tiles gets the archive's new tile beside the one that the target has added", async () => {
  const board = await imported([]);
  board.retile(() => [tile("A", "theirs")]);
  const run = await board.run([{ ...tile("A", "ours"), id: hexId("d", 9) }]);
  expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update", status: "done" });
  expect(new Set(board.tiles().map(versionOf))).toEqual(new Set(["ours", "theirs"]));
});

it("without a journal, a merge adds new tiles, and names and leaves tiles that differ", async () => {
  const board = mergeStage(overview([tile("A", "theirs"), tile("X", "x")], { tags: ["theirs"] }));
  for (const decision of ["update kept", "skip exists"]) {
    board.stage.history.length = 0;
    const run = await board.run([tile("A", "ours"), tile("D")], { members: { tags: ["ours"] } });
    expect([run.exitCode, decisionOf(run)]).toEqual([0, decision]);
    expect(conflictsOf(run)).toEqual(["tags", 'tile "A"', 'tile "X"']);
    expect(board.versions()).toEqual({ A: "theirs", X: "x", D: "1" });
    expect(board.body()["tags"]).toEqual(["theirs"]);
  }
  expect(writesOn(board.stack)).toEqual(["update dashboards"]);
});

it("a merge whose kept tile links to a dashboard that is gone is blocked in the plan: the server would refuse it", async () => {
  const board = await imported();
  const link = tileWith(hexId("e", 8), "Theirs", linkingTable(hexId("e", 9), logs));
  board.retile((tiles) => [...tiles, link]);
  const changed = [tile("A", "ours"), tile("B"), tile("C")];
  expect(decisionOf(await board.run(changed))).toBe("blocked dead-reference");
  const overwrite = await board.run(changed, { onConflict: "overwrite" });
  expect(outcomeOf(overwrite, "Overview")).toMatchObject({ action: "update", status: "done" });
});
