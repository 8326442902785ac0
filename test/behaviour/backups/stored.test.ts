import { describe, expect, it } from "vitest";
import {
  backupStage,
  besideOf,
  dailyBackups,
  DAY,
  HOUR,
  nameAt,
  stackContent,
  StackferryError,
  whileFailing,
} from "../../support/backup-stage.ts";
import { refusalError } from "../../support/memory-stack.ts";
import { records } from "./repositories.ts";

describe("what a backup stores", () => {
  it("is its signature first, and its entry last", async () => {
    const stage = await backupStage();
    await stage.backup({ signed: true });
    const entry = `write ${besideOf(nameAt(0), "json")}`;
    expect(stage.changes).toEqual([`put ${nameAt(0)}.sig`, `put ${nameAt(0)}`, entry, "write s/good"]);
  });

  it("is read back and must be restorable before it is stored", async () => {
    const stage = await backupStage();
    const [first, ...rest] = stackContent("first");
    if (first === undefined) throw new Error("no record");
    const nameless = [{ ...first, body: { ...first.body, name: 7 } }, ...rest];
    await expect(stage.backup({ records: nameless })).rejects.toMatchObject({ code: "protocol" });
    expect(stage.changes).toEqual([]);
  });

  it("has an entry that names neither the address of the stack nor an id", async () => {
    const stage = await backupStage();
    await stage.backup({ records: records(3, "dashboards", "secret-id-") });
    expect(await stage.repository.readText(besideOf(nameAt(0), "json"))).not.toMatch(/localhost|secret-id/);
  });

  it("is kept, and the error names the archive, if a removal fails", async () => {
    const stage = await dailyBackups(stackContent("first"));
    await stage.clock.advance(DAY);
    const second = stackContent("second");
    const fullDisk = new StackferryError("archive-io", "the disk is full", { hint: "make room" });
    const [end] = await whileFailing(stage, /^remove .*\.zip$/, fullDisk, () =>
      stage.backupSeveral([{ records: second, policy: { last: 1 } }]),
    );
    const message = expect.stringMatching(RegExp(`^${nameAt(24)} is stored .* the disk is full$`));
    expect(end).toMatchObject({ result: "failed", error: { code: "archive-io", hint: "make room", message } });
    expect(await stage.choose("latest")).toBe(nameAt(24));
    const unchanged = await stage.backup({ records: second, ifChanged: true });
    expect(unchanged).toMatchObject({ result: "unchanged", archive: nameAt(24) });
  });

  it("replaces nothing of another stack, and only archives of its own are pruned", async () => {
    const stage = await backupStage();
    for (const stack of ["s", "s2"]) await stage.backup({ stack });
    await stage.clock.advance(HOUR);
    await stage.backup({ policy: { last: 1 } });
    const other = nameAt(0).replace("s/", "s2/");
    const mine = [besideOf(nameAt(1), "json"), nameAt(1), "s/good"];
    const files = await stage.repository.list("");
    expect(files.map(({ name }) => name)).toEqual([...mine, besideOf(other, "json"), other, "s2/good"]);
  });
});

describe("the name of a backup", () => {
  it("is a later second than that of the newest backup, even if the clock was set back a little", async () => {
    const stage = await backupStage();
    await stage.store(nameAt(0.15));
    expect((await stage.backup()).archive).toBe(nameAt(0.15).replace("00Z", "01Z"));
    expect(await stage.archives()).toHaveLength(2);
  });

  it("is a second of its own, however many runs begin in the same one", async () => {
    const stage = await backupStage();
    const ends = await Promise.all([1, 2, 3, 4].map((number) => stage.backup({ records: stackContent(`${number}`) })));
    expect(new Set(ends.map(({ archive }) => archive)).size).toBe(4);
    expect(await stage.archives()).toHaveLength(4);
    // Ten minutes ahead, they would count as dated by a wrong clock.
    expect(ends.every(({ archive }) => archive < nameAt(1 / 12))).toBe(true);
    expect(await stage.check()).toMatchObject([{ archives: 4, checked: 4, damaged: [], refused: [], suspect: [] }]);
    expect((await stage.repository.list("")).filter(({ name }) => name.includes(".run-"))).toEqual([]);
  });
});

describe("a backup of several stacks", () => {
  it("reports the outcome of each stack in order, and stores the other backups when one fails", async () => {
    const stage = await backupStage();
    const exportTo = async (): Promise<never> => {
      throw refusalError("unauthorized", "the key was refused");
    };
    const ends = await stage.backupSeveral([{ stack: "a" }, { stack: "b", exportTo }, { stack: "c" }]);
    expect(ends).toMatchObject([
      { stack: "a", result: "stored" },
      { stack: "b", result: "failed", error: { code: "unauthorized" } },
      { stack: "c", result: "stored" },
    ]);
    expect(await stage.repository.list("b/")).toEqual([]);
  });

  it("names the stack of each result, which a backup of a single stack does not", async () => {
    const stage = await backupStage();
    await stage.backupSeveral([{ stack: "a" }, { stack: "b" }], 1);
    expect(stage.phases.filter((phase) => phase.endsWith(": stored"))).toEqual(["a: stored", "b: stored"]);
    stage.phases.length = 0;
    await stage.backupSeveral([{ stack: "a", ifChanged: true }]);
    expect(stage.phases.filter((phase) => !phase.startsWith(": "))).toEqual([]);
    expect(stage.phases).not.toContain(": unchanged");
  });
});

it("a backup that its user stops stores nothing", async () => {
  const [stage, control] = [await backupStage(), new AbortController()];
  stage.stopBy(control.signal);
  await expect(stage.backup({ during: async () => control.abort() })).rejects.toThrow();
  expect(stage.changes).toEqual([]);
});
