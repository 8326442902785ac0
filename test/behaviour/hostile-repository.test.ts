import { copyFile, mkdir, readdir, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { StoredBackups } from "../support/stored-backups.ts";
import { nameAt, stackContent, storedBackups } from "../support/stored-backups.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const HOUR = 3_600_000;

/** Makes backups of the stack `s` at hours 0 and 24 and of the stack `other` at hour 24, and sets the clock to hour 48. */
async function twoStacks(): Promise<StoredBackups> {
  const bench = await storedBackups();
  await bench.backup({ records: stackContent("first") });
  await bench.clock.advance(24 * HOUR);
  await bench.backup({ records: stackContent("second") });
  await bench.backup({ stack: "other", records: stackContent("theirs") });
  await bench.clock.advance(24 * HOUR);
  return bench;
}

/** Returns whether the time in an archive's name lies in the future. */
const isAhead = (bench: StoredBackups, name: string): boolean =>
  name.slice(2, 17) > new Date(bench.clock.now()).toISOString().replaceAll(/[-:]/g, "");

const copy = (bench: StoredBackups, from: string, to: string): Promise<void> =>
  copyFile(join(bench.path, from), join(bench.path, to));

describe.each<[string, (bench: StoredBackups) => Promise<string>]>([
  [
    "copied under another time",
    async (bench) => {
      await copy(bench, nameAt(0), nameAt(40));
      return nameAt(40);
    },
  ],
  [
    "copied under another second",
    async (bench) => {
      const name = nameAt(24).replace("00Z", "01Z");
      await copy(bench, nameAt(0), name);
      return name;
    },
  ],
  [
    "of another stack",
    async (bench) => {
      await copy(bench, nameAt(24).replace("s/", "other/"), nameAt(40));
      return nameAt(40);
    },
  ],
  [
    "of another stack, made in the same second",
    async (bench) => {
      await bench.backup({ stack: "other" });
      await copy(bench, nameAt(48).replace("s/", "other/"), nameAt(48));
      return nameAt(48);
    },
  ],
  [
    "that is an export, not a backup",
    async (bench) => {
      const kept = { stack: undefined } as unknown as { stack: string };
      await bench.store(nameAt(40), stackContent("export"), false, kept);
      return nameAt(40);
    },
  ],
  [
    "from the future",
    async (bench) => {
      await bench.store(nameAt(49));
      return nameAt(49);
    },
  ],
  [
    "of the last second that a name can say",
    async (bench) => {
      await bench.store("s/99991231T235959Z.zip");
      return "s/99991231T235959Z.zip";
    },
  ],
])("an archive %s", (_, plant) => {
  it("is named by the check, never restored, and never counts as the newest", async () => {
    const bench = await twoStacks();
    const name = await plant(bench);
    const [check] = await bench.check({ stacks: ["s"], percent: 0, maxAgeMs: 24 * HOUR });
    expect(check).toMatchObject({
      refused: [{ archive: name }],
      newestGood: nameAt(24),
      ageMs: 24 * HOUR,
      tooOld: false,
    });
    expect(await bench.choose("latest")).toBe(nameAt(24));
    expect(bench.warnings).toContain("refused-backup");
    const day = { notAfter: Date.UTC(9999, 11, 31, 23, 59, 58, 999) };
    if (isAhead(bench, name)) expect(await bench.choose(day)).toBe(nameAt(24));
    else await expect(bench.choose(day)).rejects.toMatchObject({ code: "archive-damaged" });
  });

  it("is not removed, takes no retention slot, and the next backup counts as the newest", async () => {
    const bench = await twoStacks();
    const name = await plant(bench);
    await bench.clock.advance(60_000);
    const next = await bench.backup({ ifChanged: true, records: stackContent("third"), policy: { last: 1 } });
    expect(next.result).toBe("stored");
    expect(await bench.choose("latest")).toBe(next.archive);
    expect((await bench.archives()).toSorted()).toEqual([name, next.archive].map((each) => each.slice(2)).toSorted());
  });

  it("is no reason to store an unchanged stack again", async () => {
    const bench = await twoStacks();
    await plant(bench);
    const same = await bench.backup({ ifChanged: true, records: stackContent("second") });
    expect(same).toMatchObject({ result: "unchanged", archive: nameAt(24) });
  });
});

describe("status.json with a time in the future", () => {
  it("makes no backup younger", async () => {
    const bench = await twoStacks();
    const status = (await bench.repository.readText("s/status.json"))?.text ?? "";
    const forged = status.replace(/"checkedAt": "2026/, '"checkedAt": "9999');
    await writeFile(join(bench.path, "s/status.json"), forged);
    expect(await bench.check({ stacks: ["s"] })).toMatchObject([{ ageMs: 24 * HOUR }]);
  });
});

describe("a lock with a time in the future", () => {
  const lock = { token: "t", host: "there", pid: 7, instance: "x", takenAt: "9999-01-01T00:00:00.000Z" };
  const text = JSON.stringify({ ...lock, renewedAt: "9999-01-01T00:00:00.000Z" });

  it.each([
    [14, "locked"],
    [15, "stored"],
  ])("that was written %i minutes ago: %s", async (minutes, expected) => {
    const bench = await twoStacks();
    await writeFile(join(bench.path, "s/.lock"), text);
    const written = new Date(bench.clock.now() - minutes * 60_000);
    await utimes(join(bench.path, "s/.lock"), written, written);
    const [end] = await bench.backupSeveral([{}]);
    expect(end?.result === "failed" ? end.error.code : end?.result).toBe(expected);
  });

  it("holds nobody up where its file says a time to come, too", async () => {
    const bench = await twoStacks();
    await writeFile(join(bench.path, "s/.lock"), text);
    const future = new Date(bench.clock.now() + 1000 * HOUR);
    await utimes(join(bench.path, "s/.lock"), future, future);
    expect(await bench.backup()).toMatchObject({ result: "stored" });
  });
});

describe("a stack's folder that is a link", () => {
  it("is refused for reading and for writing, and nothing is written where it leads", async () => {
    const bench = await twoStacks();
    const elsewhere = temporaryFolder();
    await symlink(elsewhere, join(bench.path, "linked"));
    const [end] = await bench.backupSeveral([{ stack: "linked" }]);
    expect(end).toMatchObject({ result: "failed", error: { code: "usage" } });
    await mkdir(join(elsewhere, "deep"));
    await symlink(join(elsewhere, "deep"), join(bench.path, "s", "deep"));
    const { repository } = bench;
    const local = join(elsewhere, "local");
    await writeFile(local, "x");
    for (const attempt of [
      () => repository.put(local, "linked/a.zip"),
      () => repository.writeText("linked/status.json", "x"),
      () => repository.swap("linked/.lock", "x", undefined),
      () => repository.readText("linked/local"),
      () => repository.fetch("linked/local", join(elsewhere, "out")),
      () => repository.remove("linked/local"),
      () => repository.list("linked/"),
      () => repository.sweep("linked/"),
      () => repository.writeText("s/deep/x", "x"),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: "usage" });
    }
    expect((await readdir(elsewhere)).toSorted()).toEqual(["deep", "local"]);
    expect((await bench.check()).map(({ stack }) => stack)).toEqual(["other", "s"]);
  });
});
