import { describe, expect, it } from "vitest";
import { importStage, writesOn } from "../support/import-stage.ts";
import { instantClock } from "../support/instant-clock.ts";
import { memoryStack, refuse } from "../support/memory-stack.ts";
import type { JournalEntry } from "../support/resume-into.ts";
import { readAfter, stateOf } from "../support/resume-into.ts";
import { dashboard, hexId, records } from "../support/stack-records.ts";
import { logs } from "../support/usual-stacks.ts";

const key = "dashboards/one";
const at = "2026-01-01T00:00:00.000Z";
const intent = (write: "create" | "update" | "restore" | "delete", more: object = {}): JournalEntry => ({
  type: "intent",
  at,
  key,
  name: "One",
  write,
  ...more,
});
const done = (write: "create" | "update" | "restore" | "delete", targetId = hexId("b", 9)): JournalEntry => ({
  type: "done",
  at,
  key,
  write,
  targetId,
  content: "digest",
});

describe("what a journal says of a record", () => {
  it("is that the import created it, where it was updated while its create was pending", () => {
    const { records: known, pendingWrites: open } = stateOf([
      intent("create"),
      intent("update", { previous: {} }),
      done("update"),
    ]);
    expect(known.get(key)).toMatchObject({ created: true });
    expect(known.get(key)).not.toHaveProperty("previous");
    expect(open).toEqual([]);
  });

  it("is what the first of two updates replaced", () => {
    const twice = ["first", "second"].flatMap((name) => [intent("update", { previous: { name } }), done("update")]);
    expect(stateOf(twice).records.get(key)).toMatchObject({ created: false, previous: { name: "first" } });
  });

  it("is nothing once it was deleted or put back", () => {
    for (const write of ["delete", "restore"] as const) {
      expect(stateOf([intent("create"), done("create"), intent(write), done(write)]).records.size).toBe(0);
    }
  });

  it("is nothing where the journal is empty, and there is nothing to wait for", () => {
    expect(stateOf([])).toMatchObject({ listsShowWrites: true, pendingWrites: [] });
  });
});

describe("a create of which no end is known", () => {
  const incomplete: JournalEntry = { type: "end", at, result: "incomplete" };
  const begun = [intent("create"), incomplete, intent("update", { previous: {}, content: "digest" })];

  it("is of the run that began it, whatever a later run has begun with its record", () => {
    const { creating, pendingWrites: open } = stateOf(begun);
    expect([...creating]).toEqual([[key, 1]]);
    expect(open.map(({ write }) => write)).toEqual(["create", "update"]);
  });

  it("and that a later run found there still wants its links where only that run is undone", () => {
    const undone: JournalEntry = { type: "rollback", at, undoes: [2] };
    const put = { ...done("restore"), content: "digest" } as JournalEntry;
    const { records: known, creating } = stateOf([
      ...begun,
      done("update"),
      undone,
      intent("restore", { content: "digest" }),
      put,
    ]);
    expect(known.get(key)).toMatchObject({ created: true, linked: false });
    expect(creating.size).toBe(0);
  });
});

describe("what a journal says was lost to a cascade", () => {
  const lost = { at, key, name: "One", body: { id: "one" } } as const;
  const lossEntry: JournalEntry = { type: "cascade-loss", ...lost };

  it("is known with its run, and only in danger where nobody has looked", () => {
    const of = { key, name: "One", body: { id: "one" }, run: 1 };
    expect(stateOf([intent("update"), lossEntry]).cascadeLosses).toEqual([{ ...of, proven: true }]);
    const { cascadeLosses: atRisk } = stateOf([intent("update"), { type: "at-risk", ...lost }]);
    expect(atRisk).toEqual([{ ...of, proven: false }]);
  });

  it("is nothing once it was found again, and stays whatever else was found", () => {
    expect(stateOf([lossEntry, { type: "found", at, key }]).cascadeLosses).toEqual([]);
    expect(stateOf([lossEntry, { type: "found", at, key: "dashboards/two" }]).cascadeLosses).toHaveLength(1);
  });

  it("is brought back under the id that it was given", () => {
    const { cascadeLosses, broughtBack } = stateOf([lossEntry, intent("restore"), done("restore", hexId("b", 7))]);
    expect(cascadeLosses).toEqual([]);
    expect(broughtBack).toMatchObject([{ key, body: { id: "one" }, targetId: hexId("b", 7) }]);
  });
});

describe("what a run deleted", () => {
  const entry = { at, key, write: "remove", targetId: hexId("b", 9) } as const;
  const removed: JournalEntry[] = [
    { type: "intent", name: "One", previous: { id: "one" }, ...entry },
    { type: "done", content: "digest", ...entry },
  ];

  it("is counted, and is left to be undone until it is brought back", () => {
    expect(stateOf(removed).runs).toMatchObject([{ created: 0, updated: 0, deleted: 1, notUndone: 1 }]);
    const undone: JournalEntry = { type: "rollback", at, undoes: [1] };
    const { runs, cascadeLosses } = stateOf([...removed, undone, intent("restore"), done("restore")]);
    expect(runs).toMatchObject([{ deleted: 1, notUndone: 0 }]);
    expect(cascadeLosses).toEqual([]);
  });

  it("is not counted for another run", () => {
    const incomplete: JournalEntry = { type: "end", at, result: "incomplete" };
    const { runs } = stateOf([intent("update"), done("update"), incomplete, ...removed]);
    expect(runs).toMatchObject([
      { updated: 1, deleted: 0, notUndone: 1 },
      { updated: 0, deleted: 1, notUndone: 1 },
    ]);
  });
});

it("nothing counts as brought back but what a rollback puts back", () => {
  const updates = ["one", "two"].flatMap((name) => [intent("update", { previous: { name } }), done("update")]);
  expect(stateOf(updates).broughtBack).toEqual([]);
  const undone: JournalEntry = { type: "rollback", at, undoes: [1] };
  const put = [...updates, undone, intent("restore"), done("restore")];
  expect(stateOf(put).broughtBack).toMatchObject([{ body: { name: "one" }, targetId: hexId("b", 9) }]);
});

describe("lists that were read early", () => {
  const stack = () => memoryStack({ dashboards: [], sources: [], alerts: [], webhooks: [] });
  const early = async (entries: readonly JournalEntry[], target = stack()) => {
    const inventory = { stack: target.client.identity, kinds: new Map() };
    const read = await readAfter(target, entries, instantClock(), { early: Promise.resolve(inventory) });
    return read.inventory === inventory;
  };

  it("are used only where no earlier run has written or begun anything", async () => {
    expect(await early([])).toBe(true);
    expect(await early([intent("create"), done("create")])).toBe(false);
    expect(await early([intent("create")])).toBe(false);
  });

  it("are not waited for where they show a record under an id in another case", async () => {
    const body = dashboard(hexId("b", 9), "One", hexId("a", 1));
    const target = memoryStack({ dashboards: [body], sources: [], alerts: [], webhooks: [] });
    const written = done("create", hexId("b", 9).toUpperCase());
    const end: JournalEntry = { type: "end", at, result: "complete" };
    const clock = { ...instantClock(), now: () => Date.parse(at) };
    const { waits } = await readAfter(target, [intent("create"), written, end], clock);
    expect(waits).toEqual([]);
  });
});

it("a run that was stopped ends its journal as stopped", async () => {
  const sources = [logs];
  const target = memoryStack({ dashboards: [], sources, alerts: [], webhooks: [] });
  target.intercept = (operation) => {
    if (operation === "create dashboards") throw refuse("unauthorized", "no");
  };
  const stage = importStage(target);
  const archive = records({ dashboards: [dashboard(hexId("a", 9), "One", hexId("a", 1))], sources });
  expect((await stage.run(archive)).stopped).toMatchObject({ code: "unauthorized" });
  expect(stage.history.at(-1)).toMatchObject({ type: "end", result: "stopped" });
  expect(writesOn(target)).toEqual(["create dashboards"]);
});
