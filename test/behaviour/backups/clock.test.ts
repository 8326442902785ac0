import { describe, expect, it } from "vitest";
import {
  backupStage,
  besideOf,
  copiesOf,
  dailyBackups,
  DAY,
  HOUR,
  nameAt,
  nextDay,
  stackContent,
  type BackupStage,
} from "../../support/backup-stage.ts";
import { fourDays } from "./repositories.ts";

/** Makes nine backups, one a day, and sets the clock to the tenth day. */
const nineDays = copiesOf(async () => {
  const stage = await dailyBackups(...Array.from({ length: 9 }, (_, day) => stackContent(`day ${day}`)));
  await stage.clock.advance(DAY);
  return stage;
});

const nine = Array.from({ length: 9 }, (_, day) => nameAt(day * 24));
const [DAY_8, DAY_9, DAY_400] = [nameAt(8 * 24), nameAt(9 * 24), nameAt(400 * 24)];

describe("a clock that differs from the repository's own", () => {
  it.each([400, -400])("by %i days: the repository's clock dates the backup, and nothing is removed", async (days) => {
    const stage = await nineDays();
    await stage.clock.advance(days * DAY);
    Object.assign(stage.repository, { clockAhead: async () => days * DAY });
    const result = await stage.backup({ policy: { last: 1 } });
    expect(result).toMatchObject({ archive: DAY_9, suspect: [] });
    expect(await stage.archives()).toEqual([...nine, DAY_9]);
    expect(new Set(result.pruned.flatMap(({ reasons }) => reasons))).toEqual(new Set(["clock-differs"]));
    expect(stage.warnings).toEqual(["clock-differs"]);
  });

  it.each([9, -9])("by %i minutes changes nothing", async (minutes) => {
    const stage = await nineDays();
    Object.assign(stage.repository, { clockAhead: async () => minutes * 60_000 });
    expect((await stage.backup({ policy: { last: 1 } })).archive).toBe(DAY_9);
    expect(await stage.archives()).toHaveLength(1);
    expect(stage.warnings).toEqual([]);
  });
});

it("once a clock that was ahead is right again, nothing is removed until the backups that it dated are", async () => {
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

describe("a backup that is dated ahead of the clock", () => {
  /** Makes nine backups and stores a tenth one that is dated day 400, although it is day 9. */
  async function datedAhead(): Promise<BackupStage> {
    const stage = await nineDays();
    await stage.store(DAY_400, stackContent("ahead"));
    return stage;
  }

  it("is restored if its time is given to the second, with a warning", async () => {
    const stage = await datedAhead();
    const notAfter = stage.clock.now() - 9 * DAY + 400 * DAY + 999;
    expect(await stage.choose({ notAfter })).toBe(DAY_400);
    expect(stage.warnings).toContain("refused-backup");
    expect(await stage.choose({ notAfter: notAfter + DAY })).toBe(DAY_8);
    expect(await stage.choose("latest")).toBe(DAY_8);
  });

  it("is named by every backup, which is compared with the older good one", async () => {
    const stage = await datedAhead();
    expect(await stage.backup({ records: stackContent("later") })).toMatchObject({ suspect: [] });
    expect(stage.warnings).toEqual(["clock-differs"]);
  });

  it.each(["an archive", "a note that the stack was unchanged"])("keeps every backup if it is %s", async (what) => {
    const stage = await (what === "an archive" ? datedAhead() : nineDays());
    if (what !== "an archive") await stage.overwrite(besideOf(DAY_400, "unchanged"), "");
    const verdicts = await stage.prune({ within: "2d", last: 1 });
    expect(new Set(verdicts.flatMap(({ reasons }) => reasons))).toEqual(new Set(["clock-differs"]));
    expect((await stage.archives()).slice(0, 9)).toEqual(nine);
    expect(stage.warnings).toEqual(["clock-differs"]);
    expect(await stage.check()).toMatchObject([{ ageMs: DAY, newestGood: DAY_8 }]);
  });
});

describe("a clock that has fallen back behind all backups", () => {
  it.each([
    ["the latest backup", "latest"],
    ["one before a day", { notAfter: Date.UTC(2026, 10, 30) }],
  ] as const)("is named to somebody who asks for %s", async (_, choice) => {
    const stage = await fourDays();
    await stage.clock.advance(-1000 * HOUR);
    const message = expect.stringContaining("dated in the future (was a clock wrong?)");
    await expect(stage.choose(choice)).rejects.toMatchObject({ code: "archive-damaged", message });
  });

  it("makes suspect backups, and once the clock is right, the retention rules hold as before", async () => {
    const stage = await backupStage();
    const backup = (name: string) => nextDay(stage, { records: stackContent(name), policy: { last: 2 } });
    for (const day of [1, 2, 3]) await backup(`day ${day}`);
    const back = 20_000 * DAY;
    await stage.clock.advance(-back);
    for (const night of [1, 2]) {
      expect(await backup(`wrong ${night}`)).toMatchObject({ isFirst: false, suspect: [{ code: "missing-backup" }] });
      expect(stage.warnings.splice(0)).toEqual(["clock-differs", "suspect-backup"]);
    }
    await stage.clock.advance(back);
    for (const day of [6, 7]) expect(await backup(`day ${day}`)).toMatchObject({ suspect: [] });
    const good = [nameAt(6 * 24), nameAt(7 * 24)];
    expect((await stage.archives()).filter((name) => name >= "s/2000")).toEqual(good);
  });
});
