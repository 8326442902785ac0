import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importInto } from "../support/import-stage.ts";
import { instantClock } from "../support/instant-clock.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack, refuse } from "../support/memory-stack.ts";
import type { JournalEntry } from "../support/resume-into.ts";
import { inventoryOf, journalOf, knownAfter, readAfter, stateOf, undoPlan } from "../support/resume-into.ts";
import { documentOf } from "../support/run-cli.ts";
import type { SmallBench } from "../support/small-bench.ts";
import {
  callSandbox,
  changeTheOne,
  editJournal,
  emptyStack,
  isWrite,
  listRecords,
  outcomesOf,
  smallBench,
  theOne,
} from "../support/small-bench.ts";
import { dashboard, hexId, records, source } from "../support/stack-records.ts";
import { theirLogs } from "../support/usual-stacks.ts";

const start = Date.UTC(2026, 0, 1);
const time = (offsetMs: number): string => new Date(start + offsetMs).toISOString();
type Intent = Extract<JournalEntry, { type: "intent" }>;
type Done = Extract<JournalEntry, { type: "done" }>;
const key = "dashboards/1";
const intent = (write: Intent["write"], more: Partial<Intent> = {}): Intent => ({
  type: "intent",
  at: time(0),
  key,
  name: "One",
  write,
  ...more,
});
const done = (write: Done["write"], content = "c", targetId = "t"): Done => ({
  type: "done",
  at: time(1),
  key,
  write,
  targetId,
  content,
});
const end = (result: "complete" | "incomplete" | "stopped", at = time(2)): JournalEntry => ({
  type: "end",
  at,
  result,
});

/** Runs an import whose process dies at its nth write; the journal is what it was at that moment. */
async function killAt(bench: SmallBench, nth: number, moment: "before" | "after", ...more: string[]): Promise<boolean> {
  let writes = 0;
  let left: string | undefined;
  const dead = (): Response => Response.json({ message: "the program is gone" }, { status: 403 });
  bench.watch = async (request, proceed) => {
    if (left !== undefined) return dead();
    if (!isWrite(request) || (writes += 1) < nth) return proceed();
    if (writes > nth) return dead();
    if (moment === "after") await proceed();
    left = readFileSync(join(bench.cwd, "j"), "utf8");
    return dead();
  };
  await bench.import(...more);
  bench.watch = (_, proceed) => proceed();
  if (left !== undefined) await writeFile(join(bench.cwd, "j"), left);
  return left !== undefined;
}

async function clickOf(bench: SmallBench, name: string): Promise<string> {
  const { tiles } = (await theOne(bench.to, "dashboards", name)) as unknown as {
    tiles: { config: { onClick?: { target: { id: string } } } }[];
  };
  return tiles[1]?.config.onClick?.target.id ?? "";
}

describe("an import whose process is killed at a write", () => {
  const writes = [1, 2, 3, 4, 5, 6];
  const moments = ["before", "after"] as const;
  it.each(writes.flatMap((nth) => moments.map((moment) => [nth, moment] as const)))(
    "number %i, %s the stack has carried it out, is finished by the next run and undone as a whole",
    async (nth, moment) => {
      await using bench = await smallBench();
      expect(await killAt(bench, nth, moment)).toBe(true);
      expect(documentOf(await bench.import())).toMatchObject({ exitCode: 0 });
      expect((await listRecords(bench.to, "dashboards")).map(({ name }) => name).toSorted()).toEqual([
        "One",
        "Three",
        "Two",
      ]);
      expect((await listRecords(bench.to, "alerts")).map(({ name }) => name).toSorted()).toEqual(["Busy", "Quiet"]);
      expect(await clickOf(bench, "One")).toBe((await theOne(bench.to, "dashboards", "Two")).id);
      expect(await clickOf(bench, "Two")).toBe((await theOne(bench.to, "dashboards", "One")).id);
      expect(documentOf(await bench.import())).toMatchObject({ exitCode: 0, counts: { unchanged: 5 } });
      expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 5 } });
      expect([...(await listRecords(bench.to, "dashboards")), ...(await listRecords(bench.to, "alerts"))]).toEqual([]);
    },
  );

  it("is undone by a rollback at once, what nobody wrote the end of included", async () => {
    await using bench = await smallBench();
    expect(await killAt(bench, 5, "after")).toBe(true);
    const there = [...(await listRecords(bench.to, "dashboards")), ...(await listRecords(bench.to, "alerts"))].length;
    expect(there).toBeGreaterThan(3);
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: { delete: there } });
    expect([...(await listRecords(bench.to, "dashboards")), ...(await listRecords(bench.to, "alerts"))]).toEqual([]);
  });

  it("and whose journal's last line was cut off with it, is finished too", async () => {
    await using bench = await smallBench();
    expect(await killAt(bench, 4, "after")).toBe(true);
    await editJournal(bench, (text) => `${text}{"type":"done","at":"20`);
    expect((await bench.import()).exitCode).toBe(0);
    expect(await listRecords(bench.to, "dashboards")).toHaveLength(3);
    expect(await listRecords(bench.to, "alerts")).toHaveLength(2);
  });

  it("is written down by the next run as its own work, so that a later change is told as one", async () => {
    await using bench = await smallBench();
    const only = ["--include", "Three", "--kinds", "dashboards"];
    expect(await killAt(bench, 1, "after", ...only)).toBe(true);
    expect(documentOf(await bench.import(...only))).toMatchObject({ exitCode: 0, counts: { unchanged: 1 } });
    expect((await bench.entries()).filter(({ type }) => type === "done")).toMatchObject([{ write: "create" }]);
    await changeTheOne(bench.to, "dashboards", "Three", { tags: ["later"] });
    expect(outcomesOf(await bench.rollback())).toMatchObject([{ name: "Three", code: "changed-since" }]);
    expect(documentOf(await bench.rollback("--force"))).toMatchObject({ counts: { delete: 1 } });
  });

  it("between an update and its answer still knows what it replaced", async () => {
    const theirs = dashboard(hexId("b", 18), "Three", hexId("b", 1), { tags: ["theirs"] });
    await using bench = await smallBench({ ...emptyStack("b"), dashboards: [theirs] });
    const update = ["--on-conflict", "update", "--include", "Three", "--kinds", "dashboards"];
    expect(await killAt(bench, 1, "after", ...update)).toBe(true);
    expect((await theOne(bench.to, "dashboards", "Three"))["tags"]).toEqual(["kept"]);
    expect(documentOf(await bench.import(...update))).toMatchObject({ exitCode: 0, counts: { unchanged: 1 } });
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: { update: 1 } });
    expect((await theOne(bench.to, "dashboards", "Three"))["tags"]).toEqual(["theirs"]);
  });
});

describe("an update of what an open create has made", () => {
  it("leaves a record that the import has created, and no open write", () => {
    const entries = [intent("create", { content: "c" }), intent("update", { targetId: "t", previous: { a: 1 } })];
    const { records: known, pendingWrites: open } = stateOf([...entries, done("update", "d")]);
    expect(open).toEqual([]);
    expect([...known]).toEqual([[key, { targetId: "t", content: "d", name: "One", created: true, linked: true }]]);
  });

  it("is undone by deleting the record", async () => {
    await using bench = await smallBench();
    const only = ["--include", "Three", "--kinds", "dashboards"];
    expect(await killAt(bench, 1, "after", ...only)).toBe(true);
    await changeTheOne(bench.to, "dashboards", "Three", { tags: ["somebody else"] });
    const run = documentOf(await bench.import(...only, "--on-conflict", "update"));
    expect(run).toMatchObject({ exitCode: 0, counts: { update: 1 } });
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 1 } });
    expect(await listRecords(bench.to, "dashboards")).toEqual([]);
  });
});

describe("two updates under one journal", () => {
  it("keep what the first one replaced", () => {
    const first = [intent("update", { targetId: "t", previous: { tags: ["first"] } }), done("update", "d")];
    const second = [intent("update", { targetId: "t", previous: { tags: ["second"] } }), done("update", "e")];
    const state = stateOf([...first, ...second]);
    expect(state.records.get(key)).toMatchObject({ content: "e", created: false, previous: { tags: ["first"] } });
  });

  it("are undone to the state before the first", async () => {
    const theirs = dashboard(hexId("b", 18), "Three", hexId("b", 1), { tags: ["first"] });
    await using bench = await smallBench({ ...emptyStack("b"), dashboards: [theirs] });
    const update = ["--on-conflict", "update"];
    expect(documentOf(await bench.import(...update))).toMatchObject({ counts: { create: 4, update: 1 } });
    await changeTheOne(bench.to, "dashboards", "Three", { tags: ["second"] });
    expect(documentOf(await bench.import(...update))).toMatchObject({ counts: { update: 1, unchanged: 4 } });
    const undone = await bench.rollback("--run", "all");
    expect(documentOf(undone)).toMatchObject({ exitCode: 0, counts: { update: 1, delete: 4 } });
    expect((await theOne(bench.to, "dashboards", "Three"))["tags"]).toEqual(["first"]);
    expect(await listRecords(bench.to, "dashboards")).toHaveLength(1);
  });
});

describe("what a journal says", () => {
  const created = [intent("create", { content: "c" }), done("create", "c")];
  const record = { targetId: "t", content: "c", name: "One", created: true, linked: false };

  it.each<[string, readonly JournalEntry[], object | undefined]>([
    ["a create that was answered", created, record],
    [
      "a create that was refused",
      [intent("create"), { type: "refused", at: time(1), key, write: "create", code: "rejected" }],
      undefined,
    ],
    [
      "a create and its link",
      [...created, intent("link", { targetId: "t" }), done("link", "d")],
      { ...record, content: "d", linked: true },
    ],
    ["a create and a run that came to its end", [...created, end("complete")], { ...record, linked: true }],
    ["a create and a run that was incomplete", [...created, end("incomplete")], record],
    [
      "a create, then an update",
      [...created, intent("update", { targetId: "t", previous: { a: 1 } }), done("update", "d")],
      { ...record, content: "d", linked: true },
    ],
    [
      "a create, then its delete by a rollback",
      [...created, intent("delete", { targetId: "t" }), done("delete", "")],
      undefined,
    ],
    [
      "an update, then what it replaced put back",
      [intent("update", { previous: { a: 1 } }), done("update"), intent("restore"), done("restore")],
      undefined,
    ],
    [
      "an update of what was there",
      [intent("update", { previous: { a: 1 } }), done("update")],
      { ...record, created: false, linked: true, previous: { a: 1 } },
    ],
    [
      "only a link of what was there",
      [intent("link", { previous: { a: 1 } }), done("link")],
      { ...record, created: false, linked: true },
    ],
    ["a delete whose end is not known", [...created, intent("delete", { targetId: "t" })], record],
  ])("of %s", (_, entries, expected) => {
    expect(stateOf(entries).records.get(key)).toEqual(expected);
  });

  it("of writes without an end is that they are open, each with what its intent said", () => {
    const previous = { tags: ["theirs"] };
    const state = stateOf([
      ...created,
      intent("link", { targetId: "t", content: "d", at: time(5) }),
      intent("update", { key: "dashboards/2", targetId: "u", previous, content: "e", at: time(7) }),
    ]);
    expect(state.pendingWrites).toEqual([
      { key, name: "One", write: "link", targetId: "t", content: "d", since: start + 5 },
      { key: "dashboards/2", name: "One", write: "update", targetId: "u", previous, content: "e", since: start + 7 },
    ]);
    expect(state).toMatchObject({ listsShowWrites: false, lastAt: start + 7 });
  });

  it("of a create that was begun again after it was refused is that it is open", () => {
    const refused: JournalEntry = { type: "refused", at: time(1), key, write: "create", code: "rejected" };
    expect(stateOf([intent("create"), refused]).pendingWrites).toEqual([]);
    expect(stateOf([intent("create"), refused, intent("create", { at: time(3) })]).pendingWrites).toMatchObject([
      { write: "create", since: start + 3 },
    ]);
  });

  it.each<[readonly JournalEntry[], boolean]>([
    [[], true],
    [[...created, end("complete")], true],
    [[...created, end("incomplete")], true],
    [[...created, end("stopped")], false],
    [created, false],
    [[...created, end("complete"), intent("delete", { targetId: "t" })], false],
  ])("of %# is whether the last run looked at the lists", (entries, listsShowWrites) => {
    expect(stateOf(entries).listsShowWrites).toBe(listsShowWrites);
  });
});

describe("writes whose end is not known", () => {
  const logs = source(hexId("a", 1), "Logs", hexId("c", 1));
  const target = (): MemoryStack => memoryStack({ dashboards: [], sources: [theirLogs], alerts: [], webhooks: [] });
  const twin = dashboard(hexId("a", 16), "Twin", hexId("a", 1), { tags: ["x"] });

  /** The journal of an import that dies once the stack has made its record, and before its answer. */
  async function killed(stack: MemoryStack): Promise<readonly JournalEntry[]> {
    const journal = journalOf();
    stack.interceptAfter = () => {
      throw new Error("killed");
    };
    const archive = records({ dashboards: [twin], sources: [logs] });
    await expect(importInto(stack, archive, {}, journal)).rejects.toThrow("killed");
    stack.interceptAfter = () => {};
    return journal.appended;
  }

  it("are known by what they made, one for one where several said the same", async () => {
    const stack = target();
    const entries = await killed(stack);
    const [first] = entries.filter((entry): entry is Intent => entry.type === "intent");
    const open = [...entries, { ...(first as Intent), key: `dashboards/${hexId("a", 17)}` as const }];
    expect(stateOf(open).pendingWrites).toHaveLength(2);
    const { recovered, state } = await knownAfter(stack, open);
    expect(recovered).toHaveLength(1);
    expect(state.pendingWrites).toHaveLength(1);
    expect(await undoPlan(stack, open)).toMatchObject([{ action: "delete" }]);
  });

  it("are not known by records of which more are there than they can have made", async () => {
    const stack = target();
    const entries = await killed(stack);
    const [made] = stack.records.get("dashboards")?.values() ?? [];
    stack.records.get("dashboards")?.set(hexId("d", 1), { ...made, id: hexId("d", 1) });
    expect((await knownAfter(stack, entries)).recovered).toEqual([]);
    expect((await undoPlan(stack, entries)).map(({ code }) => code)).toEqual(["ambiguous", "ambiguous"]);
  });

  it("are told apart by kind where two of them said the same", async () => {
    const stack = target();
    const entries = await killed(stack);
    const [first] = entries.filter((entry): entry is Intent => entry.type === "intent");
    const { recovered } = await knownAfter(stack, [{ ...(first as Intent), key: "alerts/1" }, ...entries]);
    expect(recovered).toMatchObject([{ key: first?.key, write: "create" }]);
  });

  it("do not take a record that another write is known to have made", async () => {
    const stack = target();
    const entries = await killed(stack);
    const [made] = stack.records.get("dashboards")?.keys() ?? [];
    const known: JournalEntry = { ...done("create", "other", made?.toUpperCase() ?? ""), key: "dashboards/other" };
    const { recovered, state } = await knownAfter(stack, [...entries, known]);
    expect(recovered).toEqual([]);
    expect(state.pendingWrites).toHaveLength(1);
  });

  it("do not take a record of the same content but of another kind, nor one without a known content", async () => {
    const stack = target();
    const entries = await killed(stack);
    const other = entries.map((entry) => (entry.type === "intent" ? { ...entry, key: "alerts/1" as const } : entry));
    expect((await knownAfter(stack, other)).recovered).toEqual([]);
    const silent = entries.map((entry) => {
      if (entry.type !== "intent") return entry;
      const { content: _content, ...rest } = entry;
      return rest;
    });
    expect((await knownAfter(stack, silent)).recovered).toEqual([]);
  });

  it("of an update are known only by the record that they were of, however its id is spelled", async () => {
    const body = dashboard(hexId("b", 16), "Mine", "");
    const stack = memoryStack({ dashboards: [body], sources: [], alerts: [], webhooks: [] });
    const probe = journalOf();
    const archive = records({ dashboards: [{ ...body, id: hexId("a", 17), tags: ["new"] }] });
    await importInto(stack, archive, { onConflict: "update" }, probe);
    const open = probe.appended.filter(({ type }) => type === "intent") as Intent[];
    expect(open).toMatchObject([{ write: "update", targetId: hexId("b", 16) }]);
    const [of] = open as [Intent];
    const spelled = { ...of, targetId: hexId("b", 16).toUpperCase() };
    expect((await knownAfter(stack, [spelled])).recovered).toMatchObject([
      { type: "done", write: "update", targetId: hexId("b", 16), content: of.content },
    ]);
    expect((await knownAfter(stack, [{ ...of, targetId: hexId("b", 99) }])).recovered).toEqual([]);
    expect((await knownAfter(stack, [{ ...of, content: "other" }])).recovered).toEqual([]);
    // A create that says the same does not claim what an update is of.
    expect(await undoPlan(stack, [of])).toMatchObject([{ action: "update", previous: { tags: [] } }]);
  });
});

describe("the lists of a target that an earlier run has written", () => {
  const made = { ...dashboard(hexId("b", 16), "One", ""), id: "t1" };
  const written = (at: string): JournalEntry[] => [
    { ...intent("create", { content: "c" }), at },
    { ...done("create", "c", "T1"), at },
  ];
  const stackWith = (...bodies: readonly (typeof made)[]): MemoryStack =>
    memoryStack({ dashboards: bodies, sources: [], alerts: [], webhooks: [] });
  const lists = ({ requests }: MemoryStack): number =>
    requests.filter(({ operation }) => operation === "list dashboards").length;

  it("are read once, at once, where they show it", async () => {
    const stack = stackWith({ ...made, id: "T1" });
    const read = await readAfter(stack, [...written(time(0)), end("complete", time(0))], instantClock(start));
    expect(read).toMatchObject({ waitedMs: 0, waits: [] });
    expect(lists(stack)).toBe(1);
  });

  it("are read again after as long as they may lag, where they do not show it", async () => {
    const stack = stackWith();
    const clock = instantClock(start + 4000);
    const store = stack.records.get("dashboards");
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (ms, signal) => {
      store?.set("T1", { ...made, id: "T1" });
      await sleep(ms, signal);
    };
    const read = await readAfter(stack, [...written(time(0)), end("complete", time(0))], clock);
    expect(read.waitedMs).toBe(6000);
    expect(read.waits).toMatchObject([{ type: "wait", untilMs: start + 10_000 }]);
    expect(read.inventory.kinds.get("dashboards")?.records.map(({ id }) => id)).toEqual(["T1"]);
    expect(lists(stack)).toBe(2);
  });

  it("are not waited for longer than they may lag, whatever the clock of the last run said", async () => {
    const late = time(3_600_000);
    const ended = await readAfter(stackWith(), [...written(late), end("complete", late)], instantClock(start));
    expect(ended.waitedMs).toBe(10_000);
    const stopped = await readAfter(stackWith(made), [...written(late), end("stopped", late)], instantClock(start));
    expect(stopped.waitedMs).toBeLessThanOrEqual(20_000);
    expect(stopped.waitedMs).toBeGreaterThanOrEqual(10_000);
  });

  it("are trusted once the time has passed, shown or not", async () => {
    const stack = stackWith();
    const read = await readAfter(stack, [...written(time(0)), end("complete", time(0))], instantClock(start + 10_000));
    expect(read.waitedMs).toBe(0);
    expect(lists(stack)).toBe(1);
  });

  it("are waited for as long as they may lag after a run that was killed", async () => {
    const stack = stackWith({ ...made, id: "T1" });
    expect((await readAfter(stack, written(time(0)), instantClock(start + 3000))).waitedMs).toBe(7000);
    const open = [intent("create", { content: "c", at: time(0) })];
    expect((await readAfter(stack, open, instantClock(start + 59 * 60_000))).waitedMs).toBe(10_000);
    expect((await readAfter(stack, open, instantClock(start + 60 * 60_000))).waitedMs).toBe(0);
  });

  it("are those read early only where no earlier run has begun anything", async () => {
    const early = inventoryOf(stackWith({ ...made, id: "early" }));
    const idsFrom = async (entries: readonly JournalEntry[]): Promise<readonly string[]> => {
      const { inventory } = await readAfter(stackWith(made), entries, instantClock(start + 7_200_000), { early });
      return inventory.kinds.get("dashboards")?.records.map(({ id }) => id) ?? [];
    };
    expect(await idsFrom([])).toEqual(["early"]);
    expect(await idsFrom([intent("create", { content: "c" })])).toEqual(["t1"]);
    expect(await idsFrom(written(time(0)))).toEqual(["t1"]);
  });

  it("are not read by a run that is interrupted while it waits", async () => {
    const stack = stackWith();
    const clock = instantClock(start);
    clock.sleep = () => Promise.reject(new Error("aborted"));
    await expect(readAfter(stack, written(time(0)), clock)).rejects.toMatchObject({ code: "interrupted" });
    expect(stack.requests).toEqual([]);
  });
});

describe("an import that was stopped", () => {
  it("sends in the next run only what it had not sent", async () => {
    await using bench = await smallBench();
    bench.watch = (request, proceed) =>
      request.route === "POST alerts" ? Response.json({ message: "no" }, { status: 401 }) : proceed();
    const first = await bench.import();
    expect(first.exitCode).toBe(5);
    const done = outcomesOf(first).filter(({ action, status }) => action === "create" && status === "done").length;
    expect(done).toBeGreaterThan(0);
    bench.watch = (_, proceed) => proceed();
    const before = bench.to.stats().byRoute;
    expect((await bench.import()).exitCode).toBe(0);
    const after = bench.to.stats().byRoute;
    expect(after["POST dashboards"]).toBe(3);
    expect((after["POST alerts"] ?? 0) - (before["POST alerts"] ?? 0)).toBe(2);
    expect(await listRecords(bench.to, "alerts")).toHaveLength(2);
  });

  it("does not take a record that somebody made by hand for its own", async () => {
    await using bench = await smallBench();
    const only = ["--include", "Three", "--kinds", "dashboards"];
    expect(await killAt(bench, 1, "before", ...only)).toBe(true);
    const { id: _id, ...body } = dashboard("", "Three", hexId("b", 1), { tags: ["by hand"] });
    const tiles = [{ name: "Other", x: 0, y: 0, w: 6, h: 3, config: { displayType: "markdown", markdown: "x" } }];
    await callSandbox(bench.to, "POST", "dashboards", { ...body, tiles });
    expect(documentOf(await bench.import(...only))).toMatchObject({ exitCode: 0, counts: { skip: 1 } });
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: {} });
    expect((await theOne(bench.to, "dashboards", "Three"))["tags"]).toEqual(["by hand"]);
  });

  it("is not waited for where what it sent was refused", async () => {
    const stack = memoryStack({ dashboards: [], sources: [], alerts: [], webhooks: [] });
    stack.intercept = (operation) => {
      if (operation.startsWith("create")) throw refuse("rejected", "no");
    };
    const journal = journalOf();
    await importInto(stack, records({ dashboards: [dashboard(hexId("a", 16), "One", "")] }), {}, journal);
    expect(stateOf(journal.appended)).toMatchObject({ pendingWrites: [], listsShowWrites: true });
    expect(stateOf(journal.appended).records.size).toBe(0);
  });
});
