import { describe, expect, it } from "vitest";
import { recordsOn } from "../../support/on-stack.ts";
import {
  importStage,
  outcomeOf,
  bodiesSentTo,
  writesOn,
  type JournalEntry,
  type JsonObject,
  type RunOptions,
} from "../../support/import-stage.ts";
import type { EntryOf } from "../../../src/core/plan/journal.ts";
import type { RecordKey } from "../../../src/core/records/record.ts";
import { deleteRecord, memoryStack, refusalError, type MemoryStack } from "../../support/memory-stack.ts";
import {
  alert,
  dashboard,
  hexId,
  records,
  source,
  sqlDashboard,
  tileWith,
  webhook,
  targetIds,
  archiveIds,
} from "../../support/stack-records.ts";
import { logs } from "../../support/import-samples.ts";

/** A source of the target under another name. */
const renamedId = hexId("b", 2);

const elsewhere = { variant: "self-hosted", baseUrl: "http://elsewhere.test" } as const;
const [ONE, TWO] = [hexId("a", 16), hexId("a", 17)];
const theirs = (number: number, name: string): JsonObject => dashboard(hexId("b", number), name, targetIds.source);
const onto = (seed: Readonly<Record<string, readonly JsonObject[]>> = {}): MemoryStack =>
  memoryStack({
    dashboards: [theirs(16, "One"), theirs(17, "Other"), theirs(18, "Third")],
    alerts: [],
    sources: [source(targetIds.source, "Logs", hexId("c", 2)), source(renamedId, "Renamed", hexId("c", 3), "t2")],
    webhooks: [webhook(hexId("b", 3), "pager")],
    ...seed,
  });
const connectionOf = (number: number, name: string): JsonObject => ({
  id: hexId("c", number),
  name,
  host: "http://db",
});
const ours = {
  sources: [logs],
  dashboards: [dashboard(ONE, "One", archiveIds.source), dashboard(TWO, "Two", archiveIds.source)],
};

/** Returns the journal of an earlier run, which knows the target's id of each record. */
const historyOf = (ids: Readonly<Record<string, string>>, more: Partial<EntryOf<"seen">> = {}): JournalEntry[] => {
  const at = "2026-01-01T00:00:00.000Z";
  const seen = Object.entries(ids).map(([key, targetId]): JournalEntry => {
    return { type: "seen", key: key as RecordKey, name: "", targetId, parts: {}, ...more };
  });
  return [{ type: "begin", at, run: 1 }, ...seen, { type: "end", at }];
};

/** Runs an import with a journal in which earlier imports have noted these records. */
async function run(
  entries: Readonly<Record<string, string>>,
  options: RunOptions = {},
  { stack = onto(), archive = records(ours) } = {},
) {
  const stage = importStage(stack);
  stage.history.push(...historyOf(entries));
  const done = await stage.run(archive, { source: elsewhere, ...options });
  return { ...done, targetOf: (id: string) => outcomeOf(done, id)?.targetId };
}

describe("a record that the journal knows", () => {
  it("gives way to the map file, for either side of its line", async () => {
    const entries = { [`dashboards/${ONE}`]: hexId("b", 17) };
    const here = await run(entries, { mapping: { dashboards: { One: hexId("b", 18) } } });
    expect(here.targetOf(ONE)).toBe(hexId("b", 18));
    const there = await run(entries, { mapping: { dashboards: { Two: hexId("b", 17) } } });
    expect([there.targetOf(TWO), there.targetOf(ONE)]).toEqual([hexId("b", 17), hexId("b", 16)]);
  });

  it("is listed as a match with both names, and the connection's match is inferred from it", async () => {
    const sql = sqlDashboard(ONE, hexId("c", 1));
    const connections = [connectionOf(2, "Other"), connectionOf(3, "Theirs")];
    const stack = onto({ dashboards: [], connections });
    const archive = records({
      ...ours,
      connections: [connectionOf(1, "Main")],
      dashboards: [sql, dashboard(TWO, "Two", archiveIds.source)],
    });
    const { plan } = await run({ [`sources/${hexId("a", 1)}`]: renamedId }, {}, { stack, archive });
    expect(plan.matches).toEqual([
      expect.objectContaining({
        from: hexId("a", 1),
        to: renamedId,
        name: "Logs",
        targetName: "Renamed",
        rule: "journal",
      }),
      expect.objectContaining({
        space: "connections",
        to: hexId("c", 3),
        name: "Main",
        targetName: "Theirs",
        rule: "inferred",
      }),
    ]);
    const sent = JSON.stringify(bodiesSentTo(stack, "create dashboards"));
    expect(sent).toContain(`"connectionId":"${hexId("c", 3)}"`);
    expect(sent).toContain(`"sourceId":"${renamedId}"`);
  });

  it("reserves a webhook: an alert that needs another one of this name is blocked", async () => {
    const [oncall, pager] = [webhook(hexId("a", 3), "oncall"), webhook(hexId("a", 4), "pager")];
    const busy = alert(hexId("a", 32), "Busy", ours.dashboards[0] ?? {}, hexId("a", 4));
    const archive = records({ ...ours, webhooks: [oncall, pager], alerts: [busy] });
    const done = await run({ [`webhooks/${hexId("a", 3)}`]: hexId("b", 3) }, {}, { archive });
    expect(outcomeOf(done, "Busy")).toMatchObject({ code: "missing-reference" });
  });

  it("reserves its target record, so that another record is not matched with it by name", async () => {
    const twins = records({
      ...ours,
      sources: [...ours.sources, source(hexId("a", 2), "Renamed", hexId("c", 1), "t9")],
    });
    const { plan } = await run({ [`sources/${hexId("a", 1)}`]: renamedId }, {}, { archive: twins });
    expect(plan.matches.filter(({ space }) => space === "sources").map(({ from, to }) => [from, to])).toEqual([
      [hexId("a", 1), renamedId],
    ]);
  });
});

it("a tile that the journal knows is matched under another name while its dashboard is the one that the journal knows", async () => {
  const tile = (id: string, name: string): JsonObject =>
    tileWith(id, name, { displayType: "line", sourceId: targetIds.source, select: [{ aggFn: "count", alias: name }] });
  const board = (id: string, ...tiles: JsonObject[]): JsonObject => dashboard(id, "One", "", { tiles });
  const [first, second] = [hexId("d", 1), hexId("d", 2)];
  const here = board(ONE, tile(first, "First"), tile(second, "Second"));
  const watching = { ...alert(hexId("a", 32), "Busy", here, hexId("a", 3)), tileId: first };
  const archive = records({
    ...ours,
    dashboards: [here],
    webhooks: [webhook(hexId("a", 3), "pager")],
    alerts: [watching],
  });
  const [became, other] = [hexId("e", 1), hexId("e", 2)];
  const there = board(hexId("b", 16), tile(other, "New"), tile(became, "Renamed"));
  const sent = async (targetId: string) => {
    const stack = onto({ dashboards: [there, { ...theirs(17, "Other") }] });
    const stage = importStage(stack);
    const children = { "dashboards/tiles": { [first]: became } };
    stage.history.push(...historyOf({ [`dashboards/${ONE}`]: targetId }, { children }));
    await stage.run(archive, { source: elsewhere });
    return bodiesSentTo(stack, "create alerts").map(({ tileId }) => tileId);
  };
  expect(await sent(hexId("b", 16))).toEqual([became]);
  expect(await sent(hexId("b", 99))).toEqual([]);
});

describe("a line of the map file for a dashboard, to which an import gives the archive's name", () => {
  const archive = records({
    ...ours,
    dashboards: [...ours.dashboards, dashboard(hexId("a", 18), "Other", archiveIds.source)],
  });
  const update = { source: elsewhere, onConflict: "overwrite" } as const;
  const options = { ...update, mapping: { dashboards: { Two: hexId("b", 17) } } };
  const namesAndIds = (stack: MemoryStack) =>
    recordsOn(stack, "dashboards").map(({ id, name }) => [String(name), id] as const);

  it.each([
    ["its name", "Other"],
    ["its name with blanks", " Other "],
  ])("is refused for %s, which may mean another record in the next run; with the id", async (_, to) => {
    const stack = onto();
    const run = importStage(stack).run(archive, { ...update, mapping: { dashboards: { Two: to } } });
    await expect(run).rejects.toMatchObject({ code: "usage", faults: [expect.stringContaining(hexId("b", 17))] });
    expect(writesOn(stack)).toEqual([]);
  });

  it("keeps its record in later runs, with and without the line", async () => {
    const stack = onto();
    const stage = importStage(stack);
    expect((await stage.run(archive, options)).exitCode).toBe(0);
    const before = namesAndIds(stack);
    expect(before.map(([name]) => name).toSorted()).toEqual(["One", "Other", "Third", "Two"]);
    for (const more of [{}, { mapping: {} }, {}]) {
      const again = await stage.run(archive, { ...options, ...more });
      expect([again.exitCode, outcomeOf(again, "Two")?.targetId]).toEqual([0, hexId("b", 17)]);
    }
    expect(namesAndIds(stack)).toEqual(before);
    const byId = await importStage(stack).run(archive, options);
    expect([byId.exitCode, namesAndIds(stack)]).toEqual([0, before]);
  });

  it("names another record if the line is changed, and is refused if that one is gone", async () => {
    const stack = onto();
    const stage = importStage(stack);
    await stage.run(archive, options);
    const other = { ...options, mapping: { dashboards: { Two: hexId("b", 18) } } };
    expect(outcomeOf(await stage.run(archive, other), "Two")).toMatchObject({
      action: "update",
      targetId: hexId("b", 18),
    });
    for (const _ of [1, 2]) deleteRecord(stack, "dashboards", "Two");
    await expect(stage.run(archive, other)).rejects.toMatchObject({ code: "usage" });
  });

  it("contradicts a line for the same record: nothing is written", async () => {
    const stack = onto();
    const mapping = { dashboards: { Two: hexId("b", 17), [TWO]: hexId("b", 18) }, webhooks: {} };
    await expect(importStage(stack).run(archive, { ...options, mapping })).rejects.toMatchObject({ code: "usage" });
    const agreeing = { dashboards: { Two: hexId("b", 17), [TWO]: hexId("b", 17) } };
    expect((await importStage(stack).run(archive, { ...options, mapping: agreeing })).exitCode).toBe(0);
  });

  it("finds its record again after a run that was stopped in a chain of renames", async () => {
    const stack = onto();
    const stage = importStage(stack);
    const chain = { ...options, mapping: { dashboards: { Two: hexId("b", 17), Other: hexId("b", 18) } } };
    stack.intercept = (operation, body) => {
      if (operation === "update dashboards" && body?.["name"] === "Two") throw refusalError("rejected", "no");
    };
    expect((await stage.run(archive, chain)).exitCode).toBe(3);
    stack.intercept = () => {};
    expect((await stage.run(archive, chain)).exitCode).toBe(0);
    expect(namesAndIds(stack)).toEqual([
      ["One", hexId("b", 16)],
      ["Two", hexId("b", 17)],
      ["Other", hexId("b", 18)],
    ]);
  });
});
