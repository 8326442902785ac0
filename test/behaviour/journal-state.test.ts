import { describe, expect, it } from "vitest";
import {
  CONSISTENCY_WAIT_MS,
  importStage,
  importInto,
  outcomeLines,
  writesOn,
  type JsonObject,
} from "../support/import-stage.ts";
import { instantClock } from "../support/instant-clock.ts";
import { beginEntry } from "../support/journal-file.ts";
import {
  failOperation,
  runKilled,
  storedRecord,
  putRecord,
  refusalError,
  type MemoryStack,
} from "../support/memory-stack.ts";
import {
  inventoryOf,
  journalOf,
  replayAfterRun,
  readAfter,
  stateOf,
  planRollbackOf,
  type JournalEntry,
  type JournalReplay,
} from "../support/rollback-runs.ts";
import { dashboard, hexId, records } from "../support/stack-records.ts";
import { logs, usualTarget } from "../support/import-samples.ts";

// The next run reads the journal, and lists a target to which an earlier run has written.

const start = Date.UTC(2026, 0, 1);
const time = (offsetMs: number): string => new Date(start + offsetMs).toISOString();
type Intent = Extract<JournalEntry, { type: "intent" }>;
type Done = Extract<JournalEntry, { type: "done" }>;
const key = "dashboards/1";
const intent = (write: Intent["write"], more: Partial<Intent> = {}): Intent => {
  return { type: "intent", at: time(0), key, name: "One", write, ...more };
};
const done = (write: Done["write"], content = "c", targetId = "t"): Done => {
  return { type: "done", at: time(1), key, write, targetId, content };
};
const refused: JournalEntry = { type: "refused", at: time(1), key, write: "create", code: "rejected" };
const end = (result: "complete" | "incomplete" | "stopped", at = time(2)): JournalEntry => ({
  type: "end",
  at,
  result,
});
const undone = (...undoes: number[]): JournalEntry => ({ type: "rollback", at: time(0), undoes });

const created = [intent("create", { content: "c" }), done("create")];
const updated = (name: string, content = "d"): JournalEntry[] => [
  intent("update", { targetId: "t", previous: { name } }),
  done("update", content),
];
const putBack = (targetId = "t"): JournalEntry[] => [intent("restore"), done("restore", "c", targetId)];
const deleted: JournalEntry[] = [intent("remove", { targetId: "t", previous: { id: "one" } }), done("remove")];
const other = "dashboards/2";
const restoredOther: JournalEntry[] = [
  { ...intent("restore"), key: other },
  { ...done("restore", "c", "v"), key: other },
];
const lost: JournalEntry = { type: "cascade-loss", at: time(0), key, name: "One", body: { id: "one" } };

describe("journal › a record", () => {
  const record = { targetId: "t", content: "c", name: "One", created: true, linked: false };
  const there = { ...record, created: false, linked: true };

  it.each<[string, readonly JournalEntry[], object | undefined]>([
    ["a create that was answered", created, record],
    ["a create that was refused", [intent("create"), refused], undefined],
    [
      "a create and its link",
      [...created, intent("link", { targetId: "t" }), done("link", "d")],
      { ...record, content: "d", linked: true },
    ],
    ["a create whose link was found again", [...created, done("link", "d")], { ...record, content: "d", linked: true }],
    [
      "a create of which only the link has an end",
      [intent("create"), intent("link"), done("link")],
      { ...record, linked: true },
    ],
    ["a create and a complete run", [...created, end("complete")], { ...record, linked: true }],
    ["a create and an incomplete run", [...created, end("incomplete")], record],
    ["a create, then an update", [...created, ...updated("a")], { ...record, content: "d", linked: true }],
    ["an open create, then an update", [intent("create"), ...updated("a")], { ...record, content: "d", linked: true }],
    ["a create, then its delete", [...created, intent("delete", { targetId: "t" }), done("delete", "")], undefined],
    ["a create, then what a rollback put back", [...created, ...putBack()], undefined],
    ["a delete whose end is not known", [...created, intent("delete", { targetId: "t" })], record],
    ["an update of what was there", updated("a", "c"), { ...there, previous: { name: "a" } }],
    [
      "two updates: what the first replaced",
      [...updated("a"), ...updated("b", "c")],
      { ...there, previous: { name: "a" } },
    ],
    ["an update, then what it replaced put back", [...updated("a"), ...putBack()], undefined],
    [
      "a create, then an update that was undone into another form",
      [
        ...created,
        end("complete"),
        ...updated("a"),
        undone(2),
        intent("restore", { content: "c" }),
        done("restore", "e"),
      ],
      { ...record, content: "e", linked: true },
    ],
    ["only a link of what was there", [intent("link", { previous: { a: 1 } }), done("link")], there],
  ])("%s", (_, entries, expected) => {
    expect(stateOf(entries).records.get(key)).toEqual(expected);
  });
});

describe("journal › what is open, lost and deleted", () => {
  const previous = { tags: ["theirs"] };
  const two = { key: "dashboards/2", targetId: "u", previous, content: "e" } as const;
  const loss = { key, name: "One", body: { id: "one" }, run: 1 };
  const begun = [intent("create"), end("incomplete"), intent("update", { previous: {}, content: "d" })];
  const found = (of: "dashboards/1" | "dashboards/2"): JournalEntry => ({ type: "found", at: time(0), key: of });

  it.each<[string, readonly JournalEntry[], Partial<Record<keyof JournalReplay, unknown>>]>([
    ["nothing: there is nothing to wait for", [], { listsShowWrites: true, pendingWrites: [] }],
    [
      "writes without an end are open, each with what its intent said",
      [
        ...created,
        intent("link", { targetId: "t", content: "d", at: time(5) }),
        intent("update", { ...two, at: time(7) }),
      ],
      {
        pendingWrites: [
          { key, name: "One", write: "link", targetId: "t", content: "d", since: start + 5 },
          { ...two, name: "One", write: "update", since: start + 7 },
        ],
        listsShowWrites: false,
        lastAt: start + 7,
      },
    ],
    ["a refused create is not open", [intent("create"), refused], { pendingWrites: [] }],
    ["an update ends the create that was open", [intent("create"), ...updated("a")], { pendingWrites: [] }],
    [
      "a create that was begun again is",
      [intent("create"), refused, intent("create", { at: time(3) })],
      { pendingWrites: [{ write: "create", since: start + 3 }] },
    ],
    [
      "a create without an end is of the run that began it, whatever a later one has begun",
      begun,
      { creating: new Map([[key, 1]]), pendingWrites: [{ write: "create" }, { write: "update" }] },
    ],
    [
      "a create that a later run found there wants its links where only that run is undone",
      [...begun, done("update", "d"), undone(2), intent("restore", { content: "d" }), done("restore", "d")],
      { records: new Map([[key, expect.objectContaining({ created: true, linked: false })]]), creating: new Map() },
    ],
    ["a loss is known with its run", [intent("update"), lost], { cascadeLosses: [{ ...loss, proven: true }] }],
    [
      "what nobody has looked for is only in danger",
      [intent("update"), { ...lost, type: "at-risk" }],
      { cascadeLosses: [{ ...loss, proven: false }] },
    ],
    ["a loss that was found again is none", [lost, found(key)], { cascadeLosses: [] }],
    ["a loss stays, whatever else was found", [lost, found("dashboards/2")], { cascadeLosses: [{ key }] }],
    [
      "a loss is brought back under the id that it was given",
      [lost, ...putBack("u")],
      { cascadeLosses: [], broughtBack: [{ key, body: { id: "one" }, targetId: "u" }] },
    ],
    [
      "of two losses that are brought back, the one whose links are restored is linked",
      [lost, { ...lost, key: other }, ...putBack("u"), ...restoredOther, ...restoredOther],
      {
        broughtBack: [
          { key, linked: false },
          { key: other, linked: true },
        ],
      },
    ],
    [
      "a loss to a cascade is no delete that the run would have to undo",
      [intent("create"), done("create"), lost, undone(1), intent("delete", { targetId: "t" }), done("delete")],
      { cascadeLosses: [{ key }], runs: [{ deleted: 0, notUndone: 0 }] },
    ],
    ["a delete is left to be undone", deleted, { runs: [{ created: 0, updated: 0, deleted: 1, notUndone: 1 }] }],
    [
      "a delete is undone once it is brought back",
      [...deleted, undone(1), ...putBack()],
      { runs: [{ deleted: 1, notUndone: 0 }], cascadeLosses: [] },
    ],
    [
      "a delete is not counted for another run",
      [...updated("a"), end("incomplete"), ...deleted],
      {
        runs: [
          { updated: 1, deleted: 0, notUndone: 1 },
          { updated: 0, deleted: 1, notUndone: 1 },
        ],
      },
    ],
    ["nothing is brought back by updates", [...updated("a"), ...updated("b")], { broughtBack: [] }],
    [
      "but by what a rollback puts back",
      [...updated("a"), ...updated("b"), undone(1), ...putBack()],
      { broughtBack: [{ body: { name: "a" }, targetId: "t" }] },
    ],
    ["a complete run has looked at the lists", [...created, end("complete")], { listsShowWrites: true }],
    ["so has an incomplete one", [...created, end("incomplete")], { listsShowWrites: true }],
    ["a stopped one has not", [...created, end("stopped")], { listsShowWrites: false }],
    ["nor one without an end", created, { listsShowWrites: false }],
    ["nor one that began something since", [...created, end("complete"), intent("delete")], { listsShowWrites: false }],
  ])("%s", (_, entries, expected) => {
    expect(stateOf(entries)).toMatchObject(expected);
  });
});

describe("journal › the runs and their writes", () => {
  const wrote = (write: "create" | "update" | "restore", content: string, sent = content): JournalEntry[] => [
    intent(write, { content: sent, ...(write === "update" && { previous: {} }) }),
    done(write, content),
  ];
  const twice = [...wrote("create", "c"), end("complete"), ...wrote("update", "d"), end("complete")];

  it.each<[string, readonly JournalEntry[], object[]]>([
    [
      "the last run is undone: the result of the run before stays, in the form in which the target stores it now",
      [...twice, undone(2), ...wrote("restore", "e", "c")],
      [{ run: 1, created: true, content: "e" }],
    ],
    [
      "the last run is undone: somebody's edit is not taken for the result of the run before",
      [...twice, undone(2), ...wrote("restore", "e", "theirs")],
      [{ run: 1, content: "c" }],
    ],
    ["a rollback of an earlier version: no write stays", [...twice, ...wrote("restore", "c")], []],
    [
      "a record that the second run found is of the create of the first",
      [intent("create", { content: "c" }), end("complete"), ...wrote("update", "d")],
      [
        { run: 1, created: true },
        { run: 2, created: false, previous: {} },
      ],
    ],
  ])("%s", (_, entries, writes) => {
    expect(stateOf(entries).writes.get(key) ?? []).toMatchObject(writes);
  });

  it("have a start, also a run that wrote nothing", () => {
    const [first, later] = [time(5000), time(9000)];
    const { runs } = stateOf([
      { ...beginEntry, at: first },
      end("complete"),
      ...wrote("create", "c").map((entry) => ({ ...entry, at: later })),
    ]);
    expect(runs).toMatchObject([
      { number: 1, begunAt: first, created: 0, result: "complete" },
      { number: 2, begunAt: later, created: 1, result: "open" },
    ]);
  });
});

describe("journal › writes without a recorded end (response lost or run killed)", () => {
  const twin = dashboard(hexId("a", 16), "Twin", hexId("a", 1), { tags: ["x"] });

  /** Runs an import that is killed after the stack has created its record, and before the answer arrives. */
  async function killedCreate(): Promise<{ stack: MemoryStack; entries: readonly JournalEntry[]; pending: Intent }> {
    const stack = usualTarget();
    const journal = journalOf();
    const run = () => importInto(stack, records({ dashboards: [twin], sources: [logs] }), {}, journal);
    await runKilled(stack, "after", /^create/, run);
    const entries = journal.appended;
    return { stack, entries, pending: entries.find(({ type }) => type === "intent") as Intent };
  }

  it("several creates had the same body → each is assigned one created record", async () => {
    const { stack, entries, pending } = await killedCreate();
    const all = [...entries, { ...pending, key: `dashboards/${hexId("a", 17)}` as const }];
    expect(stateOf(all).pendingWrites).toHaveLength(2);
    const { recovered, state } = await replayAfterRun(stack, all);
    expect([recovered.length, state.pendingWrites.length]).toEqual([1, 1]);
    expect(await planRollbackOf(stack, all)).toMatchObject([{ action: "delete" }]);
  });

  it("more equal records than creates → ambiguous", async () => {
    const { stack, entries } = await killedCreate();
    putRecord(stack, "dashboards", { ...storedRecord(stack, "dashboards", "Twin"), id: hexId("d", 1) });
    expect((await replayAfterRun(stack, entries)).recovered).toEqual([]);
    expect(outcomeLines(await planRollbackOf(stack, entries), "code")).toEqual(["ambiguous", "ambiguous"]);
  });

  it("two kinds had the same body → the create of the right kind is found", async () => {
    const { stack, entries, pending } = await killedCreate();
    const { recovered } = await replayAfterRun(stack, [{ ...pending, key: "alerts/1" }, ...entries]);
    expect(recovered).toMatchObject([{ key: pending.key, write: "create" }]);
  });

  it("another write is recorded as the record's create → the record is not taken", async () => {
    const { stack, entries } = await killedCreate();
    const made = storedRecord(stack, "dashboards", "Twin").id.toUpperCase();
    const { recovered, state } = await replayAfterRun(stack, [
      ...entries,
      { ...done("create", "other", made), key: "dashboards/other" },
    ]);
    expect([recovered.length, state.pendingWrites.length]).toEqual([0, 1]);
  });

  it.each<[string, Partial<Intent>]>([
    ["of another kind", { key: "alerts/1" }],
    ["without a known content", { content: undefined }],
  ])("the record is %s → not taken", async (_, other) => {
    const { stack, entries } = await killedCreate();
    const changed = entries.map((entry) => (entry.type === "intent" ? { ...entry, ...other } : entry));
    expect((await replayAfterRun(stack, changed)).recovered).toEqual([]);
  });

  it("an update is known only by the record that it was of, however its id is spelled", async () => {
    const stack = usualTarget({ dashboards: [dashboard(hexId("b", 16), "Mine", "")] });
    const journal = journalOf();
    const archive = records({ dashboards: [dashboard(hexId("a", 17), "Mine", "", { tags: ["new"] })] });
    await importInto(stack, archive, { onConflict: "update" }, journal);
    const pending = journal.appended.filter((entry): entry is Intent => entry.type === "intent");
    expect(pending).toMatchObject([{ write: "update", targetId: hexId("b", 16) }]);
    const [of] = pending as [Intent];
    const recoveredOf = async (more: Partial<Intent>) => (await replayAfterRun(stack, [{ ...of, ...more }])).recovered;
    expect(await recoveredOf({ targetId: hexId("b", 16).toUpperCase() })).toMatchObject([
      { type: "done", write: "update", targetId: hexId("b", 16), content: of.content },
    ]);
    expect(await recoveredOf({ targetId: hexId("b", 99) })).toEqual([]);
    expect(await recoveredOf({ content: "other" })).toEqual([]);
    // A pending create with the same content does not take over the record of an update.
    expect(await planRollbackOf(stack, [of])).toMatchObject([{ action: "update", targetId: hexId("b", 16) }]);
  });
});

describe("journal › the lists of a target that an earlier run has written", () => {
  const made = dashboard(hexId("b", 16), "One", "");
  const stackWith = (...dashboards: JsonObject[]): MemoryStack => usualTarget({ dashboards });
  const written = (at: string): JournalEntry[] => [
    { ...intent("create", { content: "c" }), at },
    { ...done("create", "c", hexId("b", 16).toUpperCase()), at },
  ];
  const complete = [...written(time(0)), end("complete", time(0))];
  const lists = ({ requests }: MemoryStack): number =>
    requests.filter(({ operation }) => operation === "list dashboards").length;
  const hour = 3_600_000;
  const late = time(hour);

  it.each<[string, JournalEntry[], isShown: boolean, afterMs: number, waitedMs: number]>([
    ["nothing was written before", [], true, 0, 0],
    ["it was killed before its first write", [beginEntry], true, 0, 0],
    ["they show it, under an id in another case", complete, true, 0, 0],
    ["they do not show it", complete, false, 4000, 6000],
    ["they do not show it, and the time has passed", complete, false, 10_000, 0],
    ["it was incomplete", [...written(time(0)), end("incomplete", time(0))], true, 0, 0],
    ["it was stopped", [...written(time(0)), end("stopped", time(0))], true, 0, 10_000],
    ["it was killed after a write", written(time(0)), true, 3000, 7000],
    ["it was killed in a write", [intent("create", { content: "c" })], true, 59 * 60_000, 10_000],
    ["it was killed in a write an hour ago", [intent("create", { content: "c" })], true, hour, 0],
    ["its clock was ahead", [...written(late), end("complete", late)], false, 0, 10_000],
  ])("%s → the wait", async (_, entries, isShown, afterMs, waitedMs) => {
    const stack = isShown ? stackWith(made) : stackWith();
    const clock = instantClock(start + afterMs);
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (ms, signal) => {
      putRecord(stack, "dashboards", made);
      await sleep(ms, signal);
    };
    const read = await readAfter(stack, entries, clock);
    expect(read.waitedMs).toBe(waitedMs);
    expect(read.waits).toMatchObject(waitedMs === 0 ? [] : [{ type: "wait", waitMs: waitedMs }]);
    const ids = read.inventory.kinds.get("dashboards")?.records.map(({ id }) => id);
    expect(ids).toEqual(isShown || waitedMs > 0 ? [hexId("b", 16)] : []);
    expect(lists(stack)).toBe(isShown || waitedMs === 0 ? 1 : 2);
  });

  it("a stopped run's clock was ahead → no longer than twice", async () => {
    const { waitedMs } = await readAfter(
      stackWith(made),
      [...written(late), end("stopped", late)],
      instantClock(start),
    );
    expect(waitedMs).toBeLessThanOrEqual(20_000);
    expect(waitedMs).toBeGreaterThanOrEqual(10_000);
  });

  it("the wait is as long as the lists may lag", async () => {
    const more = { consistencyWaitMs: CONSISTENCY_WAIT_MS };
    const { waitedMs } = await readAfter(stackWith(made), written(time(0)), instantClock(start), more);
    expect(waitedMs).toBe(CONSISTENCY_WAIT_MS);
  });

  it("read before the journal → used only if no earlier run has begun a write", async () => {
    const early = inventoryOf(stackWith({ ...made, id: "early" }));
    const idsFrom = async (entries: readonly JournalEntry[]): Promise<readonly string[]> => {
      const { inventory } = await readAfter(stackWith(made), entries, instantClock(start + 2 * hour), { early });
      return inventory.kinds.get("dashboards")?.records.map(({ id }) => id) ?? [];
    };
    expect(await idsFrom([])).toEqual(["early"]);
    expect(await idsFrom([intent("create", { content: "c" })])).toEqual([hexId("b", 16)]);
    expect(await idsFrom(written(time(0)))).toEqual([hexId("b", 16)]);
  });

  it("a run that is interrupted while it waits reads no list", async () => {
    const stack = stackWith();
    const clock = instantClock(start);
    clock.sleep = () => Promise.reject(new Error("aborted"));
    await expect(readAfter(stack, written(time(0)), clock)).rejects.toMatchObject({ code: "interrupted" });
    expect(stack.requests).toEqual([]);
  });
});

describe("journal › a run whose create is refused", () => {
  const one = records({ dashboards: [dashboard(hexId("a", 9), "One", "")] });

  it("leaves no write open, and the next run does not wait", async () => {
    const stack = usualTarget();
    failOperation(stack, "create dashboards", () => refusalError("rejected", "no"));
    const journal = journalOf();
    await importInto(stack, one, {}, journal);
    expect(stateOf(journal.appended)).toMatchObject({ pendingWrites: [], listsShowWrites: true, records: new Map() });
  });

  it("ends its journal as stopped when the refusal stops the run", async () => {
    const stack = usualTarget();
    failOperation(stack, "create dashboards", () => refusalError("unauthorized", "no"));
    const stage = importStage(stack);
    expect((await stage.run(one)).stopped).toMatchObject({ code: "unauthorized" });
    expect(stage.history.at(-1)).toMatchObject({ type: "end", result: "stopped" });
    expect(writesOn(stack)).toEqual(["create dashboards"]);
  });
});
