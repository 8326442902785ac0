import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  backupStage,
  besideOf,
  dailyBackups,
  nameAt,
  nextDay,
  openFolder,
  stackContent,
  whileFailing,
  type BackupStage,
} from "../../support/backup-stage.ts";
import { lostAnswerError } from "../../support/memory-stack.ts";

async function empty({ repository }: BackupStage): Promise<void> {
  for (const { name } of await repository.list("")) await repository.remove(name);
}

/** Makes a backup of the stack `s`, and removes each file of the repository. */
async function emptiedRepository(): Promise<BackupStage> {
  const stage = await backupStage();
  expect(await stage.backup()).toMatchObject({ isFirst: true, suspect: [] });
  await empty(stage);
  return stage;
}

/** Records without dashboards and alerts: their backup is suspect. */
const bare = stackContent("bare").filter(({ kind }) => kind !== "dashboards");

const missing = { isFirst: false, suspect: [{ code: "missing-backup" }] };

describe("a repository that held backups and is empty", () => {
  it("makes the next backup suspect until it is accepted, and the ones after it too", async () => {
    const stage = await emptiedRepository();
    for (const _night of [1, 2]) expect(await nextDay(stage)).toMatchObject(missing);
    expect(await stage.check()).toMatchObject([{ tooOld: true }]);
    await stage.accept();
    expect(await nextDay(stage)).toMatchObject({ isFirst: false, suspect: [] });
  });

  it("is not taken for full because a run was killed in it", async () => {
    const stage = await emptiedRepository();
    const killed = whileFailing(stage, /\.json$/, new Error("killed"), () => stage.backup());
    await expect(killed).rejects.toThrow("killed");
    expect(await nextDay(stage)).toMatchObject(missing);
  });

  it("is not taken for full because of a file that is named like a backup and is none", async () => {
    const stage = await emptiedRepository();
    await stage.overwrite(nameAt(-24), "somebody's notes");
    expect(await stage.backup()).toMatchObject(missing);
  });

  it("holds no archive that a check takes for good where its entry could not be written, or is torn", async () => {
    const stage = await emptiedRepository();
    const ends = await whileFailing(stage, /\.json$/, lostAnswerError(), () => stage.backupSeveral([{}]));
    expect(ends).toMatchObject([{ result: "failed" }]);
    expect(await stage.check()).toMatchObject([{ tooOld: true, archives: 1, suspect: [{ archive: nameAt(0) }] }]);
    await stage.overwrite(besideOf(nameAt(0), "json"), "torn");
    await expect(stage.choose("latest")).rejects.toMatchObject({ code: "archive-damaged" });
    expect(await nextDay(stage)).toMatchObject(missing);
    expect(await stage.check()).toMatchObject([{ tooOld: true, archives: 2, suspect: [{}, {}] }]);
  });

  it("is recognised by its file `good` when its archives are missing and the machine has no notes", async () => {
    const stage = await dailyBackups({});
    stage.hasState = false;
    for (const name of [nameAt(0), besideOf(nameAt(0), "json")]) await stage.repository.remove(name);
    expect(await nextDay(stage)).toMatchObject(missing);
    expect(await stage.check()).toMatchObject([{ tooOld: true }]);
  });

  it("is taken for new only without any trace of a backup, and reported as the first backup", async () => {
    const stage = await emptiedRepository();
    stage.hasState = false;
    expect(await stage.backup()).toMatchObject({ isFirst: true, suspect: [] });
    expect(await stage.backup({ stack: "other" })).toMatchObject({ isFirst: true, suspect: [] });
  });

  it("is recognised if its only good backup was one that had been accepted", async () => {
    const stage = await dailyBackups(bare);
    expect(await stage.accept()).toBe(nameAt(0));
    await empty(stage);
    expect(await nextDay(stage)).toMatchObject(missing);
  });

  it("is never noted for a backup that is suspect itself", async () => {
    const stage = await backupStage();
    expect(await stage.backup({ records: bare })).toMatchObject({ isFirst: true, suspect: [{ code: "empty" }] });
    expect(await nextDay(stage)).toMatchObject({ isFirst: false, suspect: [] });
  });
});

describe("a stack whose backups are all gone", () => {
  it.each(["zip", "zip json"])(
    "is named by a check of the repository, not of other stacks (gone: %s)",
    async (gone) => {
      const stage = await dailyBackups({});
      await stage.backup({ stack: "other" });
      for (const ending of gone.split(" ")) await stage.repository.remove(besideOf(nameAt(0), ending));
      expect(await stage.check({ stacks: ["other"] })).toHaveLength(1);
      expect(stage.warnings).toEqual([]);
      expect(await stage.check()).toMatchObject([{ stack: "other" }]);
      expect(stage.warnings).toEqual(["missing-backup"]);
    },
  );
});

describe("the newest backup that an entry describes", () => {
  it("is named by each command as missing if it is not there, and by none after the next backup", async () => {
    const stage = await dailyBackups({}, {});
    expect(stage.warnings).toEqual([]);
    await rm(join(stage.path, nameAt(24)));
    await stage.check();
    expect(await stage.choose("latest")).toBe(nameAt(0));
    await nextDay(stage);
    expect(stage.warnings).toEqual(["missing-backup", "missing-backup", "missing-backup"]);
    await stage.check();
    expect(stage.warnings).toHaveLength(3);
  });

  it("is not missing if a run has stored it since the list was made", async () => {
    const stage = await dailyBackups({});
    const folder = await openFolder(stage.path);
    stage.repository.list = async (prefix) => {
      const files = await folder.list(prefix);
      return prefix === "s/" ? files.filter(({ name }) => !name.endsWith(".zip")) : files;
    };
    await stage.check({ stacks: ["s"] });
    expect(stage.warnings).toEqual([]);
  });
});
