import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lostAnswerError } from "../support/memory-stack.ts";
import { copiesOf, nameAt, stackContent, storedBackups, type StoredBackups } from "../support/stored-backups.ts";
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
    expect(await bench.backup()).toMatchObject({ isFirst: false, suspect: [{ code: "emptied" }] });
    await bench.clock.advance(HOUR);
    expect(await bench.backup()).toMatchObject({ isFirst: false, suspect: [{ code: "emptied" }] });
    expect(await bench.check()).toMatchObject([{ tooOld: true }]);
    await bench.accept();
    await bench.clock.advance(HOUR);
    expect(await bench.backup()).toMatchObject({ isFirst: false, suspect: [] });
  });

  it("is another one than that whose backups are dated later than a clock that is behind: the clock is named", async () => {
    const bench = await repositoryWithBackup();
    await bench.clock.advance(-2 * HOUR);
    const { suspect, isFirst } = await bench.backup();
    expect([isFirst, suspect]).toMatchObject([false, [{ code: "nothing-to-compare" }]]);
    expect(suspect[0]?.message).toContain(`${nameAt(0)} is dated later; check the clock`);
    await bench.clock.advance(2 * HOUR);
    expect(await bench.backup()).toMatchObject({ suspect: [] });
  });

  it("is not taken for full because a run was killed in it", async () => {
    const bench = await repositoryWithBackup();
    await empty(bench);
    bench.beforeStep = (step) => {
      if (step === "write s/status.json") throw new Error("killed");
    };
    await expect(bench.backup()).rejects.toThrow("killed");
    bench.beforeStep = () => {};
    await bench.clock.advance(HOUR);
    expect(await bench.backup()).toMatchObject({ suspect: [{ code: "emptied" }] });
  });

  it("holds no archive that a check takes for good where its status could not be written", async () => {
    const bench = await repositoryWithBackup();
    await empty(bench);
    bench.beforeStep = (step) => {
      if (step === "write s/status.json") throw lostAnswerError();
    };
    expect(await bench.backupSeveral([{}])).toMatchObject([{ result: "failed" }]);
    bench.beforeStep = () => {};
    expect(await bench.archives()).toEqual([]);
    // The status file is written; then the upload fails or the run is killed.
    bench.beforeStep = (step) => {
      if (step.startsWith("put s/")) throw lostAnswerError();
    };
    expect(await bench.backupSeveral([{}])).toMatchObject([{ result: "failed" }]);
    bench.beforeStep = () => {};
    await bench.clock.advance(HOUR);
    expect(await bench.backup()).toMatchObject({ suspect: [{ code: "emptied" }] });
    expect(await bench.check()).toMatchObject([{ tooOld: true, archives: 1, suspect: [{}] }]);
  });

  it("is not taken for full because of a file that is named like a backup and is none", async () => {
    const bench = await repositoryWithBackup();
    await empty(bench);
    await bench.overwrite(nameAt(-24), "somebody's notes");
    expect(await bench.backup()).toMatchObject({ suspect: [{ code: "emptied" }] });
  });

  it("is recognised by its marker file when a stack's folder is missing and the machine has no notes", async () => {
    const bench = await repositoryWithBackup();
    bench.hasState = false;
    await rename(join(bench.path, "s"), join(bench.path, "elsewhere"));
    expect(await bench.backup()).toMatchObject({ isFirst: false, suspect: [{ code: "emptied" }] });
    // The disk can be read again.
    await rm(join(bench.path, "s"), { recursive: true });
    await rename(join(bench.path, "elsewhere"), join(bench.path, "s"));
    expect(await bench.backup()).toMatchObject({ isFirst: false, suspect: [] });
  });

  it("is taken for new only without any trace of a backup, and reported as the first backup", async () => {
    const bench = await repositoryWithBackup();
    bench.hasState = false;
    await empty(bench);
    expect(await bench.backup()).toMatchObject({ isFirst: true, suspect: [] });
    expect(await bench.backup({ stack: "other" })).toMatchObject({ isFirst: true, suspect: [] });
  });

  it("is marked by each of several stacks that are backed up at a time", async () => {
    const bench = await storedBackups();
    await bench.backupSeveral(
      [1, 2, 3, 4].map((number) => ({ stack: `s${number}` })),
      4,
    );
    bench.hasState = false;
    for (const number of [1, 2, 3, 4]) {
      await rm(join(bench.path, `s${number}`), { recursive: true });
      expect((await bench.backup({ stack: `s${number}` })).suspect).toMatchObject([{ code: "emptied" }]);
    }
  });

  it("has no marker that a backup depends on: one that cannot be read is written anew", async () => {
    const bench = await repositoryWithBackup();
    await writeFile(join(bench.path, "stackferry-repository.json"), "{");
    expect(await bench.backup()).toMatchObject({ result: "stored", suspect: [] });
    bench.hasState = false;
    await rm(join(bench.path, "s"), { recursive: true });
    expect(await bench.backup()).toMatchObject({ suspect: [{ code: "emptied" }] });
  });

  it("is never noted for a backup that is suspect itself", async () => {
    const bench = await storedBackups();
    const bare = stackContent("bare").filter(({ kind }) => kind !== "dashboards");
    expect(await bench.backup({ records: bare })).toMatchObject({ isFirst: true, suspect: [{ code: "empty" }] });
    await bench.clock.advance(HOUR);
    expect(await bench.backup()).toMatchObject({ isFirst: false, suspect: [] });
  });
});

describe("an archive whose upload failed", () => {
  it("is not there under its name, and neither is its signature", async () => {
    const bench = await repositoryWithBackup();
    const place = { ...bench.repository };
    Object.assign(bench.repository, {
      put: async (path: string, name: string) => {
        await place.put(path, name);
        if (name.endsWith(".zip")) throw lostAnswerError();
      },
    });
    expect(await bench.backupSeveral([{ signed: true }])).toMatchObject([{ result: "failed" }]);
    expect((await bench.repository.list("s/")).map(({ name }) => name)).toEqual([nameAt(0), "s/status.json"]);
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
  it.each([3, 200])(
    "is suspect if none of its %i records has an id of the earlier backup, until it is accepted",
    async (count) => {
      const bench = await backupOf(boards(count, "a"));
      const wrong = { records: boards(count, "b"), source: elsewhere, policy: { last: 1 } };
      expect(await bench.backup(wrong)).toMatchObject({ result: "stored", suspect: [{ code: "other-stack" }] });
      expect(await bench.archives()).toHaveLength(2);
      expect(await bench.choose("latest")).toBe(nameAt(0));
      await bench.clock.advance(HOUR);
      expect(await bench.backup({ ...wrong, ifChanged: true })).toMatchObject({
        result: "unchanged",
        suspect: [{ code: "other-stack" }],
      });
      // The configured address is right again.
      expect(await bench.backup({ records: boards(count, "a") })).toMatchObject({ suspect: [] });
      await bench.clock.advance(HOUR);
      expect(await bench.backup({ ...wrong, acceptSuspect: true })).toMatchObject({ suspect: [] });
      await bench.clock.advance(HOUR);
      expect(await bench.backup(wrong)).toMatchObject({ suspect: [] });
    },
  );

  it.each([3, 200])("is that of the same stack where most of its %i records have the same ids", async (count) => {
    const bench = await backupOf(boards(count, "a"));
    const records = [...boards(count, "a"), ...boards(count, "new")];
    expect(await bench.backup({ records, source: elsewhere })).toMatchObject({ suspect: [] });
  });

  it("is recognised from status.json if the earlier backup is encrypted and its key is missing", async () => {
    const bench = await backupOf(boards(9, "a"), true);
    bench.hasKey = false;
    const wrong = { records: boards(9, "b"), source: elsewhere, encrypted: true };
    expect(await bench.backup(wrong)).toMatchObject({ suspect: [{ code: "other-stack" }] });
  });

  it("is recognised from the archives if status.json is lost", async () => {
    const bench = await backupOf(boards(9, "a"));
    await bench.backup({ records: boards(9, "b"), source: elsewhere });
    await bench.repository.remove("s/status.json");
    const codes = (await bench.check()).map(({ suspect }) => suspect.map(({ archive }) => archive));
    expect(codes).toEqual([[nameAt(1)]]);
  });

  it("is not suspect where an earlier release has not noted the address, and is compared from then on", async () => {
    const bench = await backupOf(boards(9, "a"));
    const status = JSON.parse((await bench.repository.readText("s/status.json"))?.text ?? "") as object;
    await bench.overwrite("s/status.json", JSON.stringify({ ...status, origin: undefined }));
    expect(await bench.backup({ records: boards(9, "a"), ifChanged: true })).toMatchObject({ result: "unchanged" });
    const wrong = { records: boards(9, "b"), source: elsewhere };
    expect(await bench.backup(wrong)).toMatchObject({ suspect: [{ code: "other-stack" }] });
  });
});

it("a backup from the same address is good whatever its ids are: the stack was rebuilt there", async () => {
  const bench = await backupOf(boards(9, "a"));
  expect(await bench.backup({ records: boards(9, "b") })).toMatchObject({ suspect: [] });
});

it("status.json names neither the address nor an id", async () => {
  const bench = await backupOf(boards(3, "secret-id-"));
  const text = (await bench.repository.readText("s/status.json"))?.text ?? "";
  expect(text).not.toMatch(/localhost|secret-id/);
});
