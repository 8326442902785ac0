import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  backupStage,
  besideOf,
  dailyBackups,
  HOUR,
  nameAt,
  stackContent,
  StackferryError,
  type BackupStage,
} from "../../support/backup-stage.ts";

const sealed = nameAt(0, true);

/** Returns what a check says of the archives of its only stack. */
async function judged(stage: BackupStage) {
  const [check] = await stage.check();
  const { damaged = [], checked, newestGood, tooOld } = check ?? {};
  return { damaged: damaged.map(({ archive }) => archive), checked, newestGood, tooOld };
}

const good = { damaged: [], checked: 1, newestGood: sealed, tooOld: false };
const bad = { damaged: [sealed], checked: 1, newestGood: undefined, tooOld: true };

type Step = (stage: BackupStage) => Promise<unknown>;
const back: Step = (stage) => stage.backup({ encrypted: true });
const damage: Step = (stage) => stage.damage(sealed);
const cut: Step = async (stage) => stage.overwrite(sealed, (await readFile(join(stage.path, sealed))).subarray(0, -1));
const otherVersion: Step = (stage) => stage.overwrite(sealed, `age-encryption.org/v9\n${"x".repeat(300)}`);
const tornAt =
  (hours: number): Step =>
  async (stage) => {
    await stage.store(nameAt(hours, true), stackContent("first"), true);
    await stage.overwrite(besideOf(nameAt(hours), "json"), "torn");
    await stage.overwrite("s/good", "");
  };

describe("a check of an encrypted archive without its key", () => {
  it.each<[string, Step[], object]>([
    ["compares it with the checksum in its entry", [back], good],
    ["reports the damage of the newest archive", [back, damage], bad],
    ["reports the newest archive as damaged that was cut by a byte", [back, cut], bad],
    ["counts one without a checksum as neither good nor damaged", [tornAt(0)], { ...bad, damaged: [], checked: 0 }],
    ["uses the checksum of an archive for this archive only", [back, tornAt(-1)], good],
    ["calls one damaged whose first line has another version", [tornAt(0), otherVersion], bad],
  ])("%s", async (_, steps, expected) => {
    const stage = await backupStage();
    for (const step of steps) await step(stage);
    stage.hasKey = false;
    expect(await judged(stage)).toEqual(expected);
  });

  it("counts one that is newer than the newest good archive as not read", async () => {
    const stage = await backupStage();
    await stage.store(nameAt(-1));
    await tornAt(0)(stage);
    stage.hasKey = false;
    const [found] = await stage.check();
    expect(found).toMatchObject({ checked: 1, newestGood: nameAt(-1) });
    expect(found?.sealed).toHaveLength(1);
  });
});

describe("a check calls an encrypted archive damaged", () => {
  it("if the given key does not open it", async () => {
    const stage = await dailyBackups({ encrypted: true });
    await stage.damage(sealed);
    expect(await judged(stage)).toEqual(bad);
  });

  it.each([true, false])("if a plain zip has its name (key at hand: %s)", async (hasKey) => {
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

describe("an encrypted archive whose demanded signature does not fit", () => {
  it.each([true, false])("is never good because its checksum stands in its entry (key at hand: %s)", async (hasKey) => {
    const stage = await dailyBackups({ encrypted: true });
    stage.hasKey = hasKey;
    // An attacker who can write to the repository can write an archive, its status and its signature, but cannot sign with
    // the right key.
    Object.assign(stage.context, {
      checksSignature: true,
      openArchive: async () => {
        throw new StackferryError("archive-damaged", "the signature is not of that key");
      },
    });
    expect(await stage.check()).toMatchObject([{ damaged: [{ archive: sealed }], tooOld: true }]);
    await expect(stage.choose("latest")).rejects.toMatchObject({ code: "archive-damaged" });
    await expect(stage.choose({ notAfter: stage.clock.now() })).rejects.toMatchObject({ code: "archive-damaged" });
  });

  it("is not known to be good where no key opens it", async () => {
    const stage = await dailyBackups({ encrypted: true });
    stage.hasKey = false;
    expect(await stage.check()).toMatchObject([{ newestGood: sealed }]);
    Object.assign(stage.context, { checksSignature: true });
    const [check] = await stage.check();
    expect(check).toMatchObject({ checked: 0, sealed: [sealed], tooOld: true });
    expect(check?.newestGood).toBeUndefined();
  });
});
