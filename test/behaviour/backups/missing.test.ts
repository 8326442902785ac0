import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lostAnswerError } from "../../support/memory-stack.ts";
import { besideOf, copiesOf, nameAt, stackContent, backupStage, type BackupStage } from "../../support/backup-stage.ts";
import type { StackRecord } from "../../../src/core/records/record.ts";
import { sampleRecord } from "../../support/archive-samples.ts";

const HOUR = 3_600_000;

/** Makes a backup of the stack `s` at hour 0, and sets the clock to hour 1. */
const repositoryWithBackup = copiesOf(async () => {
  const stage = await backupStage();
  expect(await stage.backup()).toMatchObject({ isFirst: true, suspect: [] });
  await stage.clock.advance(HOUR);
  return stage;
});

async function empty(stage: BackupStage): Promise<void> {
  for (const { name } of await stage.repository.list("")) await rm(join(stage.path, name));
}

describe("a repository that held backups and is empty", () => {
  it("makes the next backup suspect until it is accepted, and the ones after it too", async () => {
    const stage = await repositoryWithBackup();
    await empty(stage);
    expect(await stage.backup()).toMatchObject({ isFirst: false, suspect: [{ code: "missing-backup" }] });
    await stage.clock.advance(HOUR);
    expect(await stage.backup()).toMatchObject({ isFirst: false, suspect: [{ code: "missing-backup" }] });
    expect(await stage.check()).toMatchObject([{ tooOld: true }]);
    await stage.accept();
    await stage.clock.advance(HOUR);
    expect(await stage.backup()).toMatchObject({ isFirst: false, suspect: [] });
  });

  it("is what a repository looks like whose backups are all dated later than a clock that is behind", async () => {
    const stage = await repositoryWithBackup();
    await stage.clock.advance(-2 * HOUR);
    expect(await stage.backup()).toMatchObject({ isFirst: false, suspect: [{ code: "missing-backup" }] });
    expect(stage.warnings).toEqual(["clock-differs", "suspect-backup"]);
  });

  it("is not taken for full because a run was killed in it", async () => {
    const stage = await repositoryWithBackup();
    await empty(stage);
    stage.beforeStep = (step) => {
      if (step.endsWith(".json")) throw new Error("killed");
    };
    await expect(stage.backup()).rejects.toThrow("killed");
    stage.beforeStep = () => {};
    await stage.clock.advance(HOUR);
    expect(await stage.backup()).toMatchObject({ suspect: [{ code: "missing-backup" }] });
  });

  it("holds no archive that a check takes for good where its entry could not be written, or is torn", async () => {
    const stage = await repositoryWithBackup();
    await empty(stage);
    stage.beforeStep = (step) => {
      if (step.endsWith(".json")) throw lostAnswerError();
    };
    expect(await stage.backupSeveral([{}])).toMatchObject([{ result: "failed" }]);
    stage.beforeStep = () => {};
    expect(await stage.check()).toMatchObject([{ tooOld: true, archives: 1, suspect: [{ archive: nameAt(1) }] }]);
    await stage.overwrite(besideOf(nameAt(1), "json"), "torn");
    await expect(stage.choose("latest")).rejects.toMatchObject({ code: "archive-damaged" });
    await stage.clock.advance(HOUR);
    expect(await stage.backup()).toMatchObject({ suspect: [{ code: "missing-backup" }] });
    expect(await stage.check()).toMatchObject([{ tooOld: true, archives: 2, suspect: [{}, {}] }]);
  });

  it("is not taken for full because of a file that is named like a backup and is none", async () => {
    const stage = await repositoryWithBackup();
    await empty(stage);
    await stage.overwrite(nameAt(-24), "somebody's notes");
    expect(await stage.backup()).toMatchObject({ suspect: [{ code: "missing-backup" }] });
  });

  it("is recognised by its file `good` when its archives are missing and the machine has no notes", async () => {
    const stage = await repositoryWithBackup();
    stage.hasState = false;
    for (const name of [nameAt(0), besideOf(nameAt(0), "json")]) await rm(join(stage.path, name));
    expect(await stage.backup()).toMatchObject({ isFirst: false, suspect: [{ code: "missing-backup" }] });
    expect(await stage.check()).toMatchObject([{ tooOld: true }]);
  });

  it("is taken for new only without any trace of a backup, and reported as the first backup", async () => {
    const stage = await repositoryWithBackup();
    stage.hasState = false;
    await empty(stage);
    expect(await stage.backup()).toMatchObject({ isFirst: true, suspect: [] });
    expect(await stage.backup({ stack: "other" })).toMatchObject({ isFirst: true, suspect: [] });
  });

  it("is never noted for a backup that is suspect itself", async () => {
    const stage = await backupStage();
    const bare = stackContent("bare").filter(({ kind }) => kind !== "dashboards");
    expect(await stage.backup({ records: bare })).toMatchObject({ isFirst: true, suspect: [{ code: "empty" }] });
    await stage.clock.advance(HOUR);
    expect(await stage.backup()).toMatchObject({ isFirst: false, suspect: [] });
  });
});

describe("a stack whose backups are all gone", () => {
  it("is named by a check of the whole repository", async () => {
    const stage = await repositoryWithBackup();
    await stage.backup({ stack: "other" });
    for (const name of [nameAt(0), besideOf(nameAt(0), "json")]) await rm(join(stage.path, name));
    expect((await stage.check()).map(({ stack }) => stack)).toEqual(["other"]);
    expect(stage.warnings).toEqual(["missing-backup"]);
  });
});

const elsewhere = { variant: "self-hosted", baseUrl: "http://staging.test:8000" } as const;

/** Returns this number of dashboards, whose ids begin with the prefix. */
const boards = (count: number, prefix: string): StackRecord[] =>
  Array.from({ length: count }, (_, index) => sampleRecord(`${prefix}${index}`, "dashboards", { tiles: [] }));

/** Makes a good backup of a stack with these records, and advances the clock by an hour. */
async function backupOf(records: readonly StackRecord[], encrypted = false): Promise<BackupStage> {
  const stage = await backupStage();
  expect(await stage.backup({ records, encrypted })).toMatchObject({ suspect: [] });
  await stage.clock.advance(HOUR);
  return stage;
}

describe("a backup from another address", () => {
  it.each(["a", "b"])("is suspect until it is accepted, whatever its ids are (%s)", async (prefix) => {
    const stage = await backupOf(boards(3, "a"));
    const wrong = { records: boards(3, prefix), source: elsewhere, policy: { last: 1 } };
    expect(await stage.backup(wrong)).toMatchObject({ result: "stored", suspect: [{ code: "other-stack" }] });
    expect(await stage.archives()).toHaveLength(2);
    expect(await stage.choose("latest")).toBe(nameAt(0));
    await stage.clock.advance(HOUR);
    expect(await stage.backup({ ...wrong, ifChanged: true })).toMatchObject({
      result: "unchanged",
      suspect: [{ code: "other-stack" }],
    });
    // The configured address is right again.
    expect(await stage.backup({ records: boards(3, "a") })).toMatchObject({ suspect: [] });
    await stage.clock.advance(HOUR);
    await stage.backup(wrong);
    expect(await stage.accept()).toBeDefined();
    await stage.clock.advance(HOUR);
    expect(await stage.backup(wrong)).toMatchObject({ suspect: [] });
  });

  it("is stored and suspect with --if-changed, too, where its content is equal", async () => {
    const stage = await backupOf(boards(3, "a"));
    const copy = { records: boards(3, "a"), source: elsewhere, ifChanged: true };
    expect(await stage.backup(copy)).toMatchObject({ result: "stored", suspect: [{ code: "other-stack" }] });
  });

  it("is recognised from the entry if the earlier backup is encrypted and its key is missing", async () => {
    const stage = await backupOf(boards(9, "a"), true);
    stage.hasKey = false;
    const wrong = { records: boards(9, "b"), source: elsewhere, encrypted: true };
    expect(await stage.backup(wrong)).toMatchObject({ suspect: [{ code: "other-stack" }] });
  });

  it("is recognised from the archives if their entries are torn", async () => {
    const stage = await backupOf(boards(9, "a"));
    await stage.backup({ records: boards(9, "b"), source: elsewhere });
    for (const hours of [0, 1]) await stage.overwrite(besideOf(nameAt(hours), "json"), "{}");
    const codes = (await stage.check()).map(({ suspect }) => suspect.map(({ archive }) => archive));
    expect(codes).toEqual([[nameAt(1)]]);
  });
});

it("a backup from the same address is good whatever its ids are: the stack was rebuilt there", async () => {
  const stage = await backupOf(boards(9, "a"));
  expect(await stage.backup({ records: boards(9, "b") })).toMatchObject({ suspect: [] });
});

it("an entry names neither the address nor an id", async () => {
  const stage = await backupOf(boards(3, "secret-id-"));
  const text = (await stage.repository.readText(besideOf(nameAt(0), "json"))) ?? "";
  expect(text).not.toMatch(/localhost|secret-id/);
});
