import { describe, expect, it } from "vitest";
import {
  backupStage,
  dailyBackups,
  DAY,
  HOUR,
  nameAt,
  openFolder,
  stackContent,
  StackferryError,
  whileFailing,
} from "../../support/backup-stage.ts";
import { refusalError } from "../../support/memory-stack.ts";
import { fourDays } from "./repositories.ts";

const [oldest, second, third, newest] = [nameAt(0), nameAt(24), nameAt(48), nameAt(72)];

describe("a check of an archive", () => {
  it("reads every record, not only the manifest and the zip directory", async () => {
    const stage = await fourDays();
    await stage.damage(newest, "first record");
    expect(await stage.check()).toMatchObject([{ damaged: [{ archive: newest }], newestGood: third }]);
  });

  it("names each damaged archive that it reads in its search for a good one", async () => {
    const few = stackContent("third").slice(0, 1);
    const stage = await dailyBackups(stackContent("first"), stackContent("second"), few);
    await stage.damage(second, "first record");
    const [found] = await stage.check({ percent: 0 });
    expect(found).toMatchObject({ newestGood: oldest, damaged: [{ archive: second }] });
    expect(found?.suspect[0]).toMatchObject({ archive: third });
  });

  it("names an older archive whose damage shows in its size, although it reads only the newest one", async () => {
    const stage = await fourDays();
    await stage.overwrite(second, "rotten");
    expect(await stage.check({ percent: 0 })).toMatchObject([{ damaged: [{ archive: second }], newestGood: newest }]);
  });

  it("reports records that do not fit the schema of their kind", async () => {
    const stage = await backupStage();
    const [first] = stackContent("first");
    if (first === undefined) throw new Error("no record");
    await stage.store(oldest, [{ ...first, body: { ...first.body, name: 7 } }]);
    expect(await stage.check()).toMatchObject([{ damaged: [{ archive: oldest }], tooOld: true }]);
  });

  it("skips an archive that was removed during the check, and does not call it damaged", async () => {
    const stage = await fourDays();
    stage.beforeStep = async (step) => {
      if (step === `fetch ${newest}`) await stage.repository.remove(newest);
    };
    expect(await stage.check()).toMatchObject([{ damaged: [], checked: 3, newestGood: third }]);
  });

  it("calls an archive damaged that the repository lists and does not have", async () => {
    const stage = await fourDays();
    await whileFailing(stage, RegExp(`fetch ${newest}`), new StackferryError("not-found", "no object"), async () => {
      expect(await stage.check()).toMatchObject([{ damaged: [{ archive: newest }], newestGood: third }]);
      expect(await stage.choose("latest")).toBe(third);
    });
    expect(stage.warnings).toEqual(["damaged-backup"]);
  });
});

describe("the share of archives that a check reads", () => {
  it.each([
    [0, 1],
    [1, 2],
    [33, 2],
    [34, 3],
    [100, 4],
  ])("%i percent of four archives: %i, the newest always", async (percent, checked) => {
    const stage = await fourDays();
    await stage.damage(newest);
    const [found] = await stage.check({ percent });
    expect(found).toMatchObject({ archives: 4, checked, damaged: [{ archive: newest }], newestGood: third });
  });

  it("is drawn by chance, each archive as likely as any other", async () => {
    const stage = await fourDays();
    await stage.damage(oldest);
    const damagedWith = async (draws: number[]): Promise<number | undefined> =>
      (await stage.check({ percent: 1, random: () => draws.shift() ?? 0 }))[0]?.damaged.length;
    expect(await damagedWith([0.9, 0.8, 0.1])).toBe(1);
    expect(await damagedWith([0.1, 0.8, 0.9])).toBe(0);
  });

  it("is exceeded in the search for a good archive", async () => {
    const stage = await fourDays();
    for (const name of [second, third, newest]) await stage.damage(name);
    expect(await stage.check({ percent: 0 })).toMatchObject([{ checked: 1, newestGood: oldest }]);
  });
});

describe("the age of the newest good backup", () => {
  it.each([
    ["whole", HOUR, HOUR, false],
    ["whole", HOUR - 1, HOUR, true],
    ["whole", undefined, HOUR, false],
    ["damaged", 24 * HOUR, 25 * HOUR, true],
  ])("where the newest is %s, and may be %s ms old: %i, too old is %s", async (state, maxAgeMs, ageMs, tooOld) => {
    const stage = await fourDays();
    if (state === "damaged") await stage.damage(newest);
    expect(await stage.check({ maxAgeMs })).toMatchObject([{ ageMs, tooOld }]);
  });

  it("is never below 0, although the clock of another machine was a little ahead", async () => {
    const stage = await dailyBackups({});
    await stage.clock.advance(-HOUR / 12);
    expect(await stage.check({ maxAgeMs: HOUR })).toMatchObject([{ ageMs: 0, tooOld: false }]);
  });

  it("counts from when the stack was last found unchanged, and only for the archive before that time", async () => {
    const stage = await backupStage();
    await stage.backup();
    await stage.clock.advance(9 * HOUR);
    await stage.backup({ ifChanged: true });
    await stage.clock.advance(HOUR);
    expect(await stage.check()).toMatchObject([{ ageMs: HOUR }]);
    for (const ifChanged of [false, true]) {
      await stage.backup({ stack: "t", ifChanged });
      await stage.clock.advance(HOUR);
    }
    expect(await stage.check()).toMatchObject([{ ageMs: 3 * HOUR }, { stack: "t", ageMs: HOUR }]);
    await stage.clock.advance(-2 * HOUR);
    await stage.backup({ records: stackContent("other") });
    expect(await stage.check()).toMatchObject([{ newestGood: nameAt(10), ageMs: 0 }, { stack: "t" }]);
  });

  it("does not count from a run that found the stack equal to a later backup, which somebody removed", async () => {
    const changed = { records: stackContent("second"), ifChanged: true };
    const stage = await dailyBackups(stackContent("first"), changed, changed);
    expect(await stage.check({ maxAgeMs: HOUR })).toMatchObject([{ newestGood: second, tooOld: false }]);
    await stage.repository.remove(second);
    expect(await stage.check({ maxAgeMs: HOUR })).toMatchObject([{ newestGood: oldest, ageMs: 2 * DAY, tooOld: true }]);
  });
});

describe("the stacks of a check", () => {
  it("are all stacks with a backup, or the named stacks, even if they have none", async () => {
    const stage = await backupStage();
    for (const stack of ["a", "b"]) await stage.backup({ stack });
    await stage.overwrite("notes/readme.txt", "mine");
    await stage.overwrite("a/20260230T000000Z.zip", "no such day");
    expect((await stage.check()).map(({ stack, archives }) => [stack, archives])).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
    const named = await stage.check({ stacks: ["b", "c"] });
    expect(named).toMatchObject([
      { stack: "b", archives: 1, tooOld: false },
      { stack: "c", archives: 0, checked: 0, damaged: [], tooOld: true },
    ]);
  });

  it("are read without changing the repository", async () => {
    const stage = await fourDays();
    await stage.check();
    expect(stage.changes).toEqual([]);
  });

  it("are checked although the files of another stack cannot be read", async () => {
    const stage = await backupStage();
    for (const stack of ["one", "two"]) await stage.backup({ stack });
    const denied = new StackferryError("archive-io", "permission denied");
    expect(await whileFailing(stage, /^fetch one\//, denied, () => stage.check())).toMatchObject([
      { stack: "one", tooOld: true, error: { code: "archive-io" } },
      { stack: "two", tooOld: false, damaged: [], newestGood: nameAt(0).replace("s/", "two/") },
    ]);
    const none = whileFailing(stage, /^fetch/, denied, () => stage.check());
    await expect(none).rejects.toMatchObject({ code: "archive-io" });
  });

  it("are checked if they are named, although the files of another stack cannot be listed", async () => {
    const stage = await backupStage();
    for (const stack of ["one", "two"]) await stage.backup({ stack });
    const folder = await openFolder(stage.path);
    stage.repository.list = async (prefix) => {
      if ("one/".startsWith(prefix)) throw new StackferryError("archive-io", "permission denied");
      return folder.list(prefix);
    };
    expect(await stage.check({ stacks: ["two"] })).toMatchObject([{ stack: "two", tooOld: false }]);
    expect(await stage.check({ stacks: ["one", "two"] })).toMatchObject([{ error: { code: "archive-io" } }, {}]);
  });
});

describe("a check that cannot go on", () => {
  it("ends with the error of the repository: an archive that cannot be fetched is neither gone nor damaged", async () => {
    const stage = await dailyBackups({});
    await whileFailing(stage, /^fetch/, refusalError("unauthorized", "the key was refused"), async () => {
      await expect(stage.check()).rejects.toMatchObject({ code: "unauthorized" });
      await expect(stage.choose("latest")).rejects.toMatchObject({ code: "unauthorized" });
    });
  });

  it("says nothing of an archive that it has fetched when its user stops it", async () => {
    const [stage, control] = [await dailyBackups({}), new AbortController()];
    stage.stopBy(control.signal);
    const fetchIt = stage.repository.fetch.bind(stage.repository);
    stage.repository.fetch = async (name, path) => {
      await fetchIt(name, path);
      control.abort();
    };
    await expect(stage.check()).rejects.toThrow();
  });
});
