import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordsOn } from "../../support/on-stack.ts";
import {
  importStage,
  outcomeOf,
  outcomeLines,
  warningMessages,
  writesDuring,
  writesOn,
  type ImportStage,
  type JournalEntry,
  type JsonObject,
  type RunOptions,
  type StackRecord,
  type StageRun,
} from "../../support/import-stage.ts";
import { memoryStack, unreachableError, putRecord, type MemoryStack } from "../../support/memory-stack.ts";
import { draftedFor } from "../../support/drafted-secrets.ts";
import { rollBack } from "../../support/rollback-runs.ts";
import {
  alert,
  dashboard,
  hexId,
  linkingTable,
  records,
  source,
  tileWith,
  webhook,
} from "../../support/stack-records.ts";
import { fromOtherStack } from "../../support/import-samples.ts";
import { propertyRuns } from "../../support/tries.ts";

// If both sides have changed a dashboard, `--on-conflict merge` merges it tile by tile. The journal tells what both sides
// had before.

const [logs, hook, boardId] = [hexId("b", 1), hexId("b", 2), hexId("b", 16)];
const more = { sources: [source(logs, "Logs", hexId("c", 1))], webhooks: [webhook(hook, "oncall")] };
const merge = { onConflict: "merge" } as const;

/** Returns a tile of the archive with this name and this version of its query. */
function tile(name: string, version = "1"): JsonObject {
  const select = [{ aggFn: "count", where: version, whereLanguage: "lucene" }];
  const config = { displayType: "line", sourceId: logs, fillNulls: true, select };
  return tileWith(hexId("d", name.charCodeAt(0)), name, config);
}

const archive = (tiles: readonly JsonObject[], members: JsonObject = {}): StackRecord[] =>
  records({ dashboards: [dashboard(boardId, "Overview", logs, { tiles, ...members })], ...more });

const theBoard = (stack: MemoryStack): JsonObject => recordsOn(stack, "dashboards")[0] as JsonObject;
const theTiles = (stack: MemoryStack): JsonObject[] => (theBoard(stack)["tiles"] ?? []) as JsonObject[];
const versionOf = ({ config }: JsonObject): unknown =>
  (config as { select: readonly { where: string }[] }).select[0]?.where;
const versions = (stack: MemoryStack): Record<string, unknown> =>
  Object.fromEntries(theTiles(stack).map((each) => [String(each["name"]), versionOf(each)]));
const conflictsOf = ({ outcomes }: StageRun): string =>
  outcomes
    .flatMap(({ code, message = "" }) => (["kept", "both-changed", "exists"].includes(code ?? "") ? [message] : []))
    .join("\n");

/** Changes the stack's dashboard, as a user does in the web interface. */
function edit(stack: MemoryStack, change: (body: JsonObject) => JsonObject): void {
  const body = theBoard(stack);
  putRecord(stack, "dashboards", { ...body, ...change(body) });
}

const retile = (stack: MemoryStack, change: (tiles: JsonObject[]) => JsonObject[]): void =>
  edit(stack, ({ tiles }) => ({ tiles: change(tiles as JsonObject[]) }));
const setVersion = (stack: MemoryStack, name: string, version: string): void =>
  retile(stack, (tiles) =>
    tiles.map((each) => (each["name"] === name ? { ...tile(name, version), id: each["id"] ?? "" } : each)),
  );

async function imported(
  tiles: readonly JsonObject[] = three,
  members: JsonObject = {},
  options: RunOptions = merge,
): Promise<[MemoryStack, ImportStage]> {
  const stack = memoryStack({ dashboards: [], alerts: [], ...more });
  const stage = importStage(stack);
  await stage.run(archive(tiles, members), options);
  return [stack, stage];
}

/** Creates an alert on the stack's tile with this name. */
function watch(stack: MemoryStack, name: string): void {
  const on = { id: theBoard(stack)["id"] ?? "", tiles: theTiles(stack).filter((each) => each["name"] === name) };
  putRecord(stack, "alerts", alert(hexId("a", 40 + name.charCodeAt(0)), `On ${name}`, on, hook));
}

it("a merge whose kept tile links to a dashboard that is gone is blocked in the plan: the server would refuse it", async () => {
  const [stack, stage] = await imported([tile("A"), tile("B")]);
  const config = linkingTable(hexId("e", 9), logs);
  retile(stack, (tiles) => [...tiles, tileWith(hexId("e", 8), "Theirs", config)]);
  const run = await stage.run(archive([tile("A", "ours"), tile("B")]), merge);
  expect(outcomeOf(run, "Overview")).toMatchObject({ action: "blocked", code: "dead-reference" });
  const overwrite = await stage.run(archive([tile("A", "ours"), tile("B")]), { onConflict: "overwrite" });
  expect(outcomeOf(overwrite, "Overview")).toMatchObject({ action: "update", status: "done" });
});

const three = [tile("A"), tile("B"), tile("C")];
const alertOn = (name: string): StackRecord[] =>
  records({ alerts: [alert(hexId("a", 50), `On ${name}`, { id: boardId, tiles: [tile(name)] }, hook)] });

describe("an edit that a merge left on the target", () => {
  const theirs = { A: "theirs", B: "ours", C: "1" };
  const merged = async (): Promise<[MemoryStack, ImportStage, StackRecord[]]> => {
    const [stack, stage] = await imported();
    setVersion(stack, "A", "theirs");
    const changed = archive([tile("A"), tile("B", "ours"), tile("C")]);
    await stage.run(changed, merge);
    expect(versions(stack)).toEqual(theirs);
    return [stack, stage, changed];
  };

  it("is named by a run that does not merge, and no later one overwrites it", async () => {
    const [stack, stage, changed] = await merged();
    expect(outcomeOf(await stage.run(changed), "Overview")).toMatchObject({ action: "skip", code: "edited" });
    const later = await stage.run(archive([tile("A"), tile("B", "ours"), tile("C", "later")]));
    expect(outcomeOf(later, "Overview")).toMatchObject({ action: "skip", code: "both-changed" });
    expect(versions(stack)).toEqual(theirs);
  });

  it("is overwritten where it is in conflict and --on-conflict overwrite decides", async () => {
    const [stack, stage] = await imported();
    setVersion(stack, "A", "theirs");
    const changed = archive([tile("A", "ours"), tile("B", "ours"), tile("C")]);
    await stage.run(changed, merge);
    expect(outcomeOf(await stage.run(changed, { onConflict: "overwrite" }), "Overview")).toMatchObject({
      action: "update",
    });
    expect(versions(stack)).toEqual({ A: "ours", B: "ours", C: "1" });
  });
});

describe("a merge that moves a tile", () => {
  const at = (name: string, x: number, y: number): JsonObject => ({ ...tile(name), x, y });
  const overlaps = ({ plan }: StageRun): readonly string[] => warningMessages(plan, "tiles-overlap");
  const place = (stack: MemoryStack, name: string, x: number, y: number): void =>
    retile(stack, (tiles) => tiles.map((each) => (each["name"] === name ? { ...each, x, y } : each)));

  it("onto a tile that somebody has moved there says that the two overlap", async () => {
    const [stack, stage] = await imported([at("A", 0, 0), at("B", 0, 3), at("C", 0, 6)]);
    place(stack, "B", 6, 0);
    const run = await stage.run(archive([at("A", 6, 0), at("B", 0, 3), at("C", 0, 6)]), merge);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update", code: "kept" });
    expect(overlaps(run)).toEqual([expect.stringMatching(/"Overview".*"A".*"B"/)]);
    expect(theTiles(stack).map(({ name, x, y }) => [name, x, y])).toEqual([
      ["A", 6, 0],
      ["B", 6, 0],
      ["C", 0, 6],
    ]);
  });

  it("says so of a new tile, too, and nothing where the tiles have room, or overlap on a side already", async () => {
    const both = [at("A", 0, 0), at("B", 0, 3), at("C", 0, 3)];
    const [stack, stage] = await imported(both);
    place(stack, "A", 12, 0);
    const added = await stage.run(archive([...both, at("D", 12, 1)]), merge);
    expect(overlaps(added)).toEqual([expect.stringMatching(/"D".*"A"/)]);
    setVersion(stack, "B", "theirs");
    const moved = [at("A", 0, 0), at("B", 0, 3), { ...at("C", 1, 3), config: tile("C", "2")["config"] ?? null }];
    expect(overlaps(await stage.run(archive([...moved, at("D", 12, 1)]), merge))).toEqual([]);
  });

  it("says nothing of a tile in the place of one that the same merge removes", async () => {
    const [stack, stage] = await imported([at("A", 0, 0), at("B", 0, 3), at("C", 0, 6)]);
    setVersion(stack, "A", "theirs");
    const run = await stage.run(archive([at("A", 0, 0), at("B", 0, 3), at("D", 0, 6)]), merge);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update", code: "kept" });
    expect(theTiles(stack).map(({ name }) => name)).toEqual(["A", "B", "D"]);
    expect(overlaps(run)).toEqual([]);
  });
});

describe("a dashboard that both sides have changed", () => {
  it("gets the parts that only one side has changed", async () => {
    const [stack, stage] = await imported(three, { tags: ["one"] });
    setVersion(stack, "A", "theirs");
    edit(stack, () => ({ filters: [{ id: hexId("e", 1), name: "env", expression: "env", sourceId: logs }] }));
    const changed = archive([tile("A"), tile("B", "ours"), tile("C"), tile("D")], { tags: ["two"] });
    const run = await stage.run(changed, merge);
    expect([run.exitCode, conflictsOf(run)]).toEqual([0, expect.stringMatching(/: tile "A", filter "env"$/)]);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update", code: "kept", status: "done" });
    expect(versions(stack)).toEqual({ A: "theirs", B: "ours", C: "1", D: "1" });
    expect(theBoard(stack)).toMatchObject({ tags: ["two"], filters: [{ name: "env" }] });
    expect(outcomeOf(await stage.run(changed, merge), "Overview")).toMatchObject({ action: "skip", code: "edited" });
  });

  it("does not name a part that the server stores in another form, and that nobody has changed", async () => {
    const stack = memoryStack({ dashboards: [], alerts: [], ...more });
    stack.replaceStored = (operation, body) => (operation.endsWith("dashboards") ? { ...body, tags: ["form"] } : body);
    const stage = importStage(stack);
    await stage.run(archive(three, { tags: ["one"] }), merge);
    setVersion(stack, "A", "theirs");
    const changed = archive([tile("A"), tile("B", "ours"), tile("C")], { tags: ["one"] });
    expect(conflictsOf(await stage.run(changed, merge))).toMatch(/: tile "A"$/);
    setVersion(stack, "A", "1");
    const again = async (): Promise<void> => {
      expect(outcomeOf(await stage.run(changed, merge), "Overview")).toMatchObject({ action: "unchanged" });
    };
    expect([await writesDuring(stack, again), theBoard(stack)["tags"]]).toEqual([[], ["form"]]);
  });

  it.each<[string, (stack: MemoryStack) => void, JsonObject[], RegExp, Record<string, string>]>([
    [
      "keeps the target's side of a tile that both have changed, which is named",
      (stack) => setVersion(stack, "A", "theirs"),
      [tile("A", "ours"), tile("B", "ours"), tile("C")],
      /: tile "A"$/,
      { A: "theirs", B: "ours", C: "1" },
    ],
    [
      "leaves a tile removed that the target has removed, and names it where the archive has changed it",
      (stack) => retile(stack, (tiles) => tiles.slice(2)),
      [tile("A"), tile("B", "ours"), tile("C", "ours")],
      /: tile "A", tile "B"$/,
      { C: "ours" },
    ],
  ])("%s, again and again", async (_, edits, tiles, conflicts, left) => {
    const [stack, stage] = await imported();
    edits(stack);
    expect(conflictsOf(await stage.run(archive(tiles), merge))).toMatch(conflicts);
    expect(versions(stack)).toEqual(left);
    const again = async (): Promise<void> => {
      const run = await stage.run(archive(tiles), merge);
      expect(outcomeOf(run, "Overview")).toMatchObject({ action: "skip", code: "both-changed" });
      expect(conflictsOf(run)).toMatch(conflicts);
    };
    expect([await writesDuring(stack, again), versions(stack)]).toEqual([[], left]);
  });

  it("takes a later change of a part that was in conflict once the target is as the archive was", async () => {
    const [stack, stage] = await imported();
    setVersion(stack, "A", "theirs");
    await stage.run(archive([tile("A", "ours"), tile("B", "2"), tile("C")]), merge);
    setVersion(stack, "A", "1");
    const run = await stage.run(archive([tile("A", "newer"), tile("B", "2"), tile("C")]), merge);
    expect([conflictsOf(run), versions(stack)]).toEqual(["", { A: "newer", B: "2", C: "1" }]);
  });

  it.each([true, false])(
    "keeps two tiles of one id, which nothing tells apart, and names them",
    async (copyIsFirst) => {
      const [stack, stage] = await imported();
      retile(stack, ([first = {}, ...others]) => {
        const copy = { ...first, name: "copy" };
        return copyIsFirst ? [copy, first, ...others] : [first, ...others, copy];
      });
      const run = await stage.run(archive([tile("A", "3"), tile("B", "2"), tile("C")]), merge);
      expect(versions(stack)).toEqual({ A: copyIsFirst ? "1" : "3", B: "2", C: "1", copy: "1" });
      expect(conflictsOf(run)).toContain(copyIsFirst ? 'tile "A"' : 'tile "copy"');
    },
  );

  it("has both of two new tiles that are alike but for their names, each with its own alert", async () => {
    const [stack, stage] = await imported();
    retile(stack, (tiles) => [...tiles, { ...tile("X", "new"), x: 6 }]);
    const changed = [...archive([...three, tile("Q", "new")]), ...alertOn("Q")];
    const run = await stage.run(changed, merge);
    expect([run.exitCode, conflictsOf(run)]).toEqual([0, expect.stringMatching(/: tile "X"$/)]);
    expect(versions(stack)).toEqual({ A: "1", B: "1", C: "1", X: "new", Q: "new" });
    const added = theTiles(stack).find(({ name }) => name === "Q");
    expect(recordsOn(stack, "alerts").map(({ tileId }) => tileId)).toEqual([added?.["id"]]);
    expect(await writesDuring(stack, () => stage.run(changed, merge))).toEqual([]);
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
    const first = [note, tile("B")];
    const [stack, stage] = await imported(first, {}, { ...merge, secrets: draftedFor(archive(first), answers) });
    retile(stack, ([held = {}, ...others]) => [{ ...held, name: "Note of theirs" }, ...others]);
    const ending = async (tiles: readonly JsonObject[], onConflict: "merge" | "keep" = "merge") => {
      const run = await stage.run(archive(tiles), { onConflict });
      return [...outcomeLines(run.outcomes.slice(0, 1), "action", "code"), conflictsOf(run)];
    };
    for (const onConflict of ["merge", "keep"] as const)
      expect(await ending(first, onConflict)).toEqual(["skip edited", ""]);
    expect(await ending([note, tile("B", "ours")])).toEqual(["update kept", expect.stringMatching(/: tile "Note"$/)]);
    const [kept, taken = {}] = theTiles(stack);
    const held = expect.stringContaining("4f6Qw-x81Zk") as string;
    expect(kept).toMatchObject({ name: "Note of theirs", config: { markdown: held } });
    expect(versionOf(taken)).toBe("ours");
    // The archive's change of the tile still counts as an edit, so there is a conflict.
    const [, conflicts] = await ending([{ ...note, name: "Note of ours" }, tile("B", "ours")]);
    expect(conflicts).toMatch(/tile "Note of ours"$/);
  });

  it("is restored by a rollback of the merge", async () => {
    const [stack, stage] = await imported();
    setVersion(stack, "A", "theirs");
    await stage.run(archive([tile("A"), tile("B", "ours"), tile("C")]), merge);
    await rollBack(stack, stage.history);
    expect(versions(stack)).toEqual({ A: "theirs", B: "1", C: "1" });
  });
});

it("a merge that sends a tile of the target in a form that no write takes needs --fit-limits", async () => {
  const [stack, stage] = await imported();
  retile(stack, (tiles) => [...tiles, { ...tile("X"), id: hexId("e", 30), w: 30 }]);
  const changed = archive([...three, tile("D")]);
  const blocked = await stage.run(changed, merge);
  expect(outcomeOf(blocked, "Overview")).toMatchObject({ action: "blocked", code: "needs-fitting" });
  expect(theTiles(stack)).toHaveLength(4);
  expect((await stage.run(changed, { ...merge, fitLimits: true })).exitCode).toBe(0);
  expect(outcomeLines(theTiles(stack), "name", "w")).toEqual(["A 6", "B 6", "C 6", "X 24", "D 6"]);
});

it.each([
  [{ containers: [{ id: "k", title: "K", collapsed: false }] }, 6, { containerId: "k" }],
  [{}, 24, { w: 30 }],
])("an edit that a merge itself has undone stays an edit: the tile is not removed by the next run", async (...row) => {
  const [members, width, moved] = row;
  const [stack, stage] = await imported([{ ...tile("A"), w: width }, ...three.slice(1)], members);
  retile(stack, ([first, ...others]) => [{ ...first, ...moved }, ...others]);
  const changed = archive(three.slice(1), { containers: [], tags: ["new"] });
  const merged = async (): Promise<void> => {
    const run = await stage.run(changed, { ...merge, fitLimits: true });
    expect(conflictsOf(run)).toMatch(/: tile "A"$/);
    expect(versions(stack)).toEqual({ A: "1", B: "1", C: "1" });
  };
  expect([await writesDuring(stack, merged), await writesDuring(stack, merged)]).toEqual([["update dashboards"], []]);
  expect(theTiles(stack)[0]).toMatchObject({ w: width });
  expect(theTiles(stack)[0]).not.toHaveProperty("containerId");
});

it("an alert of the archive is not created on a tile that stays removed", async () => {
  const [stack, stage] = await imported();
  await stage.run([...archive(three), ...alertOn("A")], merge);
  expect(recordsOn(stack, "alerts")).toHaveLength(1);
  retile(stack, (tiles) => tiles.slice(1));
  stack.records.get("alerts")?.clear();
  const run = await stage.run([...archive([tile("A"), tile("B", "ours"), tile("C")]), ...alertOn("A")], merge);
  expect([run.exitCode, versions(stack)]).toEqual([0, { B: "ours", C: "1" }]);
  expect(outcomeOf(run, "On A")).toMatchObject({ action: "skip", code: "edited" });
});

it("a dashboard that had no tiles gets the archive's new tile beside the one that the target has added", async () => {
  const [stack, stage] = await imported([]);
  retile(stack, () => [tile("A", "theirs")]);
  const run = await stage.run(archive([{ ...tile("A", "ours"), id: hexId("d", 9) }]), merge);
  expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update", status: "done" });
  expect(new Set(theTiles(stack).map(versionOf))).toEqual(new Set(["ours", "theirs"]));
});

it("an alert that both sides have changed is kept as a whole, because it has no parts that a merge could take", async () => {
  const [stack, stage] = await imported();
  await stage.run([...archive(three), ...alertOn("A")], merge);
  const [stored] = recordsOn(stack, "alerts");
  putRecord(stack, "alerts", { ...(stored as JsonObject), threshold: 77 });
  const edited = alertOn("A").map((each) => ({ ...each, body: { ...each.body, interval: "1h" } }));
  const run = await stage.run([...archive(three), ...edited], merge);
  expect(outcomeOf(run, "On A")).toMatchObject({ action: "skip", code: "both-changed" });
  expect(recordsOn(stack, "alerts")).toMatchObject([{ threshold: 77, interval: stored?.["interval"] }]);
});

it("a tile is removed with the alert on it that a mirror deletes", async () => {
  const [stack, stage] = await imported([]);
  await stage.run([...archive(three), ...alertOn("A")], merge);
  const run = await stage.run(archive(three.slice(1)), { ...merge, mirror: {} });
  expect(conflictsOf(run)).toBe("");
  expect([run.exitCode, recordsOn(stack, "alerts"), versions(stack)]).toEqual([0, [], { B: "1", C: "1" }]);
});

it("an alert is created with its tile where the map file has moved the dashboard to another one", async () => {
  const [stack, stage] = await imported();
  const theirs = dashboard(hexId("a", 16), "Theirs", logs, { tiles: [tile("X", "x")] });
  putRecord(stack, "dashboards", theirs);
  const run = await stage.run([...archive(three), ...alertOn("A")], {
    ...merge,
    mapping: { dashboards: { Overview: hexId("a", 16) } },
  });
  expect(outcomeOf(run, "On A")).toMatchObject({ action: "create", status: "done" });
  expect(recordsOn(stack, "alerts")).toMatchObject([{ dashboardId: hexId("a", 16) }]);
});

it("an alert is not created on a tile that a first merge has found equal, and that somebody has removed since", async () => {
  const there = { tiles: [tile("A"), tile("X", "x")], tags: ["theirs"] };
  const stack = memoryStack({ dashboards: [dashboard(boardId, "Overview", logs, there)], alerts: [], ...more });
  const stage = importStage(stack);
  await stage.run(archive(three, { tags: ["ours"] }), merge);
  retile(stack, (tiles) => tiles.filter(({ name }) => name !== "A"));
  const run = await stage.run([...archive(three, { tags: ["ours"] }), ...alertOn("A")], merge);
  expect(versions(stack)).toEqual({ X: "x", B: "1", C: "1" });
  expect(outcomeOf(run, "On A")).toMatchObject({ action: "skip", code: "edited" });
});

it("a dashboard that the archive alone has changed is the archive's", async () => {
  const [stack, stage] = await imported();
  const run = await stage.run(archive([tile("C"), tile("A", "ours")]), merge);
  expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update" });
  expect(versions(stack)).toEqual({ A: "ours", C: "1" });
});

it("without a journal, a merge adds new tiles, and names and leaves tiles that differ", async () => {
  const there = { tiles: [tile("A", "theirs"), tile("X", "x")], tags: ["theirs"] };
  const stack = memoryStack({ dashboards: [dashboard(boardId, "Overview", logs, there)], alerts: [], ...more });
  const changed = archive([tile("A", "ours"), tile("D")], { tags: ["ours"] });
  for (const kept of [importStage(stack), importStage(stack)]) {
    const run = await kept.run(changed, merge);
    expect(conflictsOf(run)).toMatch(/: tags, tile "A"/);
    expect(conflictsOf(run)).not.toContain('"D"');
    expect([versions(stack), theBoard(stack)["tags"]]).toEqual([{ A: "theirs", X: "x", D: "1" }, ["theirs"]]);
    expect(run.exitCode).toBe(0);
  }
  expect(writesOn(stack)).toEqual(["update dashboards"]);
});

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
function editStack(stack: MemoryStack, made: readonly Op[], side: string): void {
  retile(stack, (tiles) => {
    const ids = new Map(tiles.map(({ name, id }) => [name, id]));
    return editedTiles(made, side).map((each) => ({ ...each, id: ids.get(each["name"]) ?? hexId("e", 77) }));
  });
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
      const options = isElsewhere ? { ...merge, ...fromOtherStack } : merge;
      const [stack, stage] = await imported(four, {}, options);
      editStack(stack, there, "theirs");
      const watched = watchable.filter((name) => there[names.indexOf(name)] !== "remove");
      for (const name of watched) watch(stack, name);
      const run = await stage.run(archive(editedTiles(here, "ours")), options);
      const named = conflictsOf(run);
      const now = versions(stack);
      names.forEach((name, at) => {
        const [version, isNamed] = expected(here[at] ?? "none", there[at] ?? "none", watched.includes(name));
        expect([name, now[name], named.includes(`"${name}"`)]).toEqual([name, version, isNamed]);
      });
      expect([now["M"], now["N"]]).toEqual(["ours", "theirs"]);
      const ids = new Set(theTiles(stack).map(({ id }) => id));
      for (const each of recordsOn(stack, "alerts")) expect(ids.has(each["tileId"] as string)).toBe(true);
      expect(recordsOn(stack, "alerts")).toHaveLength(watched.length);
      const again = await writesDuring(stack, () => stage.run(archive(editedTiles(here, "ours")), options));
      expect([again, versions(stack)]).toEqual([[], now]);
    }),
    propertyRuns(30),
  );
});

it.each(["before the write", "after the write", "before its line is written"])(
  "a merge that was killed %s is finished by the next run: no tile is lost or doubled",
  async (moment) => {
    await fc.assert(
      fc.asyncProperty(ops, ops, async (here, there) => {
        const [stack, stage] = await imported(four);
        editStack(stack, there, "theirs");
        const changed = archive(editedTiles(here, "ours"));
        let journal: JournalEntry[] | undefined;
        const die = (operation: string): void => {
          if (operation !== "update dashboards" || journal !== undefined) return;
          journal = [...stage.history];
          throw unreachableError();
        };
        if (moment === "before the write") stack.intercept = die;
        if (moment === "after the write") stack.interceptAfter = die;
        await stage.run(changed, merge);
        stage.history.splice(0, stage.history.length, ...(journal ?? stage.history));
        const run = await stage.run(changed, merge);
        const now = versions(stack);
        const wanted = names.map((_, at) => expected(here[at] ?? "none", there[at] ?? "none", false)[0]);
        expect(names.map((name) => now[name])).toEqual(wanted);
        expect([run.exitCode, now["M"], now["N"]]).toEqual([0, "ours", "theirs"]);
        expect(theTiles(stack)).toHaveLength(Object.keys(now).length);
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
        const [stack, stage] = await imported(four);
        editStack(stack, there, other);
        const run = await stage.run(archive(editedTiles(here, side)), merge);
        expect(names.filter((name, at) => here[at] !== "none" && conflictsOf(run).includes(`"${name}"`))).toEqual([]);
        return versions(stack);
      };
      expect(await merged(ours, "ours", theirs, "theirs")).toEqual(await merged(theirs, "theirs", ours, "ours"));
    }),
    propertyRuns(12),
  );
});
