import { describe, expect, it } from "vitest";
import { besideOf, copiesOf, nameAt, stackContent, backupStage, type BackupStage } from "../../support/backup-stage.ts";

const DAY = 86_400_000;

/** Makes nine backups, one a day, and sets the clock to the tenth day. */
const nineDays = copiesOf(async () => {
  const stage = await backupStage();
  for (let day = 0; day < 9; day += 1) {
    await stage.backup({ records: stackContent(`day ${day}`) });
    await stage.clock.advance(DAY);
  }
  return stage;
});

const nine = Array.from({ length: 9 }, (_, day) => nameAt(day * 24).slice(2));

describe("a clock that differs from the repository's own", () => {
  it.each([400, -400])("by %i days: the repository's clock dates the backup, and nothing is removed", async (days) => {
    const stage = await nineDays();
    await stage.clock.advance(days * DAY);
    Object.assign(stage.repository, { clockAhead: async () => days * DAY });
    const result = await stage.backup({ policy: { last: 1 } });
    expect(result).toMatchObject({ archive: nameAt(9 * 24), suspect: [] });
    expect(await stage.archives()).toEqual([...nine, nameAt(9 * 24).slice(2)]);
    expect(new Set(result.pruned.flatMap(({ reasons }) => reasons))).toEqual(new Set(["clock-differs"]));
    expect(stage.warnings).toEqual(["clock-differs"]);
  });

  it.each([9, -9])("changes nothing by %i minutes", async (minutes) => {
    const stage = await nineDays();
    Object.assign(stage.repository, { clockAhead: async () => minutes * 60_000 });
    expect((await stage.backup({ policy: { last: 1 } })).archive).toBe(nameAt(9 * 24));
    expect(await stage.archives()).toHaveLength(1);
    expect(stage.warnings).toEqual([]);
  });
});

describe("a clock that is ahead, with a repository that has no clock", () => {
  it("once it is right again, nothing is removed until the backups that it dated are", async () => {
    const stage = await nineDays();
    const policy = { last: 3 };
    await stage.clock.advance(400 * DAY);
    const wrong = await stage.backup({ records: stackContent("ahead"), policy });
    await stage.clock.advance(-400 * DAY);
    for (let day = 0; day < 5; day += 1) {
      await stage.backup({ records: stackContent(`right ${day}`), policy });
      await stage.clock.advance(DAY);
    }
    expect(await stage.choose("latest")).toBe(nameAt(13 * 24));
    expect(await stage.archives()).toHaveLength(8);
    expect(stage.warnings.filter((code) => code === "clock-differs")).toHaveLength(5);
    for (const ending of ["zip", "json"]) await stage.repository.remove(besideOf(wrong.archive, ending));
    await stage.backup({ records: stackContent("right again"), policy });
    expect(await stage.archives()).toHaveLength(3);
  });
});

describe("a backup that is dated ahead of the clock", () => {
  /** Makes nine backups and stores a tenth one that is dated day 400, although it is day 9. */
  async function datedAhead(): Promise<BackupStage> {
    const stage = await nineDays();
    await stage.store(nameAt(400 * 24), stackContent("ahead"));
    return stage;
  }

  it("is restored if its time is given to the second, with a warning", async () => {
    const stage = await datedAhead();
    const notAfter = stage.clock.now() - 9 * DAY + 400 * DAY + 999;
    expect(await stage.choose({ notAfter })).toBe(nameAt(400 * 24));
    expect(stage.warnings).toContain("refused-backup");
    expect(await stage.choose({ notAfter: notAfter + DAY })).toBe(nameAt(8 * 24));
    expect(await stage.choose("latest")).toBe(nameAt(8 * 24));
  });

  it("is named by every backup, which is compared with the older good one", async () => {
    const stage = await datedAhead();
    expect(await stage.backup({ records: stackContent("later") })).toMatchObject({ suspect: [] });
    expect(stage.warnings).toEqual(["clock-differs"]);
  });

  it("keeps every backup, whatever the rules say, and so does a confirmation", async () => {
    for (const later of ["zip", "unchanged"]) {
      const stage = await (later === "zip" ? datedAhead() : nineDays());
      if (later === "unchanged") await stage.overwrite(besideOf(nameAt(400 * 24), later), "");
      await stage.prune({ within: "2d", last: 1 });
      expect((await stage.archives()).slice(0, 9)).toEqual(nine);
      expect(stage.warnings).toEqual(["clock-differs"]);
      const [check] = await stage.check();
      expect(check).toMatchObject({ ageMs: DAY, newestGood: nameAt(8 * 24) });
    }
  });
});

describe("a damaged backup", () => {
  it("takes no slot of a rule, whether its damage shows in its size or not", async () => {
    for (const spoil of ["size", "middle"] as const) {
      const stage = await nineDays();
      if (spoil === "size") await stage.overwrite(nameAt(8 * 24), "rotten");
      else await stage.damage(nameAt(8 * 24));
      const verdicts = await stage.prune({ last: 2 });
      expect(verdicts.map(({ action, reasons }) => [action, ...reasons]).slice(0, 4)).toEqual([
        ["keep", "damaged"],
        ["keep", "last"],
        ["keep", "last"],
        ["remove"],
      ]);
      expect(await stage.archives()).toEqual(nine.slice(6));
    }
  });
});

describe("a clock that has fallen back behind all backups", () => {
  it("makes suspect backups, and once the clock is right, the retention rules hold as before", async () => {
    const stage = await backupStage();
    const backup = (name: string) => stage.backup({ records: stackContent(name), policy: { last: 2 } });
    for (const day of [1, 2, 3]) {
      await backup(`day ${day}`);
      await stage.clock.advance(DAY);
    }
    const back = 20_000 * DAY;
    await stage.clock.advance(-back);
    for (const night of [1, 2]) {
      expect((await backup(`wrong ${night}`)).suspect).toMatchObject([{ code: "missing-backup" }]);
      await stage.clock.advance(DAY);
    }
    await stage.clock.advance(back);
    for (const day of [6, 7]) {
      expect((await backup(`day ${day}`)).suspect).toEqual([]);
      await stage.clock.advance(DAY);
    }
    const good = [nameAt(5 * 24), nameAt(6 * 24)].map((name) => name.slice(2));
    expect((await stage.archives()).filter((name) => name >= "2000")).toEqual(good);
  });
});
