import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, StageRun } from "../support/import-stage.ts";
import {
  importStage,
  outcomeOf,
  sentTo,
  storedRecords,
  tileIds,
  withSecrets,
  writesOn,
} from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack, unreachable, namesOn } from "../support/memory-stack.ts";
import { rollBack } from "../support/resume-into.ts";
import { alert, dashboard, hexId, records, source, tileWith, webhook } from "../support/stack-records.ts";
import { propertyRuns } from "../support/tries.ts";

// `--tile` puts one tile, or one filter, of a backup into the dashboard as it is, and nothing else.

const [requests, errors, latency] = [1, 2, 3].map((number) => hexId("d", number)) as [string, string, string];
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
const more = { sources: [source(logs, "Logs", hexId("c", 1))], webhooks: [webhook(hook, "oncall")] };
const backup = records({ dashboards: [board(tiles)], alerts: [slow, failing], ...more });

/** The tile was changed, another one was added, and everything else was touched too. */
const edited = board(
  [
    tile(errors, "Errors", { x: 0, note: "theirs" }, "level:warn"),
    tile(hexId("d", 9), "New", { y: 3 }),
    tile(requests, "Requests per second", { w: 12 }),
  ],
  { tags: ["ours"], containers: [{ id: "c", title: "C", collapsed: false }], unknown: 7 },
);

const stackWith = (body: JsonObject, alerts: readonly JsonObject[] = [failing]): MemoryStack =>
  memoryStack({ dashboards: [body], alerts, ...more });

const restoring = (name: string, include = "Overview") => ({
  tile: name,
  filter: { include: [include], exclude: [] },
  restores: true,
});

const theBoard = (stack: MemoryStack): JsonObject => storedRecords(stack, "dashboards")[0] as JsonObject;
const theTiles = (stack: MemoryStack): JsonObject[] => theBoard(stack)["tiles"] as JsonObject[];
const hint = async (run: Promise<StageRun>): Promise<string> =>
  run.then(
    () => "no error",
    (error: { message: string; hint?: string }) => `${error.message} ${error.hint ?? ""}`,
  );

describe("a tile that was changed", () => {
  it("is as it was, in the place of the one of its id, and the rest of the dashboard is as it is", async () => {
    const stack = stackWith(edited);
    const run = await importStage(stack).run(backup, restoring("Errors"));
    expect(run.exitCode).toBe(0);
    expect(writesOn(stack)).toEqual(["update dashboards"]);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update", code: "part" });
    const [, ...others] = edited["tiles"] as JsonObject[];
    expect(theBoard(stack)).toEqual({
      ...edited,
      tiles: [tiles[1], ...others],
      savedQuery: null,
      savedFilterValues: [],
    });
  });

  it("is shown old and new in the plan, and nothing else is", async () => {
    const { plan } = await importStage(stackWith(edited)).run(backup, restoring(errors.toUpperCase()));
    const [item] = plan.items;
    expect(item?.changes?.map(({ pointer }) => pointer).toSorted()).toEqual([
      "/tiles/0/config/select/0/where",
      "/tiles/0/note",
      "/tiles/0/x",
    ]);
    expect(new Set(item?.changes?.map(({ child }) => child?.name))).toEqual(new Set(["Errors"]));
  });

  it("keeps its id where its name, its place and its query were changed at once", async () => {
    const stack = stackWith(board([tile(errors, "Failures", { x: 9 }, "other"), tile(requests, "Requests")]));
    const { outcomes } = await importStage(stack).run(backup, restoring("Errors"));
    expect(theTiles(stack)).toEqual([tiles[1], tiles[0]]);
    expect(outcomes.filter(({ kind }) => kind === "alerts")).toEqual([
      expect.objectContaining({ name: "Failing", action: "unchanged" }),
    ]);
  });

  it("is written once: the second run finds it there", async () => {
    const stack = stackWith(edited);
    const stage = importStage(stack);
    await stage.run(backup, restoring("Errors"));
    stack.requests.length = 0;
    const again = await stage.run(backup, restoring("Errors"));
    expect(outcomeOf(again, "Overview")?.action).toBe("unchanged");
    expect(writesOn(stack)).toEqual([]);
  });

  it("does not stand in the way of another tile of the same backup", async () => {
    const stack = stackWith(edited);
    const stage = importStage(stack);
    await stage.run(backup, restoring("Errors"));
    await stage.run(backup, restoring("Requests"));
    expect(theTiles(stack)[2]).toEqual(tiles[0]);
  });

  it("and a rollback puts back what was there", async () => {
    const stack = stackWith(edited);
    const stage = importStage(stack);
    await stage.run(backup, restoring("Errors"));
    await rollBack(stack, stage.history);
    expect(theTiles(stack)).toEqual(edited["tiles"]);
    expect(theBoard(stack)["tags"]).toEqual(["ours"]);
  });
});

describe("a tile that was removed", () => {
  it("comes back with its alerts, under the id that the stack gives it", async () => {
    const stack = stackWith(edited);
    const { exitCode } = await importStage(stack).run(backup, restoring("Latency"));
    expect(exitCode).toBe(0);
    expect(writesOn(stack)).toEqual(["update dashboards", "create alerts"]);
    expect(theTiles(stack).slice(0, 3)).toEqual(edited["tiles"]);
    const [, , , added] = theTiles(stack);
    expect({ ...added, id: latency }).toEqual(tiles[2]);
    expect(storedRecords(stack, "alerts").map(({ name, tileId }) => [name, tileId])).toEqual([
      ["Failing", errors],
      ["Slow", added?.["id"]],
    ]);
  });

  it("comes back once, also without its id", async () => {
    const stack = stackWith(edited);
    const stage = importStage(stack);
    await stage.run(backup, restoring("Latency"));
    stack.requests.length = 0;
    const again = await stage.run(backup, restoring("Latency"));
    expect([again.exitCode, writesOn(stack)]).toEqual([0, []]);
  });

  it("takes the place of the only one of its name, and not of one that the backup has by its id", async () => {
    const alike = stackWith(board([tile(hexId("d", 20), "Latency", {}, "other")]), []);
    await importStage(alike).run(backup, restoring("Latency"));
    expect(theTiles(alike)).toEqual([{ ...tiles[2], id: hexId("d", 20) }]);
    const renamed = stackWith(board([tile(requests, "Latency", {}, "other")]), []);
    await importStage(renamed).run(backup, restoring("Latency"));
    expect(theTiles(renamed).map(({ name }) => name)).toEqual(["Latency", "Latency"]);
    expect(tileIds(theBoard(renamed))[0]).toBe(requests);
  });

  it("does not replace another tile of a name that the backup has twice", async () => {
    const twins = [tile(hexId("d", 5), "Twin", {}, "first"), tile(hexId("d", 6), "Twin", {}, "second")];
    const archive = records({ dashboards: [board(twins)], ...more });
    const stack = stackWith(board([]), []);
    // Each with a journal of its own, and without a state.
    for (const { id } of twins) await importStage(stack).run(archive, restoring(String(id)));
    expect(theTiles(stack).map(({ id: _id, ...rest }) => rest)).toEqual(twins.map(({ id: _id, ...rest }) => rest));
  });

  it("is put outside of a container that the dashboard no longer has", async () => {
    const boxed = tile(latency, "Latency", { containerId: "gone", tabId: "t" });
    const stack = stackWith(edited);
    const archive = records({ dashboards: [board([boxed])], ...more });
    await importStage(stack).run(archive, restoring("Latency"));
    expect(theTiles(stack)[3]).toEqual({ ...tiles[2], id: expect.any(String) });
  });
});

it("a filter comes back the same way", async () => {
  const stack = stackWith({ ...edited, filters: [] });
  const { exitCode } = await importStage(stack).run(backup, restoring("env"));
  expect(exitCode).toBe(0);
  expect(theBoard(stack)["tiles"]).toEqual(edited["tiles"]);
  expect(theBoard(stack)["filters"]).toEqual([{ ...env, id: expect.any(String) }]);
});

describe("alerts on the tile", () => {
  it("that are there stay, whatever the backup has", async () => {
    const theirs = { ...failing, threshold: 99 };
    const stack = stackWith(edited, [theirs]);
    const run = await importStage(stack).run(backup, restoring("Errors"));
    expect(outcomeOf(run, "Failing")).toMatchObject({ action: "skip", code: "exists" });
    expect(storedRecords(stack, "alerts")).toEqual([theirs]);
  });

  it("on other tiles are not looked at", async () => {
    const stack = stackWith(edited, []);
    const { outcomes } = await importStage(stack).run(backup, restoring("Requests"));
    expect(outcomes.filter(({ kind }) => kind === "alerts")).toEqual([]);
  });
});

it("the update is not done that would cost another tile its alert", async () => {
  const table = tile(requests, "Requests", { config: { displayType: "table", sourceId: logs } });
  const stack = stackWith(board([table]), [on(7, "On a table", requests)]);
  const run = await importStage(stack).run(backup, restoring("Errors"));
  expect(outcomeOf(run, "Overview")).toMatchObject({ action: "blocked", code: "would-delete-alerts" });
});

describe("another tile of the stack in a form that no write takes", () => {
  const wide = tile(hexId("d", 30), "Wide", { w: 30 });

  it("blocks the update, which sends it, too, before anything is written", async () => {
    const stack = stackWith(board([wide]), []);
    const run = await importStage(stack).run(backup, restoring("Errors"));
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "blocked", code: "needs-fitting" });
    expect(writesOn(stack)).toEqual([]);
  });

  it("is fitted under --fit-limits, which the plan names, and only together with the tile", async () => {
    const stack = stackWith(board([wide]), []);
    const stage = importStage(stack);
    const { plan, exitCode } = await stage.run(backup, { ...restoring("Errors"), fitLimits: true });
    expect(exitCode).toBe(0);
    expect(plan.items[0]?.fitted).toEqual([{ pointer: "/tiles/0/w", change: "24 instead of 30" }]);
    expect(theTiles(stack).map(({ name, w }) => [name, w])).toEqual([
      ["Wide", 24],
      ["Errors", 6],
    ]);
    const same = stackWith(board([wide, ...tiles]));
    const again = await importStage(same).run(backup, { ...restoring("Errors"), fitLimits: true });
    expect(outcomeOf(again, "Overview")?.action).toBe("unchanged");
    expect(writesOn(same)).toEqual([]);
  });
});

it("what another tile of the backup needs is not asked for", async () => {
  const foreign = tile(hexId("d", 8), "Foreign", { config: { displayType: "line", sourceId: hexId("b", 99) } });
  const archive = records({ dashboards: [board([...tiles, foreign])], ...more });
  const { exitCode } = await importStage(stackWith(edited)).run(archive, restoring("Errors"));
  expect(exitCode).toBe(0);
});

describe("what is refused before anything is written", () => {
  const second = dashboard(hexId("b", 17), "Overview 2", logs);
  const twins = [tile(hexId("d", 5), "Twin"), tile(hexId("d", 6), "Twin")];
  const unnamed = tile(hexId("d", 7), "");
  const archive = records({ dashboards: [board([...tiles, ...twins, unnamed]), second], ...more });

  it.each([
    ["a name that no tile has", restoring("Eror"), 'Did you mean "Errors"?'],
    ["a name that is like none", restoring("Something else"), '"Requests", "Errors", "Latency"'],
    ["a name that two tiles have", restoring("Twin"), hexId("d", 6)],
    ["the name of a tile without one", restoring(""), hexId("d", 7)],
    ["several dashboards", restoring("Errors", "Overview*"), `"Overview 2" (${hexId("b", 17)})`],
    ["no dashboard", restoring("Errors", "Overvie"), "selects none"],
  ])("%s", async (_, options, text) => {
    const stack = stackWith(edited);
    const run = importStage(stack).run(archive, options);
    await expect(run).rejects.toMatchObject({ code: "usage" });
    expect(await hint(run)).toContain(text);
    expect(writesOn(stack)).toEqual([]);
  });

  it("a dashboard that is gone from the target, with the way to restore it whole", async () => {
    const stack = memoryStack({ dashboards: [], alerts: [], ...more });
    const run = importStage(stack).run(archive, restoring("Errors"));
    await expect(run).rejects.toMatchObject({ code: "usage" });
    expect(await hint(run)).toMatch(/--include "Overview" and without --tile/);
  });
});

describe("a run that was cut short", () => {
  it.each([
    ["before the alert was created", "create alerts", false],
    ["after the dashboard was written, without an answer", "update dashboards", true],
  ] as const)("%s is finished by the next one", async (_, at, isDone) => {
    const stack = stackWith(edited);
    const stage = importStage(stack);
    const fail = (operation: string): void => {
      if (operation === at) throw unreachable();
    };
    if (isDone) stack.interceptAfter = fail;
    else stack.intercept = fail;
    expect((await stage.run(backup, restoring("Latency"))).exitCode).not.toBe(0);
    stack.interceptAfter = () => {};
    stack.intercept = () => {};
    expect((await stage.run(backup, restoring("Latency"))).exitCode).toBe(0);
    expect(theTiles(stack)).toHaveLength(4);
    expect(namesOn(stack, "alerts")).toEqual(["Failing", "Slow"]);
  });
});

it("members that a list leaves out of the dashboard stay", async () => {
  const stack = stackWith({
    ...edited,
    tiles: [...(edited["tiles"] as JsonObject[]), tile(latency, "In it", { containerId: "c" })],
  });
  stack.show = (_, bodies) => bodies.map(({ containers: _left, ...shown }) => shown);
  await importStage(stack).run(backup, restoring("Errors"));
  expect(theBoard(stack)["containers"]).toEqual(edited["containers"]);
  expect(theTiles(stack)[3]).toMatchObject({ name: "In it", containerId: "c" });
});

describe("secrets that were taken out of the backup", () => {
  const note = (id: string, text: string): JsonObject =>
    tile(id, `Note ${id.slice(-1)}`, { config: { displayType: "markdown", markdown: text } });
  const [first, second] = [
    note(hexId("d", 1), "call «redacted:token» first"),
    note(hexId("d", 2), "call «redacted:token» now"),
  ];
  const archive = records({ dashboards: [board([first, second])], ...more });

  it("are asked for where the tile has them, and filled in", async () => {
    const blocked = await importStage(stackWith(board([tile(latency, "Latency")]), [])).run(
      archive,
      restoring("Note 2"),
    );
    expect(outcomeOf(blocked, "Overview")).toMatchObject({ action: "blocked", code: "redacted" });
    const stack = stackWith(board([tile(latency, "Latency")]), []);
    const filled = withSecrets(archive, {
      [`dashboards/${hexId("b", 16)}`]: { "/tiles/1/config/markdown": ["secret"] },
    });
    const run = await importStage(stack).run(filled.records, { ...restoring("Note 2"), secrets: filled.secrets });
    expect([run.exitCode, outcomeOf(run, "Overview")?.message]).toEqual([0, undefined]);
    expect(theTiles(stack)[1]).toMatchObject({ name: "Note 2", config: { markdown: "call secret now" } });
  });

  it("are not asked for where other tiles have them", async () => {
    const whole = records({ dashboards: [board([first, ...tiles])], ...more });
    const run = await importStage(stackWith(edited)).run(whole, restoring("Errors"));
    expect(run.exitCode).toBe(0);
  });
});

it("the restore of any tile leaves every other byte of any dashboard", async () => {
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
      const archive = records({ dashboards: [board(archived.map(made))], ...more });
      await importStage(stack).run(archive, restoring(String(chosen["id"])));
      const after = theTiles(stack);
      const content = ({ id: _id, ...rest }: JsonObject): JsonObject => rest;
      const untouched = before.filter((each) => after.some((now) => isDeepStrictEqual(now, each)));
      expect(before.length - untouched.length).toBeLessThanOrEqual(1);
      expect(after.length - before.length).toBeLessThanOrEqual(1);
      expect(tileIds(theBoard(stack)).slice(0, before.length)).toEqual(before.map(({ id }) => id));
      expect(after.map(content)).toContainEqual(content(chosen));
      expect(theBoard(stack)).toMatchObject({ name: "Overview", tags: ["t"], unknown: [1], filters: [env] });
      expect(storedRecords(stack, "alerts")).toEqual([watched]);
      for (const body of sentTo(stack, "update dashboards")) expect(body["unknown"]).toEqual([1]);
    }),
    propertyRuns(60),
  );
});
