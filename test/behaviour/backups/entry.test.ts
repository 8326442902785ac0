import { execFileSync } from "node:child_process";
import { copyFile, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  besideOf,
  dailyBackups,
  DAY,
  HOUR,
  nameAt,
  nextDay,
  stackContent,
  StackferryError,
  whileFailing,
  type BackupStage,
} from "../../support/backup-stage.ts";
import { records } from "./repositories.ts";

/** Makes backups at hours 0 and 24, and sets the clock to hour 48. */
async function twoBackups(): Promise<BackupStage> {
  const stage = await dailyBackups(stackContent("first"), stackContent("second"));
  await stage.clock.advance(DAY);
  return stage;
}

describe("an archive without its entry", () => {
  it("counts for nothing before its entry is there: check reads and completes it", async () => {
    const stage = await dailyBackups(stackContent("first"));
    await stage.clock.advance(DAY);
    const fullDisk = new StackferryError("archive-io", "the disk is full", { hint: "make room" });
    const second = { records: stackContent("second") };
    const [end] = await whileFailing(stage, /\.json$/, fullDisk, () => stage.backupSeveral([second]));
    const hint = expect.stringMatching(/^make room; then `stackferry check .*` reads and completes it$/);
    expect(end).toMatchObject({ result: "failed", error: { code: "archive-io", hint } });
    expect(await stage.choose("latest")).toBe(nameAt(0));
    expect(await stage.archives()).toHaveLength(2);
    expect(await stage.check()).toMatchObject([{ newestGood: nameAt(24), refused: [], damaged: [] }]);
    expect(await stage.choose("latest")).toBe(nameAt(24));
  });

  it("is judged by the check that completes it, after its run was killed", async () => {
    const stage = await dailyBackups(records(10));
    const killed = whileFailing(stage, /\.json$/, new Error("killed"), () => nextDay(stage, { records: records(1) }));
    await expect(killed).rejects.toThrow("killed");
    expect(await stage.check()).toMatchObject([{ newestGood: nameAt(0), suspect: [{ archive: nameAt(24) }] }]);
  });

  it("is unfinished, whatever it holds: it is never the newest, and check says why it does not complete it", async () => {
    const stage = await twoBackups();
    await stage.overwrite(nameAt(30), "somebody's notes");
    await copyFile(join(stage.path, nameAt(24)), join(stage.path, nameAt(31)));
    expect(await stage.choose("latest")).toBe(nameAt(24));
    stage.warnings.length = 0;
    expect(await stage.check({ stacks: ["s"], percent: 0 })).toMatchObject([
      { newestGood: nameAt(24), damaged: [], refused: [] },
    ]);
    expect(stage.warnings).toEqual(["unfinished-backup", "unfinished-backup"]);
  });

  it("is removed by a later run only if it cannot be opened and is older than a day", async () => {
    const stage = await twoBackups();
    const [torn, young, whole, sealed] = [nameAt(30), nameAt(31), nameAt(32), nameAt(33, true)];
    for (const name of [torn, young]) await stage.overwrite(name, "half");
    await copyFile(join(stage.path, nameAt(24)), join(stage.path, whole));
    await stage.overwrite(sealed, "age-encryption.org/v1\nhalf");
    const [claim, youngClaim] = [besideOf(nameAt(28), "run-00ab"), besideOf(nameAt(34), "run-00ac")];
    const orphans = [besideOf(nameAt(29), "json"), `${nameAt(29)}.sig`];
    const [part, youngPart] = ["s/.a.zip.0123456789abcdef.part", "s/.b.zip.0123456789abcdef.part"];
    const mine = "s/.mine.part";
    for (const name of [...orphans, claim, youngClaim, part, youngPart, mine]) await stage.overwrite(name, "");
    const now = stage.clock.now();
    const setAge = async (hours: number, ...names: string[]): Promise<void> => {
      const at = new Date(now - hours * HOUR);
      for (const name of names) await utimes(join(stage.path, name), at, at);
    };
    await setAge(25, torn, whole, sealed, part, mine, claim, ...orphans);
    await setAge(23, young, youngPart, youngClaim);
    stage.hasKey = false;
    await stage.backup({ records: stackContent("third") });
    const removed = stage.changes.filter((step) => step.startsWith("remove"));
    expect(removed.toSorted()).toEqual(
      [torn, `${torn}.sig`, part, ...orphans].map((name) => `remove ${name}`).toSorted(),
    );
    const left = (await stage.repository.list("s/")).map(({ name }) => name);
    expect(left).toEqual(expect.arrayContaining([youngPart, mine, young, whole, sealed, youngClaim]));
    expect(left).not.toContain(claim);
  });
});

describe.each<[string, newest: string, (path: string) => Promise<void> | void]>([
  [
    "900 MB",
    nameAt(24),
    async (path) => {
      await writeFile(path, "");
      await truncate(path, 900_000_000);
    },
  ],
  // A FIFO is no file of the repository, so the archive counts as unfinished until `check` completes it.
  ["a FIFO", nameAt(0), (path) => void execFileSync("mkfifo", [path])],
])("%s in the place of an entry", (_, newest, make) => {
  it("costs one reading of its archive, and holds nobody up", async () => {
    const stage = await twoBackups();
    const entry = join(stage.path, besideOf(nameAt(24), "json"));
    await rm(entry);
    await make(entry);
    expect(await stage.choose("latest")).toBe(newest);
    expect(await stage.check()).toMatchObject([{ newestGood: nameAt(24), damaged: [], suspect: [] }]);
    const again = await stage.backup({ records: stackContent("second"), ifChanged: true });
    expect(again).toMatchObject({ result: "unchanged", archive: nameAt(24) });
  });
});

it("an archive whose size differs from its entry is read anew: what the entry says of it is not believed", async () => {
  const stage = await dailyBackups(stackContent("first"));
  const name = besideOf(nameAt(0), "json");
  const entry = JSON.parse((await stage.repository.readText(name)) ?? "") as Record<string, unknown>;
  const kinds = { webhooks: { status: "complete", count: 77 } };
  await stage.overwrite(name, JSON.stringify({ ...entry, bytes: Number(entry["bytes"]) + 1, kinds }));
  stage.fetched.length = 0;
  expect((await stage.check({ percent: 0 }))[0]?.summary.records).toMatchObject({ webhooks: 2 });
  expect(stage.fetched).toContain(nameAt(0));
});
