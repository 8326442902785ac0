import { describe, expect, it } from "vitest";
import { foldJournal } from "../../../src/journal/fold.ts";
import { recordOn } from "../../support/on-stack.ts";
import { CONSISTENCY_WAIT_MS, importInto, outcomeLines, type JsonObject } from "../../support/import-stage.ts";
import { instantClock } from "../../support/instant-clock.ts";
import { beginEntry } from "../../support/journal-file.ts";
import { runKilled, putRecord, type MemoryStack } from "../../support/memory-stack.ts";
import {
  historyAfterRun,
  inventoryOf,
  journalOf,
  readAfter,
  planRollbackOf,
  type JournalEntry,
} from "../../support/rollback-runs.ts";
import { dashboard, hexId, records, archiveIds } from "../../support/stack-records.ts";
import { logs, usualTarget } from "../../support/import-samples.ts";

const start = Date.UTC(2026, 0, 1);
const time = (offsetMs: number): string => new Date(start + offsetMs).toISOString();
type Intent = Extract<JournalEntry, { type: "intent" }>;
type Done = Extract<JournalEntry, { type: "done" }>;
const key = "dashboards/1";
const begin = (run: number): Extract<JournalEntry, { type: "begin" }> => ({ type: "begin", at: time(0), run });
const intent = (write: Intent["write"], more: Partial<Intent> = {}): Intent => {
  return { type: "intent", at: time(0), key, name: "One", write, ...more };
};
const done = (write: Done["write"], content = "c", targetId = "t"): Done => {
  return { type: "done", at: time(1), key, write, targetId, content };
};
const end = (at = time(2)): JournalEntry => ({ type: "end", at });

describe("a create of a killed run", () => {
  const twin = dashboard(hexId("a", 16), "Twin", archiveIds.source, { tags: ["x"] });

  /** Runs an import that is killed after the stack has created its record, and before the answer arrives. */
  async function killedCreate(): Promise<{ stack: MemoryStack; entries: readonly JournalEntry[]; pending: Intent }> {
    const stack = usualTarget();
    const entries: JournalEntry[] = [];
    const run = () => importInto(stack, records({ dashboards: [twin], sources: [logs] }), {}, journalOf(entries));
    await runKilled(stack, "after", /^create/, run);
    return { stack, entries, pending: entries.find(({ type }) => type === "intent") as Intent };
  }

  it("is assigned the created record once where several had the same body, and a rollback deletes it", async () => {
    const { stack, entries, pending } = await killedCreate();
    const all = [...entries, { ...pending, key: `dashboards/${hexId("a", 17)}` as const }];
    expect(foldJournal(all).open).toHaveLength(2);
    const { recovered, open } = await historyAfterRun(stack, all);
    expect([recovered.map(({ type }) => type), open.length]).toEqual([["done", "refused"], 0]);
    expect(await planRollbackOf(stack, all)).toMatchObject([{ action: "delete" }]);
  });

  it("is not assigned one of more equal records than creates: a rollback leaves them, and says so", async () => {
    const { stack, entries } = await killedCreate();
    putRecord(stack, "dashboards", { ...recordOn(stack, "dashboards", "Twin"), id: hexId("d", 1) });
    expect((await historyAfterRun(stack, entries)).recovered).toEqual([]);
    expect(outcomeLines(await planRollbackOf(stack, entries), "code")).toEqual(["ambiguous"]);
  });
});

describe("an update of a killed run", () => {
  const board = (tag: string) => dashboard(hexId("a", 16), "Board", archiveIds.source, { tags: [tag] });
  const archiveWith = (tag: string) => records({ dashboards: [board(tag)], sources: [logs] });

  it("leaves nobody able to say who changed the record, if somebody has edited it before the next run", async () => {
    const stack = usualTarget();
    const entries: JournalEntry[] = [];
    await importInto(stack, archiveWith("first"), {}, journalOf(entries));
    const update = () => importInto(stack, archiveWith("second"), {}, journalOf(entries));
    await runKilled(stack, "after", /^update/, update);
    putRecord(stack, "dashboards", { ...recordOn(stack, "dashboards", "Board"), tags: ["edited"] });
    const { outcomes } = await importInto(stack, archiveWith("second"), {}, journalOf(entries));
    expect(outcomeLines(outcomes, "code")).toEqual(["exists", "matched"]);
    expect(recordOn(stack, "dashboards", "Board")).toMatchObject({ tags: ["edited"] });
  });
});

describe("the wait for the lists of a target that an earlier run has written", () => {
  const made = dashboard(hexId("b", 16), "One", "");
  const stackWith = (...dashboards: JsonObject[]): MemoryStack => usualTarget({ dashboards });
  const written = (at: string): JournalEntry[] => [
    { ...begin(1), at },
    { ...intent("create", { content: "c" }), at },
    { ...done("create", "c", hexId("b", 16).toUpperCase()), at },
  ];
  const complete = [...written(time(0)), end(time(0))];
  const lists = ({ requests }: MemoryStack): number =>
    requests.filter(({ operation }) => operation === "list dashboards").length;
  const hour = 3_600_000;
  const late = time(hour);

  it.each<[string, JournalEntry[], isShown: boolean, afterMs: number, waitedMs: number]>([
    ["not there if nothing was written before", [], true, 0, 0],
    ["not there if it was killed before its first write", [beginEntry], true, 0, 0],
    ["not there if they show what it wrote, under an id in another case", complete, true, 0, 0],
    ["as long as lists may lag if they do not show it", complete, false, 4000, 6000],
    ["not there if they do not show it, and the time has passed", complete, false, 10_000, 0],
    ["not there if it was incomplete, and they show what it wrote", [...written(time(0)), end(time(0))], true, 0, 0],
    ["as long as lists may lag if it was killed after a write", written(time(0)), true, 3000, 7000],
    ["whole if it was killed in a write", [begin(1), intent("create", { content: "c" })], true, 59 * 60_000, 10_000],
    [
      "not there if it was killed in a write an hour ago",
      [begin(1), intent("create", { content: "c" })],
      true,
      hour,
      0,
    ],
    ["whole if its clock was ahead", [...written(late), end(late)], false, 0, 10_000],
  ])("is %s", async (_, entries, isShown, afterMs, waitedMs) => {
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

  it("is no longer than twice as long where a killed run's clock was ahead", async () => {
    const { waitedMs } = await readAfter(stackWith(made), written(late), instantClock(start));
    expect(waitedMs).toBeLessThanOrEqual(20_000);
    expect(waitedMs).toBeGreaterThanOrEqual(10_000);
  });

  it("is as long as the lists may lag", async () => {
    const more = { consistencyWaitMs: CONSISTENCY_WAIT_MS };
    const { waitedMs } = await readAfter(stackWith(made), written(time(0)), instantClock(start), more);
    expect(waitedMs).toBe(CONSISTENCY_WAIT_MS);
  });

  it("uses lists that were read in advance unless they lack what an earlier run wrote", async () => {
    const early = inventoryOf(stackWith({ ...made, id: "early" }));
    const idsFrom = async (entries: readonly JournalEntry[]): Promise<readonly string[]> => {
      const { inventory } = await readAfter(stackWith(made), entries, instantClock(start + 2 * hour), { early });
      return inventory.kinds.get("dashboards")?.records.map(({ id }) => id) ?? [];
    };
    expect(await idsFrom([])).toEqual(["early"]);
    expect(await idsFrom([begin(1), intent("create", { content: "c" })])).toEqual(["early"]);
    expect(await idsFrom(written(time(0)))).toEqual([hexId("b", 16)]);
  });

  it("reads no list where the run is interrupted", async () => {
    const stack = stackWith();
    const clock = instantClock(start);
    clock.sleep = () => Promise.reject(new Error("aborted"));
    await expect(readAfter(stack, written(time(0)), clock)).rejects.toMatchObject({ code: "interrupted" });
    expect(stack.requests).toEqual([]);
  });
});
