import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  besideOf,
  StackferryError,
  copiesOf,
  nameAt,
  openFolder,
  stackContent,
  backupStage,
  type BackupStage,
} from "../../support/backup-stage.ts";

const HOUR = 3_600_000;

/** Names of the archives of four days, the newest first. */
const days = [72, 48, 24, 0].map((hours) => nameAt(hours));

const fourDays = copiesOf(async () => {
  const stage = await backupStage();
  for (const name of days) await stage.store(name, stackContent(name));
  await stage.clock.advance(73 * HOUR);
  return stage;
});

/** Returns what a check says of the archives of its only stack. */
async function judged(stage: BackupStage) {
  const [check] = await stage.check();
  const { damaged = [], checked, newestGood, tooOld } = check ?? {};
  return { damaged: damaged.map(({ archive }) => archive), checked, newestGood, tooOld };
}

describe("checking an encrypted archive without its key", () => {
  const sealed = nameAt(0, true);
  const back = (stage: BackupStage): Promise<unknown> => stage.backup({ encrypted: true });
  const store = (stage: BackupStage, hours = 0): Promise<unknown> =>
    stage.store(nameAt(hours, true), stackContent("first"), true);
  const torn = async (stage: BackupStage, hours = 0): Promise<void> => {
    await store(stage, hours);
    await stage.overwrite(besideOf(nameAt(hours), "json"), "torn");
    await stage.overwrite("s/good", "");
  };
  const damage = async (stage: BackupStage): Promise<void> => {
    await back(stage);
    await stage.damage(sealed);
  };
  const cut = async (stage: BackupStage): Promise<void> => {
    await back(stage);
    await stage.overwrite(sealed, (await readFile(join(stage.path, sealed))).subarray(0, -1));
  };
  const otherVersion = `age-encryption.org/v9\n${"x".repeat(300)}`;
  const good = { damaged: [], checked: 1, newestGood: sealed, tooOld: false };
  const bad = { damaged: [sealed], checked: 1, newestGood: undefined, tooOld: true };

  it.each<[string, (stage: BackupStage) => Promise<unknown>, object]>([
    ["compares it with the checksum in its entry", back, good],
    ["reports the damage of the newest archive", damage, bad],
    ["reports the newest archive as damaged that was cut by a byte", cut, bad],
    ["counts one without a recorded checksum as neither good nor damaged", torn, { ...bad, damaged: [], checked: 0 }],
    [
      "uses the checksum of an archive for this archive only",
      async (stage) => {
        await back(stage);
        await torn(stage, -1);
      },
      good,
    ],
    [
      "calls one damaged whose first line has another version",
      async (stage) => {
        await torn(stage);
        await stage.overwrite(sealed, otherVersion);
      },
      bad,
    ],
  ])("%s", async (_, given, expected) => {
    const stage = await backupStage();
    await given(stage);
    stage.hasKey = false;
    expect(await judged(stage)).toEqual(expected);
  });

  it("calls an archive damaged if the given key does not open it", async () => {
    const stage = await backupStage();
    await damage(stage);
    expect(await judged(stage)).toEqual(bad);
  });

  it("counts one that is newer than the newest good archive as not read", async () => {
    const stage = await backupStage();
    await stage.store(nameAt(-1));
    await torn(stage);
    stage.hasKey = false;
    const [found] = await stage.check();
    expect(found).toMatchObject({ checked: 1, newestGood: nameAt(-1) });
    expect(found?.sealed).toHaveLength(1);
  });

  it.each([true, false])("calls a plain zip of an encrypted one's name damaged (key at hand: %s)", async (hasKey) => {
    const stage = await backupStage();
    await stage.store(nameAt(0));
    await stage.store(nameAt(1, true), stackContent("sealed"), true);
    await stage.overwrite(nameAt(1, true), await readFile(join(stage.path, nameAt(0))));
    await stage.clock.advance(HOUR);
    stage.hasKey = hasKey;
    const expected = { damaged: [nameAt(1, true)], checked: 2, newestGood: nameAt(0), tooOld: false };
    expect(await judged(stage)).toEqual(expected);
  });
});

describe("checking a plain archive", () => {
  it("reads every record, not only the manifest and the zip directory", async () => {
    const stage = await fourDays();
    await stage.damage(days[0] ?? "", "first record");
    expect(await stage.check()).toMatchObject([{ damaged: [{ archive: days[0] }], newestGood: days[1] }]);
  });

  it("names each damaged archive that it reads in its search for a good one", async () => {
    const stage = await backupStage();
    for (const records of [stackContent("first"), stackContent("second"), stackContent("third").slice(0, 1)]) {
      await stage.backup({ records });
      await stage.clock.advance(HOUR);
    }
    await stage.damage(nameAt(1), "first record");
    const [found] = await stage.check({ percent: 0 });
    expect(found).toMatchObject({ newestGood: nameAt(0), damaged: [{ archive: nameAt(1) }] });
    expect(found?.suspect[0]).toMatchObject({ archive: nameAt(2) });
  });

  it("names an older archive whose damage shows in its size, although it reads only the newest one", async () => {
    const stage = await fourDays();
    await stage.overwrite(days[2] ?? "", "rotten");
    expect(await stage.check({ percent: 0 })).toMatchObject([{ damaged: [{ archive: days[2] }], newestGood: days[0] }]);
  });

  it("reports records that do not fit the schema of their kind", async () => {
    const stage = await backupStage();
    const [first] = stackContent("first");
    if (first === undefined) throw new Error("no record");
    await stage.store(nameAt(0), [{ ...first, body: { ...first.body, name: 7 } }]);
    expect(await stage.check()).toMatchObject([{ damaged: [{ archive: nameAt(0) }], tooOld: true }]);
  });

  it("counts the age of a good one from runs that found the stack equal to it, not to a suspect one after it", async () => {
    const stage = await backupStage();
    await stage.backup();
    await stage.clock.advance(HOUR);
    await stage.backup({ records: [] });
    await stage.clock.advance(HOUR);
    expect(await stage.backup({ records: [], ifChanged: true })).toMatchObject({ result: "unchanged" });
    expect(await stage.check()).toMatchObject([{ newestGood: nameAt(0), ageMs: 2 * HOUR }]);
  });

  it("skips an archive that was removed during the check, and does not call it damaged", async () => {
    const stage = await fourDays();
    stage.beforeStep = async (step) => {
      if (step === `fetch ${days[0] ?? ""}`) await stage.repository.remove(days[0] ?? "");
    };
    expect(await stage.check()).toMatchObject([{ damaged: [], checked: 3, newestGood: days[1] }]);
  });

  it("calls an archive damaged that the repository lists and does not have", async () => {
    const stage = await fourDays();
    stage.beforeStep = (step) => {
      if (step === `fetch ${days[0] ?? ""}`) throw new StackferryError("not-found", "no such object");
    };
    expect(await stage.check()).toMatchObject([{ damaged: [{ archive: days[0] }], newestGood: days[1] }]);
    expect(await stage.choose("latest")).toBe(days[1]);
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
    await stage.damage(days[0] ?? "");
    const [found] = await stage.check({ percent });
    expect(found).toMatchObject({ archives: 4, checked, damaged: [{ archive: days[0] }], newestGood: days[1] });
  });

  it("is drawn by chance, each archive as likely as any other", async () => {
    const stage = await fourDays();
    await stage.damage(nameAt(0));
    const damagedWith = async (draws: number[]): Promise<number | undefined> =>
      (await stage.check({ percent: 1, random: () => draws.shift() ?? 0 }))[0]?.damaged.length;
    expect(await damagedWith([0.9, 0.8, 0.1])).toBe(1);
    expect(await damagedWith([0.1, 0.8, 0.9])).toBe(0);
  });

  it("searches beyond the share until it finds a good archive", async () => {
    const stage = await fourDays();
    for (const name of days.slice(0, 3)) await stage.damage(name);
    expect(await stage.check({ percent: 0 })).toMatchObject([{ checked: 1, newestGood: days[3] }]);
  });
});

describe("the age of the newest good backup", () => {
  it.each([
    [HOUR, false],
    [HOUR - 1, true],
    [undefined, false],
  ])("of one hour may be %s: too old is %s", async (maxAgeMs, tooOld) => {
    const stage = await fourDays();
    expect(await stage.check({ maxAgeMs })).toMatchObject([{ ageMs: HOUR, tooOld }]);
  });

  it("is never below 0, although the clock of another machine was a little ahead", async () => {
    const stage = await backupStage();
    await stage.backup();
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

  it("is the age of a good archive, even if a newer one is damaged", async () => {
    const stage = await fourDays();
    await stage.damage(days[0] ?? "");
    expect(await stage.check({ maxAgeMs: 24 * HOUR })).toMatchObject([{ ageMs: 25 * HOUR, tooOld: true }]);
  });

  it("does not count from a run that found the stack equal to a later backup, which somebody removed", async () => {
    const stage = await backupStage();
    await stage.backup({ records: stackContent("first") });
    for (const _night of ["stored", "unchanged"]) {
      await stage.clock.advance(24 * HOUR);
      await stage.backup({ records: stackContent("second"), ifChanged: true });
    }
    expect(await stage.check({ maxAgeMs: HOUR })).toMatchObject([{ newestGood: nameAt(24), tooOld: false }]);
    await stage.repository.remove(nameAt(24));
    expect(await stage.check({ maxAgeMs: HOUR })).toMatchObject([
      { newestGood: nameAt(0), ageMs: 48 * HOUR, tooOld: true },
    ]);
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
});

describe("choosing a backup to restore", () => {
  it("takes the newest good one, and warns of each damaged one that it passed over", async () => {
    const stage = await fourDays();
    for (const name of days.slice(0, 2)) await stage.damage(name);
    expect(await stage.choose("latest")).toBe(days[2]);
    expect(stage.warnings).toEqual(["damaged-backup", "damaged-backup"]);
  });

  it("refuses if every backup is damaged, and if there is no backup", async () => {
    const stage = await fourDays();
    for (const name of days) await stage.damage(name);
    await expect(stage.choose("latest")).rejects.toMatchObject({ code: "archive-damaged" });
    await expect((await backupStage()).choose("latest")).rejects.toMatchObject({ code: "usage" });
  });

  it("takes the newest backup at or before a given time, to the second", async () => {
    const stage = await fourDays();
    const at = stage.clock.now() - 25 * HOUR;
    expect(await stage.choose({ notAfter: at })).toBe(days[1]);
    expect(await stage.choose({ notAfter: at - 1 })).toBe(days[2]);
    await expect(stage.choose({ notAfter: at - 49 * HOUR })).rejects.toMatchObject({ code: "usage" });
  });

  it("takes an encrypted backup without its key if no backup is found good", async () => {
    const stage = await backupStage();
    await stage.store(nameAt(0));
    await stage.damage(nameAt(0));
    await stage.store(nameAt(-1, true), stackContent("sealed"), true);
    await stage.store(nameAt(-2, true), stackContent("sealed"), true);
    stage.hasKey = false;
    expect(await stage.choose("latest")).toBe(nameAt(-1, true));
  });

  it("never takes an older plain backup instead of an encrypted one whose key is not given", async () => {
    const stage = await backupStage();
    await stage.store(nameAt(-1, true), stackContent("sealed"), true);
    await stage.store(nameAt(-2));
    stage.hasKey = false;
    expect(await stage.choose("latest")).toBe(nameAt(-1, true));
    await stage.store(nameAt(0));
    expect(await stage.choose("latest")).toBe(nameAt(0));
  });

  it("says nothing of backups that are older than one whose key is not given", async () => {
    const stage = await backupStage();
    await stage.store(nameAt(0, true), stackContent("sealed"), true);
    await stage.overwrite(besideOf(nameAt(0), "json"), "torn");
    await stage.store(nameAt(-1));
    await stage.damage(nameAt(-1));
    await stage.store(nameAt(-2));
    stage.hasKey = false;
    expect(await stage.choose("latest")).toBe(nameAt(0, true));
    expect([stage.warnings, stage.fetched.includes(nameAt(-2))]).toEqual([[], false]);
  });
});

it.each([
  ["the latest backup", "latest"],
  ["one before a day", { notAfter: Date.UTC(2026, 10, 30) }],
] as const)(
  "a machine whose clock is behind every backup, and that asks for %s, is told of its clock",
  async (_which, choice) => {
    const stage = await fourDays();
    await stage.clock.advance(-1000 * HOUR);
    const error = await stage.choose(choice).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "archive-damaged" });
    expect(error).toHaveProperty("message", expect.stringContaining("dated in the future (was a clock wrong?)"));
  },
);

describe("a stack whose backups are all gone", () => {
  it("is named by a check of the repository that had a good one, and not by one of other stacks", async () => {
    const stage = await backupStage();
    await stage.backup();
    await stage.backup({ stack: "other" });
    await stage.repository.remove(nameAt(0).replace("s/", "other/"));
    expect(await stage.check({ stacks: ["s"] })).toHaveLength(1);
    expect(stage.warnings).toEqual([]);
    expect(await stage.check()).toHaveLength(1);
    expect(stage.warnings).toEqual(["missing-backup"]);
  });
});

describe("the newest backup that an entry describes", () => {
  it("is named by each command as missing if it is not there, and by none after the next backup", async () => {
    const stage = await backupStage();
    await stage.backup();
    await stage.clock.advance(24 * HOUR);
    await stage.backup();
    expect(stage.warnings).toEqual([]);
    await rm(join(stage.path, nameAt(24)));
    await stage.check();
    expect(await stage.choose("latest")).toBe(nameAt(0));
    await stage.clock.advance(24 * HOUR);
    await stage.backup();
    expect(stage.warnings).toEqual(["missing-backup", "missing-backup", "missing-backup"]);
    await stage.check();
    expect(stage.warnings).toHaveLength(3);
  });

  it("is not missing if a run has stored it since the list was made", async () => {
    const stage = await backupStage();
    await stage.backup();
    const folder = await openFolder(stage.path);
    stage.repository.list = async (prefix) => {
      const files = await folder.list(prefix);
      return prefix === "s/" ? files.filter(({ name }) => !name.endsWith(".zip")) : files;
    };
    await stage.check({ stacks: ["s"] });
    expect(stage.warnings).toEqual([]);
  });
});

describe("a stack whose files cannot be read", () => {
  const refuse = (stage: Awaited<ReturnType<typeof backupStage>>, beginning: string): void => {
    stage.beforeStep = (step) => {
      if (step.startsWith(beginning)) throw new StackferryError("archive-io", "permission denied");
    };
  };

  it("does not prevent the check of the other stacks", async () => {
    const stage = await backupStage();
    for (const stack of ["one", "two"]) await stage.backup({ stack });
    refuse(stage, "fetch one/");
    expect(await stage.check()).toMatchObject([
      { stack: "one", tooOld: true, error: { code: "archive-io" } },
      { stack: "two", tooOld: false, damaged: [], newestGood: nameAt(0).replace("s/", "two/") },
    ]);
    refuse(stage, "fetch");
    await expect(stage.check()).rejects.toMatchObject({ code: "archive-io" });
  });

  it("keeps no stack from being checked that is named", async () => {
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
