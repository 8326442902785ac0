import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lostAnswerError } from "../support/memory-stack.ts";
import type { StoredBackups } from "../support/stored-backups.ts";
import { nameAt, stackContent, storedBackups } from "../support/stored-backups.ts";

const HOUR = 3_600_000;

/** Makes a backup of the stack `s` at hour 0, and sets the clock to hour 1. */
async function repositoryWithBackup(): Promise<StoredBackups> {
  const bench = await storedBackups();
  expect(await bench.backup()).toMatchObject({ isFirst: true, suspect: [] });
  await bench.clock.advance(HOUR);
  return bench;
}

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
