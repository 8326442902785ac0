import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ImportStage, JournalEntry, JsonObject, StageRun, StackRecord } from "../support/import-stage.ts";
import { importStage, outcomeOf, rememberingStage, storedRecords, writesOn } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack, unreachable, put } from "../support/memory-stack.ts";
import { draftedFor } from "../support/drafted-secrets.ts";
import { rollBack } from "../support/resume-into.ts";
import { alert, dashboard, hexId, records, source, tileWith, webhook } from "../support/stack-records.ts";
import { propertyRuns } from "../support/tries.ts";

// Under `--on-conflict merge` a dashboard that both sides have changed is merged tile by tile, by what the state says that both had.

const [logs, hook, boardId] = [hexId("b", 1), hexId("b", 2), hexId("b", 16)];
const more = { sources: [source(logs, "Logs", hexId("c", 1))], webhooks: [webhook(hook, "oncall")] };
const merge = { onConflict: "merge" } as const;

/** A tile of the archive, of one name and one version of its query. */
function tile(name: string, version = "1"): JsonObject {
  const select = [{ aggFn: "count", where: version, whereLanguage: "lucene" }];
  const config = { displayType: "line", sourceId: logs, fillNulls: true, select };
  return tileWith(hexId("d", name.charCodeAt(0)), name, config);
}

const archive = (tiles: readonly JsonObject[], members: JsonObject = {}): StackRecord[] =>
  records({ dashboards: [dashboard(boardId, "Overview", logs, { tiles, ...members })], ...more });

const theBoard = (stack: MemoryStack): JsonObject => storedRecords(stack, "dashboards")[0] as JsonObject;
const theTiles = (stack: MemoryStack): JsonObject[] => (theBoard(stack)["tiles"] ?? []) as JsonObject[];
const versionOf = ({ config }: JsonObject): unknown =>
  (config as { select: readonly { where: string }[] }).select[0]?.where;
const versions = (stack: MemoryStack): Record<string, unknown> =>
  Object.fromEntries(theTiles(stack).map((each) => [String(each["name"]), versionOf(each)]));
const conflictsOf = ({ plan }: StageRun): string =>
  plan.warnings.flatMap(({ code, message }) => (code === "merge-conflict" ? [message] : [])).join("\n");

/** Changes the stack's dashboard as somebody does in its web interface. */
function edit(stack: MemoryStack, change: (body: JsonObject) => JsonObject): void {
  const body = theBoard(stack);
  put(stack, "dashboards", { ...body, ...change(body) });
}

const retile = (stack: MemoryStack, change: (tiles: JsonObject[]) => JsonObject[]): void =>
  edit(stack, ({ tiles }) => ({ tiles: change(tiles as JsonObject[]) }));
const setVersion = (stack: MemoryStack, name: string, version: string): void =>
  retile(stack, (tiles) =>
    tiles.map((each) => (each["name"] === name ? { ...tile(name, version), id: each["id"] ?? "" } : each)),
  );

async function imported(
  tiles: readonly JsonObject[],
  members: JsonObject = {},
  options: Parameters<ImportStage["run"]>[1] = merge,
): Promise<[MemoryStack, ImportStage]> {
  const stack = memoryStack({ dashboards: [], alerts: [], ...more });
  const stage = rememberingStage(stack);
  await stage.run(archive(tiles, members), options);
  return [stack, stage];
}

/** Puts an alert on a tile of the stack. */
function watch(stack: MemoryStack, name: string): void {
  const on = { id: theBoard(stack)["id"] ?? "", tiles: theTiles(stack).filter((each) => each["name"] === name) };
  const watching = alert(hexId("a", 40 + name.charCodeAt(0)), `On ${name}`, on, hook);
  put(stack, "alerts", watching);
}

const three = [tile("A"), tile("B"), tile("C")];

describe("a dashboard that both sides have changed", () => {
  it("has what each side alone has changed", async () => {
    const [stack, stage] = await imported(three, { tags: ["one"] });
    setVersion(stack, "A", "theirs");
    edit(stack, () => ({ filters: [{ id: hexId("e", 1), name: "env", expression: "env", sourceId: logs }] }));
    const changed = archive([tile("A"), tile("B", "ours"), tile("C"), tile("D")], { tags: ["two"] });
    const run = await stage.run(changed, merge);
    expect(run.exitCode).toBe(0);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update", code: "merged-parts", status: "done" });
    expect(conflictsOf(run)).toBe("");
    expect(versions(stack)).toEqual({ A: "theirs", B: "ours", C: "1", D: "1" });
    expect(theBoard(stack)).toMatchObject({ tags: ["two"], filters: [{ name: "env" }] });
    const again = await stage.run(changed, merge);
    expect(outcomeOf(again, "Overview")).toMatchObject({ action: "skip", code: "edited" });
  });

  it("keeps the target's side of a tile that both have changed, which is named, again and again", async () => {
    const [stack, stage] = await imported(three);
    setVersion(stack, "A", "theirs");
    const changed = archive([tile("A", "ours"), tile("B", "ours"), tile("C")]);
    const run = await stage.run(changed, merge);
    expect(conflictsOf(run)).toMatch(/"Overview" were changed on both sides .*tile "A"$/);
    expect(versions(stack)).toEqual({ A: "theirs", B: "ours", C: "1" });
    stack.requests.length = 0;
    const again = await stage.run(changed, merge);
    expect(outcomeOf(again, "Overview")).toMatchObject({ action: "skip", code: "both-changed" });
    expect(conflictsOf(again)).toMatch(/tile "A"$/);
    expect(writesOn(stack)).toEqual([]);
  });

  it("takes a later change of a part that was in conflict once the target is as the archive was", async () => {
    const [stack, stage] = await imported(three);
    setVersion(stack, "A", "theirs");
    await stage.run(archive([tile("A", "ours"), tile("B", "2"), tile("C")]), merge);
    setVersion(stack, "A", "1");
    const run = await stage.run(archive([tile("A", "newer"), tile("B", "2"), tile("C")]), merge);
    expect([conflictsOf(run), versions(stack)]).toEqual(["", { A: "newer", B: "2", C: "1" }]);
  });

  it("leaves a tile removed that the target has removed, and names it where the archive has changed it", async () => {
    const [stack, stage] = await imported(three);
    retile(stack, (tiles) => tiles.filter(({ name }) => name === "C"));
    const changed = archive([tile("A"), tile("B", "ours"), tile("C", "ours")]);
    const run = await stage.run(changed, merge);
    expect(conflictsOf(run)).toMatch(/: tile "B"$/);
    expect(versions(stack)).toEqual({ C: "ours" });
    stack.requests.length = 0;
    await stage.run(archive([tile("A"), tile("B", "ours"), tile("C", "ours")]), merge);
    expect([writesOn(stack), versions(stack)]).toEqual([[], { C: "ours" }]);
  });

  it("loses a tile that the archive has removed, unless an alert of the target watches it", async () => {
    for (const [isWatched, left, named] of [
      [false, { B: "theirs", C: "1" }, false],
      [true, { A: "1", B: "theirs", C: "1" }, true],
    ] as const) {
      const [stack, stage] = await imported(three);
      setVersion(stack, "B", "theirs");
      const id = String(theTiles(stack)[0]?.["id"]);
      if (isWatched) watch(stack, "A");
      const run = await stage.run(archive([tile("B"), tile("C")]), merge);
      expect(versions(stack)).toEqual(left);
      expect(conflictsOf(run).includes(id)).toBe(named);
      expect(storedRecords(stack, "alerts")).toHaveLength(isWatched ? 1 : 0);
    }
  });

  it("keeps two tiles of one id, which nothing tells apart, and names them", async () => {
    const stack = memoryStack({ dashboards: [], alerts: [], ...more });
    const stage = rememberingStage(stack);
    await stage.run(archive([tile("A"), tile("B")]));
    for (const first of [false, true]) {
      const copy = (tiles: readonly JsonObject[]): JsonObject => ({
        ...tiles.find(({ name }) => name === "A"),
        name: "copy",
      });
      edit(stack, ({ tiles }) => {
        const others = (tiles as JsonObject[]).filter(({ name }) => name !== "copy");
        return { tiles: first ? [copy(others), ...others] : [...others, copy(others)] };
      });
      const run = await stage.run(archive([tile("A", first ? "3" : "1"), tile("B", "2")]), merge);
      expect(versions(stack)).toEqual({ A: "1", B: "2", copy: "1" });
      expect(conflictsOf(run)).toContain('tile "A"');
    }
  });

  it("has both of two new tiles that are alike but for their names, each with its own alert", async () => {
    const stack = memoryStack({ dashboards: [], alerts: [], ...more });
    const stage = rememberingStage(stack);
    await stage.run(archive(three), merge);
    retile(stack, (tiles) => [...tiles, { ...tile("X", "new"), x: 6 }]);
    const onQ = alert(hexId("a", 50), "On Q", { id: boardId, tiles: [tile("Q")] }, hook);
    const changed = [...archive([...three, tile("Q", "new")]), ...records({ alerts: [onQ] })];
    const run = await stage.run(changed, merge);
    expect([run.exitCode, conflictsOf(run)]).toEqual([0, ""]);
    expect(versions(stack)).toEqual({ A: "1", B: "1", C: "1", X: "new", Q: "new" });
    const added = theTiles(stack).find(({ name }) => name === "Q");
    expect(storedRecords(stack, "alerts").map(({ tileId }) => tileId)).toEqual([added?.["id"]]);
    stack.requests.length = 0;
    await stage.run(changed, merge);
    expect(writesOn(stack)).toEqual([]);
  });

  it("keeps its query and the query's language from one side", async () => {
    const query = { savedQuery: "a", savedQueryLanguage: "lucene" };
    const [stack, stage] = await imported(three, query);
    edit(stack, () => ({ savedQueryLanguage: "sql" }));
    const run = await stage.run(archive(three, { ...query, savedQuery: "b" }), merge);
    expect(conflictsOf(run)).toMatch(/: savedQuery$/);
    expect(theBoard(stack)).toMatchObject({ savedQuery: "a", savedQueryLanguage: "sql" });
  });

  it("takes a tile with a secret, which only the target has edited, for an edit, also without the secrets file", async () => {
    const markdown = "see https://wiki.test/?token=«redacted:url-credentials»";
    const note = tileWith(hexId("d", 99), "Note", { displayType: "markdown", markdown });
    const answers = { [`dashboards/${boardId}`]: { "/tiles/0/config/markdown": "4f6Qw-x81Zk" } };
    const first = archive([note, tile("B")]);
    const [stack, stage] = await imported([note, tile("B")], {}, { ...merge, secrets: draftedFor(first, answers) });
    retile(stack, ([held = {}, ...others]) => [{ ...held, name: "Note of theirs" }, ...others]);
    for (const onConflict of ["merge", "update"] as const) {
      const run = await stage.run(archive([note, tile("B")]), { onConflict });
      expect([outcomeOf(run, "Overview"), conflictsOf(run)]).toMatchObject([{ action: "skip", code: "edited" }, ""]);
    }
    const run = await stage.run(archive([note, tile("B", "ours")]), merge);
    expect([outcomeOf(run, "Overview"), conflictsOf(run)]).toMatchObject([
      { code: "merged-parts", status: "done" },
      "",
    ]);
    expect(theTiles(stack)).toMatchObject([
      { name: "Note of theirs", config: { markdown: expect.stringContaining("4f6Qw-x81Zk") } },
      { name: "B" },
    ]);
    expect(theTiles(stack).slice(1).map(versionOf)).toEqual(["ours"]);
    // The archive's own edit of the tile still counts as one.
    const renamed = archive([{ ...note, name: "Note of ours" }, tile("B", "ours")]);
    expect(conflictsOf(await stage.run(renamed, merge))).toMatch(/tile "Note of ours"$/);
  });

  it("is as before once the merge is rolled back", async () => {
    const [stack, stage] = await imported(three);
    setVersion(stack, "A", "theirs");
    await stage.run(archive([tile("A"), tile("B", "ours"), tile("C")]), merge);
    await rollBack(stack, stage.history);
    expect(versions(stack)).toEqual({ A: "theirs", B: "1", C: "1" });
  });
});

it("a merge that sends a tile of the target in a form that no write takes needs --fit-limits", async () => {
  const [stack, stage] = await imported(three);
  retile(stack, (tiles) => [...tiles, { ...tile("X"), id: hexId("e", 30), w: 30 }]);
  const changed = archive([...three, tile("D")]);
  const blocked = await stage.run(changed, merge);
  expect(outcomeOf(blocked, "Overview")).toMatchObject({ action: "blocked", code: "needs-fitting" });
  expect(theTiles(stack)).toHaveLength(4);
  const run = await stage.run(changed, { ...merge, fitLimits: true });
  expect(run.exitCode).toBe(0);
  expect(theTiles(stack).map(({ name, w }) => [name, w])).toEqual([
    ["A", 6],
    ["B", 6],
    ["C", 6],
    ["X", 24],
    ["D", 6],
  ]);
});

it("an edit that a merge itself has undone stays an edit: the tile is not removed by the next run", async () => {
  const containers = [{ id: "k", title: "K", collapsed: false }];
  for (const [members, width, moved] of [
    [{ containers }, 6, { containerId: "k" }],
    [{}, 24, { w: 30 }],
  ] as const) {
    const [stack, stage] = await imported([{ ...tile("A"), w: width }, ...three.slice(1)], members);
    retile(stack, ([first, ...others]) => [{ ...first, ...moved }, ...others]);
    const changed = archive(three.slice(1), { containers: [], tags: ["new"] });
    for (const writes of [["update dashboards"], []]) {
      stack.requests.length = 0;
      const run = await stage.run(changed, { ...merge, fitLimits: true });
      expect([writesOn(stack), versions(stack)]).toEqual([writes, { A: "1", B: "1", C: "1" }]);
      expect(conflictsOf(run)).toMatch(/which the archive does not have$/);
    }
    expect(theTiles(stack)[0]).toMatchObject({ w: width });
    expect(theTiles(stack)[0]).not.toHaveProperty("containerId");
  }
});

it("an alert of the archive is not created on a tile that stays removed", async () => {
  const stack = memoryStack({ dashboards: [], alerts: [], ...more });
  const stage = rememberingStage(stack);
  const onA = alert(hexId("a", 50), "On A", { id: boardId, tiles: [tile("A")] }, hook);
  const withAlert = (tiles: readonly JsonObject[]): StackRecord[] => [...archive(tiles), ...records({ alerts: [onA] })];
  await stage.run(withAlert(three), merge);
  retile(stack, (tiles) => tiles.slice(1));
  stack.records.get("alerts")?.clear();
  const run = await stage.run(withAlert([tile("A"), tile("B", "ours"), tile("C")]), merge);
  expect([run.exitCode, versions(stack)]).toEqual([0, { B: "ours", C: "1" }]);
  expect(outcomeOf(run, "On A")).toMatchObject({ action: "skip", code: "edited" });
});

it("a dashboard that the archive alone has changed is the archive's, also in the order of its tiles", async () => {
  const [stack, stage] = await imported(three);
  const run = await stage.run(archive([tile("C"), tile("A", "ours")]), merge);
  expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update" });
  expect(theTiles(stack).map(({ name }) => name)).toEqual(["C", "A"]);
});

it("where no state tells who changed what, new tiles are taken and what differs is named and left", async () => {
  const stack = memoryStack({
    dashboards: [
      dashboard(boardId, "Overview", logs, { tiles: [tile("A", "theirs"), tile("X", "x")], tags: ["theirs"] }),
    ],
    alerts: [],
    ...more,
  });
  const changed = archive([tile("A", "ours"), tile("D")], { tags: ["ours"] });
  for (const kept of [importStage(stack), rememberingStage(stack)]) {
    const run = await kept.run(changed, { ...merge, restores: true });
    expect(conflictsOf(run)).toMatch(/"Overview" differ .*tags, tile "A"/);
    expect(conflictsOf(run)).not.toContain('"D"');
    expect([versions(stack), theBoard(stack)["tags"]]).toEqual([{ A: "theirs", X: "x", D: "1" }, ["theirs"]]);
    expect(run.exitCode).toBe(0);
  }
  expect(writesOn(stack)).toEqual(["update dashboards"]);
});

type Op = "none" | "change" | "remove";
const names = ["A", "B", "C", "D"] as const;
const elsewhere = { variant: "self-hosted", baseUrl: "http://elsewhere.test" } as const;
const op = fc.constantFrom<Op>("none", "none", "change", "remove");
const ops = fc.tuple(op, op, op, op);

/** The tiles after one side's edits: those that it changed have its version, and it has added one. */
function editedTiles(made: readonly Op[], side: string): JsonObject[] {
  const kept = names.flatMap((name, at) =>
    made[at] === "remove" ? [] : [tile(name, made[at] === "change" ? side : "1")],
  );
  return [...kept, tile(side === "ours" ? "M" : "N", side)];
}

/** Makes one side's edits on the stack, where tiles have ids of their own. */
function editStack(stack: MemoryStack, made: readonly Op[], side: string): void {
  retile(stack, (tiles) => {
    const ids = new Map(tiles.map(({ name, id }) => [name, id]));
    return editedTiles(made, side).map((each) => ({ ...each, id: ids.get(each["name"]) ?? hexId("e", 77) }));
  });
}

/** What a merge must come to for one tile, and whether it must be named. */
function expected(here: Op, there: Op, isWatched: boolean): [version: string | undefined, named: boolean] {
  if (there === "change") return ["theirs", here !== "none"];
  if (there === "remove") return [undefined, here === "change"];
  if (here === "change") return ["ours", false];
  if (here === "none") return ["1", false];
  return isWatched ? ["1", true] : [undefined, false];
}

it("any edits of both sides come to what each tile's two edits say, and no tile with an alert is lost", async () => {
  await fc.assert(
    fc.asyncProperty(ops, ops, fc.subarray([...names]), fc.boolean(), async (here, there, watchable, isElsewhere) => {
      const options = isElsewhere ? { ...merge, source: elsewhere } : merge;
      const [stack, stage] = await imported(
        names.map((name) => tile(name)),
        {},
        options,
      );
      const idsBefore = new Map(theTiles(stack).map(({ name, id }) => [name, id]));
      editStack(stack, there, "theirs");
      const watched = watchable.filter((name) => there[names.indexOf(name)] !== "remove");
      for (const name of watched) watch(stack, name);
      const run = await stage.run(archive(editedTiles(here, "ours")), options);
      const named = conflictsOf(run);
      const now = versions(stack);
      names.forEach((name, at) => {
        const [version, isNamed] = expected(here[at] ?? "none", there[at] ?? "none", watched.includes(name));
        const label = here[at] === "remove" ? String(idsBefore.get(name)) : `"${name}"`;
        expect([name, now[name], named.includes(label)]).toEqual([name, version, isNamed]);
      });
      expect([now["M"], now["N"]]).toEqual(["ours", "theirs"]);
      const ids = new Set(theTiles(stack).map(({ id }) => id));
      for (const each of storedRecords(stack, "alerts")) expect(ids.has(each["tileId"] as string)).toBe(true);
      expect(storedRecords(stack, "alerts")).toHaveLength(watched.length);
      stack.requests.length = 0;
      await stage.run(archive(editedTiles(here, "ours")), options);
      expect([writesOn(stack), versions(stack)]).toEqual([[], now]);
    }),
    propertyRuns(60),
  );
});

it.each(["before the write", "after the write", "before the state is saved"])(
  "a merge that was killed %s is finished by the next run: no tile is lost or doubled",
  async (moment) => {
    await fc.assert(
      fc.asyncProperty(ops, ops, async (here, there) => {
        const [stack, stage] = await imported(names.map((name) => tile(name)));
        editStack(stack, there, "theirs");
        const { memory } = stage;
        const changed = archive(editedTiles(here, "ours"));
        let journal: JournalEntry[] | undefined;
        const die = (operation: string): void => {
          if (operation !== "update dashboards" || journal !== undefined) return;
          journal = [...stage.history];
          throw unreachable();
        };
        if (moment === "before the write") stack.intercept = die;
        if (moment === "after the write") stack.interceptAfter = die;
        await stage.run(changed, merge);
        stage.history.splice(0, stage.history.length, ...(journal ?? stage.history));
        stage.memory = memory;
        const run = await stage.run(changed, merge);
        const now = versions(stack);
        const versionOfTile = names.map((name, at) => [
          name,
          expected(here[at] ?? "none", there[at] ?? "none", false)[0],
        ]);
        expect(versionOfTile.map(([name]) => [name, now[String(name)]])).toEqual(versionOfTile);
        expect([run.exitCode, now["M"], now["N"], theTiles(stack).length]).toEqual([
          0,
          "ours",
          "theirs",
          Object.keys(now).length,
        ]);
      }),
      propertyRuns(20),
    );
  },
);

it("edits of different tiles commute", async () => {
  await fc.assert(
    fc.asyncProperty(ops, fc.tuple(...names.map(() => fc.boolean())), async (all, isOurs) => {
      const ours = all.map((each, at): Op => (isOurs[at] ? each : "none"));
      const theirs = all.map((each, at): Op => (isOurs[at] ? "none" : each));
      const mergeOf = async (here: readonly Op[], side: string, there: readonly Op[], other: string) => {
        const [stack, stage] = await imported(names.map((name) => tile(name)));
        editStack(stack, there, other);
        const run = await stage.run(archive(editedTiles(here, side)), merge);
        expect(conflictsOf(run)).toBe("");
        return versions(stack);
      };
      const [one, other] = [
        await mergeOf(ours, "ours", theirs, "theirs"),
        await mergeOf(theirs, "theirs", ours, "ours"),
      ];
      expect(one).toEqual(other);
    }),
    propertyRuns(30),
  );
});
