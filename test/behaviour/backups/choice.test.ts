import { describe, expect, it } from "vitest";
import { backupStage, besideOf, HOUR, nameAt, stackContent } from "../../support/backup-stage.ts";
import { fourDays } from "./repositories.ts";

const days = [72, 48, 24, 0].map((hours) => nameAt(hours));

describe("the choice of a backup to restore", () => {
  it("takes the newest good one, and warns of each damaged one that it passed over", async () => {
    const stage = await fourDays();
    for (const name of days.slice(0, 2)) await stage.damage(name);
    expect(await stage.choose("latest")).toBe(days[2]);
    expect(stage.warnings).toEqual(["damaged-backup", "damaged-backup"]);
  });

  it("is refused if every backup is damaged, and if there is no backup", async () => {
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
});

describe("without the key of an encrypted backup, the choice", () => {
  const sealed = stackContent("sealed");

  it("takes the newest encrypted one if no backup is found good", async () => {
    const stage = await backupStage();
    await stage.store(nameAt(0));
    await stage.damage(nameAt(0));
    for (const hours of [-1, -2]) await stage.store(nameAt(hours, true), sealed, true);
    stage.hasKey = false;
    expect(await stage.choose("latest")).toBe(nameAt(-1, true));
  });

  it("never takes an older plain one instead", async () => {
    const stage = await backupStage();
    await stage.store(nameAt(-1, true), sealed, true);
    await stage.store(nameAt(-2));
    stage.hasKey = false;
    expect(await stage.choose("latest")).toBe(nameAt(-1, true));
    await stage.store(nameAt(0));
    expect(await stage.choose("latest")).toBe(nameAt(0));
  });

  it("says nothing of backups that are older", async () => {
    const stage = await backupStage();
    await stage.store(nameAt(0, true), sealed, true);
    await stage.overwrite(besideOf(nameAt(0), "json"), "torn");
    await stage.store(nameAt(-1));
    await stage.damage(nameAt(-1));
    await stage.store(nameAt(-2));
    stage.hasKey = false;
    expect(await stage.choose("latest")).toBe(nameAt(0, true));
    expect([stage.warnings, stage.fetched.includes(nameAt(-2))]).toEqual([[], false]);
  });
});
