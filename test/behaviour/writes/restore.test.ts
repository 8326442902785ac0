import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newStage, update } from "../../support/import-samples.ts";
import {
  bodiesSentTo,
  importStage,
  including,
  outcomeLines,
  outcomeOf,
  tileIds,
  withSecrets,
  writesDuring,
  writesOn,
  type JsonObject,
  type RunOptions,
  type StackRecord,
} from "../../support/import-stage.ts";
import { deleteRecord, memoryStack, namesOn, unreachableError, type MemoryStack } from "../../support/memory-stack.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import { rollBack } from "../../support/rollback-runs.ts";
import { alert, dashboard, hexId, records, source, tileWith, webhook } from "../../support/stack-records.ts";
import { propertyRuns } from "../../support/tries.ts";

const [requests, errors, latency, other] = [hexId("d", 1), hexId("d", 2), hexId("d", 3), hexId("d", 30)];
const [logs, hook] = [hexId("b", 1), hexId("b", 2)];

function tile(id: string, name: string, more: JsonObject = {}, where = ""): JsonObject {
  const select = [{ aggFn: "count", where, whereLanguage: "lucene" }];
  const config = { displayType: "line", sourceId: logs, fillNulls: true, select };
  return tileWith(id, name, config, more);
}

const env = { id: hexId("e", 1), name: "env", type: "QUERY_EXPRESSION", expression: "env", sourceId: logs };
const board = (tiles: readonly JsonObject[], more: JsonObject = {}): JsonObject =>
  dashboard(hexId("b", 16), "Overview", logs, { tiles, filters: [env], ...more });
const on = (number: number, name: string, tileId: string): JsonObject =>
  alert(hexId("b", 32 + number), name, board([{ id: tileId }]), hook);

const tiles = [tile(requests, "Requests"), tile(errors, "Errors", { x: 6 }, "level:error"), tile(latency, "Latency")];
const [slow, failing] = [on(1, "Slow", latency), on(2, "Failing", errors)];
const needed = { sources: [source(logs, "Logs", hexId("c", 1))], webhooks: [webhook(hook, "oncall")] };
const backup = records({ dashboards: [board(tiles)], alerts: [slow, failing], ...needed });

/** The target's dashboard: the tile "Errors" is changed, a tile is added, and all other parts are changed, too. */
const editedBoard = board(
  [
    tile(errors, "Errors", { x: 0, note: "theirs" }, "level:warn"),
    tile(hexId("d", 9), "New", { y: 3 }),
    tile(requests, "Requests per second", { w: 12 }),
  ],
  { tags: ["ours"], containers: [{ id: "c", title: "C", collapsed: false }], unknown: 7 },
);

const stackWith = (body: JsonObject, alerts: readonly JsonObject[] = [failing]): MemoryStack =>
  memoryStack({ dashboards: [body], alerts, ...needed });

const restoring = (name: string, include = "Overview") => ({ tile: name, filter: including(include), restores: true });

/** Restores the tile with this name or id. */
async function restoreTile(name: string, stack = stackWith(editedBoard), archive = backup, options: RunOptions = {}) {
  const stage = importStage(stack);
  const run = await stage.run(archive, { ...restoring(name), ...options });
  return { stack, stage, run };
}

const archiveOf = (body: JsonObject): StackRecord[] => records({ dashboards: [body], ...needed });
const theBoard = (stack: MemoryStack): JsonObject => recordsOn(stack, "dashboards")[0] as JsonObject;
const theTiles = (stack: MemoryStack): JsonObject[] => theBoard(stack)["tiles"] as JsonObject[];
const widths = (stack: MemoryStack): string[] => outcomeLines(theTiles(stack), "name", "w");
const content = ({ id: _id, ...rest }: JsonObject): JsonObject => rest;

describe("a record that was changed on the target since the backup was restored last", () => {
  it("is restored again, every time, and the plan says what is overwritten", async () => {
    const { stack, stage } = newStage(stackWith(board(tiles), []));
    await stage.run(backup, update);
    for (const time of [1, 2, 3]) {
      changeOn(stack, "dashboards", { tags: ["theirs"] });
      const run = await stage.run(backup, update);
      expect([time, run.exitCode, outcomeOf(run, "Overview")?.action]).toEqual([time, 0, "update"]);
      expect(run.plan.items[0]?.since).toEqual({ source: [], target: ["tags"] });
      expect(theBoard(stack)["tags"]).toEqual([]);
    }
  });
});

// `--tile` restores one tile or one filter of a backup, and leaves the rest of the target's dashboard unchanged.

describe("a tile that was changed", () => {
  it("replaces the tile of its id, and the rest of the dashboard stays unchanged", async () => {
    const { stack, run } = await restoreTile("Errors");
    expect([run.exitCode, writesOn(stack)]).toEqual([0, ["update dashboards"]]);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update", code: "kept" });
    const [, ...others] = editedBoard["tiles"] as JsonObject[];
    const empty = { savedQuery: null, savedFilterValues: [] };
    expect(theBoard(stack)).toEqual({ ...editedBoard, tiles: [tiles[1], ...others], ...empty });
  });

  it("is shown old and new in the plan, which shows no other tile", async () => {
    const { run } = await restoreTile(errors.toUpperCase());
    const changes = run.plan.items[0]?.changes?.map(({ pointer, child }) => `${child?.name} ${pointer}`);
    const places = ["config/select/0/where", "note", "x"];
    expect(changes?.toSorted()).toEqual(places.map((place) => `Errors /tiles/0/${place}`));
  });

  it("keeps its id where its name, its place and its query were changed at once", async () => {
    const there = board([tile(errors, "Failures", { x: 9 }, "other"), tile(requests, "Requests")]);
    const { stack, run } = await restoreTile("Errors", stackWith(there));
    expect(theTiles(stack)).toEqual([tiles[1], tiles[0]]);
    const alerts = run.outcomes.filter(({ kind }) => kind === "alerts");
    expect(outcomeLines(alerts, "name", "action")).toEqual(["Failing unchanged"]);
  });

  it("does not stand in the way of another tile of the same backup", async () => {
    const { stack, stage } = await restoreTile("Errors");
    await stage.run(backup, restoring("Requests"));
    expect(theTiles(stack)[2]).toEqual(tiles[0]);
  });

  it("does not make the rest count as restored: a restore of the whole dashboard writes it", async () => {
    const { stack, stage } = await restoreTile("Errors");
    const left = await stage.run(backup, { filter: including("Overview") });
    expect(outcomeOf(left, "Overview")).toMatchObject({ action: "skip", code: "exists" });
    const whole = await stage.run(backup, { filter: including("Overview"), ...update });
    expect(outcomeOf(whole, "Overview")).toMatchObject({ action: "update", status: "done" });
    expect(theTiles(stack).map(({ name }) => name)).toEqual(["Requests", "Errors", "Latency"]);
  });

  it("and a rollback puts back what was there", async () => {
    const { stack, stage } = await restoreTile("Errors");
    await rollBack(stack, stage.history);
    expect(theBoard(stack)).toMatchObject({ tiles: editedBoard["tiles"], tags: ["ours"] });
  });
});

it.each(["Errors", "Latency"])("a tile is written once, also without its id: %s", async (name) => {
  const { stack, stage } = await restoreTile(name);
  const again = async (): Promise<void> => {
    const run = await stage.run(backup, restoring(name));
    expect([run.exitCode, outcomeOf(run, "Overview")?.action]).toEqual([0, "unchanged"]);
  };
  expect(await writesDuring(stack, again)).toEqual([]);
});

describe("a tile that was removed", () => {
  it("comes back with its alerts, under the id that the stack gives it", async () => {
    const { stack, run } = await restoreTile("Latency");
    expect([run.exitCode, writesOn(stack)]).toEqual([0, ["update dashboards", "create alerts"]]);
    const [added = {}] = theTiles(stack).slice(3);
    expect(theTiles(stack)).toEqual([...(editedBoard["tiles"] as JsonObject[]), { ...tiles[2], id: added["id"] }]);
    const alerts = recordsOn(stack, "alerts").map(({ name, tileId }) => [name, tileId]);
    expect(alerts).toEqual([
      ["Failing", errors],
      ["Slow", added["id"]],
    ]);
  });

  it("comes back with its alerts also where an earlier run knew the whole dashboard", async () => {
    const { stack, stage } = newStage(stackWith(board(tiles), [slow, failing]));
    expect((await stage.run(backup)).exitCode).toBe(0);
    changeOn(stack, "dashboards", { tiles: theTiles(stack).slice(0, 2) });
    deleteRecord(stack, "alerts", "Slow");
    const run = await stage.run(backup, restoring("Latency"));
    expect([run.exitCode, outcomeOf(run, "Slow")?.action]).toEqual([0, "create"]);
    expect(recordOn(stack, "alerts", "Slow")["tileId"]).toBe(theTiles(stack)[2]?.["id"]);
  });

  it("takes the place of the only one of its name, and not of one that the backup has by its id", async () => {
    const { stack: alike } = await restoreTile("Latency", stackWith(board([tile(other, "Latency", {}, "other")]), []));
    expect(theTiles(alike)).toEqual([{ ...tiles[2], id: other }]);
    const { stack: renamed } = await restoreTile("Latency", stackWith(board([tile(requests, "Latency", {}, "x")]), []));
    expect(theTiles(renamed)).toMatchObject([{ name: "Latency", id: requests }, { name: "Latency" }]);
  });

  it("does not replace another tile of a name that the backup has twice", async () => {
    const twins = [tile(hexId("d", 5), "Twin", {}, "first"), tile(hexId("d", 6), "Twin", {}, "second")];
    const stack = stackWith(board([]), []);
    // Each restore has a new journal and no state.
    for (const { id } of twins) await restoreTile(String(id), stack, archiveOf(board(twins)));
    expect(theTiles(stack).map(content)).toEqual(twins.map(content));
  });

  it("is put outside of a container that the dashboard no longer has", async () => {
    const boxed = tile(latency, "Latency", { containerId: "gone", tabId: "t" });
    const { stack } = await restoreTile("Latency", stackWith(editedBoard), archiveOf(board([boxed])));
    expect(theTiles(stack)[3]).toEqual({ ...tiles[2], id: expect.any(String) });
  });
});

it("a filter comes back the same way", async () => {
  const { stack, run } = await restoreTile("env", stackWith({ ...editedBoard, filters: [] }));
  expect(run.exitCode).toBe(0);
  const filters = [{ ...env, id: expect.any(String) as string }];
  expect(theBoard(stack)).toMatchObject({ tiles: editedBoard["tiles"], filters });
});

describe("alerts on the tile", () => {
  it("that are there stay, whatever the backup has", async () => {
    const theirs = { ...failing, threshold: 99 };
    const { stack, run } = await restoreTile("Errors", stackWith(editedBoard, [theirs]));
    expect(outcomeOf(run, "Failing")).toMatchObject({ action: "skip", code: "exists" });
    expect(recordsOn(stack, "alerts")).toEqual([theirs]);
  });

  it("on other tiles are not looked at", async () => {
    const { run } = await restoreTile("Requests", stackWith(editedBoard, []));
    expect(run.outcomes.filter(({ kind }) => kind === "alerts")).toEqual([]);
  });
});

describe("the update, which sends the other tiles of the stack, too", () => {
  const wide = tile(other, "Wide", { w: 30 });
  const table = tile(requests, "Requests", { config: { displayType: "table", sourceId: logs } });

  it.each([
    ["would cost another tile its alert", table, [on(7, "On a table", requests)], "would-delete-alerts"],
    ["has one in a form that no write takes", wide, [], "needs-fitting", /tile "Wide": w: 24 instead of 30/],
  ])("is blocked before anything is written where it %s", async (_, there, alerts, code, said = /./) => {
    const { stack, run } = await restoreTile("Errors", stackWith(board([there]), alerts));
    const message = expect.stringMatching(said) as string;
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "blocked", code, message });
    expect(writesOn(stack)).toEqual([]);
  });

  it("fits such a form under --fit-limits, which the plan names, and only together with the tile", async () => {
    const fitLimits = true;
    const { stack, run } = await restoreTile("Errors", stackWith(board([wide]), []), backup, { fitLimits });
    expect(run.exitCode).toBe(0);
    expect(run.plan.items[0]?.fitted).toEqual([{ pointer: "/tiles/0/w", change: "24 instead of 30" }]);
    expect(widths(stack)).toEqual(["Wide 24", "Errors 6"]);
    const all = stackWith(board([wide, ...tiles]));
    const { stack: same, run: again } = await restoreTile("Errors", all, backup, { fitLimits });
    expect(outcomeOf(again, "Overview")?.action).toBe("unchanged");
    expect(writesOn(same)).toEqual([]);
  });

  it("keeps members that a list leaves out of the dashboard", async () => {
    const inside = tile(latency, "In it", { containerId: "c" });
    const stack = stackWith({ ...editedBoard, tiles: [...(editedBoard["tiles"] as JsonObject[]), inside] });
    stack.replaceListed = (_, bodies) => bodies.map(({ containers: _left, ...shown }) => shown);
    await restoreTile("Errors", stack);
    expect(theBoard(stack)["containers"]).toEqual(editedBoard["containers"]);
    expect(theTiles(stack)[3]).toMatchObject({ name: "In it", containerId: "c" });
  });
});

it("the restore of one tile does not need the references of the backup's other tiles", async () => {
  const foreign = tile(hexId("d", 8), "Foreign", { config: { displayType: "line", sourceId: hexId("b", 99) } });
  const { run } = await restoreTile("Errors", stackWith(editedBoard), archiveOf(board([...tiles, foreign])));
  expect(run.exitCode).toBe(0);
});

describe("what is refused before anything is written", () => {
  const second = dashboard(hexId("b", 17), "Overview 2", logs);
  const twins = [tile(hexId("d", 5), "Twin"), tile(hexId("d", 6), "Twin"), tile(hexId("d", 7), "")];
  const archive = records({ dashboards: [board([...tiles, ...twins]), second], ...needed });

  it.each([
    ["a name that no tile has", "Eror", "Overview", 'Did you mean "Errors"?'],
    ["a name that is like none", "Something else", "Overview", '"Requests", "Errors", "Latency"'],
    ["a name that two tiles have", "Twin", "Overview", hexId("d", 6)],
    ["the name of a tile without one", "", "Overview", hexId("d", 7)],
    ["several dashboards", "Errors", "Overview*", `"Overview 2" (${hexId("b", 17)})`],
    ["no dashboard", "Errors", "Overvie", "matches none"],
    ["a dashboard that is gone, with the way to restore it whole", "Errors", "Overview", "and without --tile", true],
  ])("%s", async (_, name, include, text, isGone = false) => {
    const stack = stackWith(editedBoard);
    if (isGone) stack.records.get("dashboards")?.clear();
    const error: unknown = await importStage(stack)
      .run(archive, restoring(name, include))
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "usage" });
    const { message, hint = "" } = error as { message: string; hint?: string };
    expect(`${message} ${hint}`).toContain(isGone ? `--include "Overview" ${text}` : text);
    expect(writesOn(stack)).toEqual([]);
  });
});

it.each([
  ["before the alert was created", "create alerts", "intercept"],
  ["after the dashboard was written, without an answer", "update dashboards", "interceptAfter"],
] as const)("a run that was cut short %s is finished by the next one", async (_, at, moment) => {
  const stack = stackWith(editedBoard);
  stack[moment] = (operation) => {
    if (operation === at) throw unreachableError();
  };
  const { run, stage } = await restoreTile("Latency", stack);
  expect(run.exitCode).not.toBe(0);
  stack[moment] = () => {};
  expect((await stage.run(backup, restoring("Latency"))).exitCode).toBe(0);
  expect(theTiles(stack)).toHaveLength(4);
  expect(namesOn(stack, "alerts")).toEqual(["Failing", "Slow"]);
});

describe("secrets that were taken out of the backup", () => {
  const notes = ["first", "now"].map((word, at) => {
    const config = { displayType: "markdown", markdown: `call «redacted:token» ${word}` };
    return tile(hexId("d", at + 1), `Note ${at + 1}`, { config });
  });
  const archive = archiveOf(board(notes));
  const without = (): MemoryStack => stackWith(board([tile(latency, "Latency")]), []);

  it("are asked for where the tile has them, and filled in", async () => {
    const { run: blocked } = await restoreTile("Note 2", without(), archive);
    expect(outcomeOf(blocked, "Overview")).toMatchObject({ action: "blocked", code: "redacted" });
    const answers = { [`dashboards/${hexId("b", 16)}`]: { "/tiles/1/config/markdown": ["secret"] } };
    const { secrets } = withSecrets(archive, answers);
    const { stack, run } = await restoreTile("Note 2", without(), archive, { secrets });
    expect([run.exitCode, outcomeOf(run, "Overview")?.message]).toEqual([0, undefined]);
    expect(theTiles(stack)[1]).toMatchObject({ name: "Note 2", config: { markdown: "call secret now" } });
  });

  it("are not asked for where other tiles have them", async () => {
    const withNote = archiveOf(board([...notes.slice(0, 1), ...tiles]));
    const { run } = await restoreTile("Errors", stackWith(editedBoard), withNote);
    expect(run.exitCode).toBe(0);
  });
});

it("the restore of any tile changes no other tile or member of any dashboard", async () => {
  const name = fc.constantFrom("A", "B", "C", "D");
  const anyTile = fc.record({ id: fc.integer({ min: 1, max: 6 }), name, x: fc.nat(20), where: name });
  const anyTiles = fc.uniqueArray(anyTile, { selector: ({ id }) => id, minLength: 1, maxLength: 5 });
  const made = ({ id, name: called, x, where }: { id: number; name: string; x: number; where: string }): JsonObject =>
    tile(hexId("d", id), called, { x }, where);
  await fc.assert(
    fc.asyncProperty(anyTiles, anyTiles, fc.nat(4), async (archived, present, at) => {
      const [before, chosen] = [present.map(made), made(archived[at % archived.length] as (typeof archived)[number])];
      const watched = on(1, "Watching", String(before[0]?.["id"]));
      const stack = stackWith(board(before, { tags: ["t"], unknown: [1] }), [watched]);
      await restoreTile(String(chosen["id"]), stack, archiveOf(board(archived.map(made))));
      const after = theTiles(stack);
      const untouched = before.filter((each) => after.some((now) => isDeepStrictEqual(now, each)));
      expect(before.length - untouched.length).toBeLessThanOrEqual(1);
      expect(after.length - before.length).toBeLessThanOrEqual(1);
      expect(tileIds(theBoard(stack)).slice(0, before.length)).toEqual(before.map(({ id }) => id));
      expect(after.map(content)).toContainEqual(content(chosen));
      expect(theBoard(stack)).toMatchObject({ name: "Overview", tags: ["t"], unknown: [1], filters: [env] });
      expect(recordsOn(stack, "alerts")).toEqual([watched]);
      for (const body of bodiesSentTo(stack, "update dashboards")) expect(body["unknown"]).toEqual([1]);
    }),
    propertyRuns(20),
  );
});
