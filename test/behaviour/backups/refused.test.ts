import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  besideOf,
  copiesOf,
  dailyBackups,
  DAY,
  nameAt,
  stackContent,
  type BackupStage,
} from "../../support/backup-stage.ts";

/** Makes backups of the stack `s` at hours 0 and 24 and of the stack `other` at hour 24, and sets the clock to hour 48. */
const backupsOfTwoStacks = copiesOf(async () => {
  const stage = await dailyBackups(stackContent("first"), stackContent("second"));
  await stage.backup({ stack: "other", records: stackContent("theirs") });
  await stage.clock.advance(DAY);
  return stage;
});

/** Copies an archive with its entry, and returns the name of the copy. */
async function copy(stage: BackupStage, from: string, to: string): Promise<string> {
  for (const ending of ["zip", "json"]) {
    await copyFile(join(stage.path, besideOf(from, ending)), join(stage.path, besideOf(to, ending)));
  }
  return to;
}

async function store(stage: BackupStage, name: string): Promise<string> {
  await stage.store(name);
  return name;
}

const ofOther = (name: string): string => name.replace("s/", "other/");

describe.each<[string, "past" | "future", (stage: BackupStage) => Promise<string>]>([
  ["copied under another time", "past", (stage) => copy(stage, nameAt(0), nameAt(40))],
  ["copied under another second", "past", (stage) => copy(stage, nameAt(0), nameAt(24).replace("00Z", "01Z"))],
  ["of another stack", "past", (stage) => copy(stage, ofOther(nameAt(24)), nameAt(40))],
  [
    "of another stack, made in the same second",
    "past",
    async (stage) => {
      await stage.backup({ stack: "other" });
      return await copy(stage, ofOther(nameAt(48)), nameAt(48));
    },
  ],
  [
    "that is an export, not a backup",
    "past",
    async (stage) => {
      const kept = { stack: undefined } as unknown as { stack: string };
      await stage.store(nameAt(40), stackContent("export"), false, kept);
      await stage.overwrite(besideOf(nameAt(40), "json"), "none");
      return nameAt(40);
    },
  ],
  ["from the future", "future", (stage) => store(stage, nameAt(49))],
  ["of the last second that a name can say", "future", (stage) => store(stage, "s/99991231T235959Z.zip")],
])("an archive %s", (_, dated, plant) => {
  it("is named by the check, never restored, and never counts as the newest", async () => {
    const stage = await backupsOfTwoStacks();
    const name = await plant(stage);
    const [check] = await stage.check({ stacks: ["s"], percent: 0, maxAgeMs: DAY });
    expect(check).toMatchObject({
      refused: [{ archive: name }],
      newestGood: nameAt(24),
      ageMs: DAY,
      tooOld: false,
    });
    expect(await stage.choose("latest")).toBe(nameAt(24));
    expect(stage.warnings).toContain("refused-backup");
    const day = { notAfter: Date.UTC(9999, 11, 31, 23, 59, 58, 999) };
    if (dated === "future") expect(await stage.choose(day)).toBe(nameAt(24));
    else await expect(stage.choose(day)).rejects.toMatchObject({ code: "archive-damaged" });
  });

  it("is not removed, takes no retention slot, and the next backup is dated by the clock and counts as the newest", async () => {
    const stage = await backupsOfTwoStacks();
    const name = await plant(stage);
    await stage.clock.advance(60_000);
    const next = await stage.backup({ ifChanged: true, records: stackContent("third"), policy: { last: 1 } });
    expect(next).toMatchObject({ result: "stored", archive: nameAt(48 + 1 / 60) });
    expect(await stage.choose("latest")).toBe(next.archive);
    const old = dated === "future" ? [nameAt(0), nameAt(24)] : [];
    expect((await stage.archives()).toSorted()).toEqual([...old, name, next.archive].toSorted());
  });

  it("is no reason to store an unchanged stack again", async () => {
    const stage = await backupsOfTwoStacks();
    await plant(stage);
    const same = await stage.backup({ ifChanged: true, records: stackContent("second") });
    expect(same).toMatchObject({ result: "unchanged", archive: nameAt(24) });
  });
});
