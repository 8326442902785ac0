import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lostAnswerError } from "../support/memory-stack.ts";
import {
  besideOf,
  copiesOf,
  nameAt,
  stackContent,
  storedBackups,
  type StoredBackups,
} from "../support/stored-backups.ts";
import type { StackRecord } from "../../src/core/records/record.ts";
import { sampleRecord } from "../support/archive-samples.ts";

const HOUR = 3_600_000;

/** Makes a backup of the stack `s` at hour 0, and sets the clock to hour 1. */
const repositoryWithBackup = copiesOf(async () => {
  const bench = await storedBackups();
  expect(await bench.backup()).toMatchObject({ isFirst: true, suspect: [] });
  await bench.clock.advance(HOUR);
  return bench;
});

async function empty(bench: StoredBackups): Promise<void> {
  for (const { name } of await bench.repository.list("")) await rm(join(bench.path, name));
}

describe("a repository that held backups and is empty", () => {
  it("makes the next backup suspect until it is accepted, and the ones after it too", async () => {
    const bench = await repositoryWithBackup();
    await empty(bench);
    expect(await bench.backup()).toMatchObject({ isFirst: false, suspect: [{ code: "missing-backup" }] });
    await bench.clock.advance(HOUR);
    expect(await bench.backup()).toMatchObject({ isFirst: false, suspect: [{ code: "missing-backup" }] });
    expect(await bench.check()).toMatchObject([{ tooOld: true }]);
    await bench.accept();
    await bench.clock.advance(HOUR);
    expect(await bench.backup()).toMatchObject({ isFirst: false, suspect: [] });
  });

  it("is another one than that whose backups are dated later than a clock that is behind: these are compared", async () => {
    const bench = await repositoryWithBackup();
    await bench.clock.advance(-2 * HOUR);
    expect(await bench.backup()).toMatchObject({ isFirst: false, suspect: [] });
    expect(bench.warnings).toEqual(["clock-differs"]);
    const bare = stackContent("bare").filter(({ kind }) => kind !== "dashboards");
    expect(await bench.backup({ records: bare })).toMatchObject({
      suspect: [{ code: "empty" }, { code: "kind-shrunk" }],
    });
  });

  it("is not taken for full because a run was killed in it", async () => {
    const bench = await repositoryWithBackup();
    await empty(bench);
    bench.beforeStep = (step) => {
      if (step.endsWith(".json")) throw new Error("killed");
    };
    await expect(bench.backup()).rejects.toThrow("killed");
    bench.beforeStep = () => {};
    await bench.clock.advance(HOUR);
    expect(await bench.backup()).toMatchObject({ suspect: [{ code: "missing-backup" }] });
  });

  it("holds no archive that a check takes for good where its entry could not be written, or is torn", async () => {
    const bench = await repositoryWithBackup();
    await empty(bench);
    bench.beforeStep = (step) => {
      if (step.endsWith(".json")) throw lostAnswerError();
    };
    expect(await bench.backupSeveral([{}])).toMatchObject([{ result: "failed" }]);
    bench.beforeStep = () => {};
    expect(await bench.check()).toMatchObject([{ tooOld: true, archives: 1, suspect: [{ archive: nameAt(1) }] }]);
    await bench.overwrite(besideOf(nameAt(1), "json"), "torn");
    await expect(bench.choose("latest")).rejects.toMatchObject({ code: "archive-damaged" });
    await bench.clock.advance(HOUR);
    expect(await bench.backup()).toMatchObject({ suspect: [{ code: "missing-backup" }] });
    expect(await bench.check()).toMatchObject([{ tooOld: true, archives: 2, suspect: [{}, {}] }]);
  });

  it("is not taken for full because of a file that is named like a backup and is none", async () => {
    const bench = await repositoryWithBackup();
    await empty(bench);
    await bench.overwrite(nameAt(-24), "somebody's notes");
    expect(await bench.backup()).toMatchObject({ suspect: [{ code: "missing-backup" }] });
  });

  it("is recognised by its file `good` when its archives are missing and the machine has no notes", async () => {
    const bench = await repositoryWithBackup();
    bench.hasState = false;
    for (const name of [nameAt(0), besideOf(nameAt(0), "json")]) await rm(join(bench.path, name));
    expect(await bench.backup()).toMatchObject({ isFirst: false, suspect: [{ code: "missing-backup" }] });
    expect(await bench.check()).toMatchObject([{ tooOld: true }]);
  });

  it("is taken for new only without any trace of a backup, and reported as the first backup", async () => {
    const bench = await repositoryWithBackup();
    bench.hasState = false;
    await empty(bench);
    expect(await bench.backup()).toMatchObject({ isFirst: true, suspect: [] });
    expect(await bench.backup({ stack: "other" })).toMatchObject({ isFirst: true, suspect: [] });
  });

  it("is never noted for a backup that is suspect itself", async () => {
    const bench = await storedBackups();
    const bare = stackContent("bare").filter(({ kind }) => kind !== "dashboards");
    expect(await bench.backup({ records: bare })).toMatchObject({ isFirst: true, suspect: [{ code: "empty" }] });
    await bench.clock.advance(HOUR);
    expect(await bench.backup()).toMatchObject({ isFirst: false, suspect: [] });
  });
});

describe("a stack whose backups are all gone", () => {
  it("is named by a check of the whole repository", async () => {
    const bench = await repositoryWithBackup();
    await bench.backup({ stack: "other" });
    for (const name of [nameAt(0), besideOf(nameAt(0), "json")]) await rm(join(bench.path, name));
    expect((await bench.check()).map(({ stack }) => stack)).toEqual(["other"]);
    expect(bench.warnings).toEqual(["missing-backup"]);
  });
});

const elsewhere = { variant: "self-hosted", baseUrl: "http://staging.test:8000" } as const;

/** Returns this number of dashboards, whose ids begin with the prefix. */
const boards = (count: number, prefix: string): StackRecord[] =>
  Array.from({ length: count }, (_, index) => sampleRecord(`${prefix}${index}`, "dashboards", { tiles: [] }));

/** Makes a good backup of a stack with these records, and advances the clock by an hour. */
async function backupOf(records: readonly StackRecord[], encrypted = false): Promise<StoredBackups> {
  const bench = await storedBackups();
  expect(await bench.backup({ records, encrypted })).toMatchObject({ suspect: [] });
  await bench.clock.advance(HOUR);
  return bench;
}

describe("a backup from another address", () => {
  it.each(["a", "b"])("is suspect until it is accepted, whatever its ids are (%s)", async (prefix) => {
    const bench = await backupOf(boards(3, "a"));
    const wrong = { records: boards(3, prefix), source: elsewhere, policy: { last: 1 } };
    expect(await bench.backup(wrong)).toMatchObject({ result: "stored", suspect: [{ code: "other-stack" }] });
    expect(await bench.archives()).toHaveLength(2);
    expect(await bench.choose("latest")).toBe(nameAt(0));
    await bench.clock.advance(HOUR);
    expect(await bench.backup({ ...wrong, ifChanged: true })).toMatchObject({
      result: "unchanged",
      suspect: [{ code: "other-stack" }],
    });
    // The configured address is right again.
    expect(await bench.backup({ records: boards(3, "a") })).toMatchObject({ suspect: [] });
    await bench.clock.advance(HOUR);
    expect(await bench.backup({ ...wrong, acceptSuspect: true })).toMatchObject({ suspect: [] });
    await bench.clock.advance(HOUR);
    expect(await bench.backup(wrong)).toMatchObject({ suspect: [] });
  });

  it("is recognised from the entry if the earlier backup is encrypted and its key is missing", async () => {
    const bench = await backupOf(boards(9, "a"), true);
    bench.hasKey = false;
    const wrong = { records: boards(9, "b"), source: elsewhere, encrypted: true };
    expect(await bench.backup(wrong)).toMatchObject({ suspect: [{ code: "other-stack" }] });
  });

  it("is recognised from the archives if their entries are torn", async () => {
    const bench = await backupOf(boards(9, "a"));
    await bench.backup({ records: boards(9, "b"), source: elsewhere });
    for (const hours of [0, 1]) await bench.overwrite(besideOf(nameAt(hours), "json"), "{}");
    const codes = (await bench.check()).map(({ suspect }) => suspect.map(({ archive }) => archive));
    expect(codes).toEqual([[nameAt(1)]]);
  });
});

it("a backup from the same address is good whatever its ids are: the stack was rebuilt there", async () => {
  const bench = await backupOf(boards(9, "a"));
  expect(await bench.backup({ records: boards(9, "b") })).toMatchObject({ suspect: [] });
});

it("an entry names neither the address nor an id", async () => {
  const bench = await backupOf(boards(3, "secret-id-"));
  const text = (await bench.repository.readText(besideOf(nameAt(0), "json")))?.text ?? "";
  expect(text).not.toMatch(/localhost|secret-id/);
});
