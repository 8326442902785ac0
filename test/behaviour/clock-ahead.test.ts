import { describe, expect, it } from "vitest";
import { parseCalendarSpan } from "../../src/backup/retention.ts";
import {
  besideOf,
  copiesOf,
  nameAt,
  stackContent,
  storedBackups,
  type StoredBackups,
} from "../support/stored-backups.ts";

const DAY = 86_400_000;

const within = (text: string) => {
  const span = parseCalendarSpan(text);
  if (span === undefined) throw new Error(`${text} is no span`);
  return { within: span };
};

/** Makes nine backups, one a day, and sets the clock to the tenth day. */
const nineDays = copiesOf(async () => {
  const bench = await storedBackups();
  for (let day = 0; day < 9; day += 1) {
    await bench.backup({ records: stackContent(`day ${day}`) });
    await bench.clock.advance(DAY);
  }
  return bench;
});

const nine = Array.from({ length: 9 }, (_, day) => nameAt(day * 24).slice(2));

describe("a clock that differs from the repository's own", () => {
  it.each([400, -400])("by %i days: the repository's clock dates the backup, and nothing is removed", async (days) => {
    const bench = await nineDays();
    await bench.clock.advance(days * DAY);
    Object.assign(bench.repository, { clockAhead: async () => days * DAY });
    const result = await bench.backup({ policy: { last: 1 } });
    expect(result).toMatchObject({ archive: nameAt(9 * 24), suspect: [] });
    expect(await bench.archives()).toEqual([...nine, nameAt(9 * 24).slice(2)]);
    expect(new Set(result.pruned.flatMap(({ reasons }) => reasons))).toEqual(new Set(["last", "clock-differs"]));
    expect(bench.warnings).toEqual(["clock-differs"]);
  });

  it.each([9, -9])("changes nothing by %i minutes", async (minutes) => {
    const bench = await nineDays();
    Object.assign(bench.repository, { clockAhead: async () => minutes * 60_000 });
    expect((await bench.backup({ policy: { last: 1 } })).archive).toBe(nameAt(9 * 24));
    expect(await bench.archives()).toHaveLength(1);
    expect(bench.warnings).toEqual([]);
  });
});

describe("a clock that is ahead, with a repository that has no clock", () => {
  it("once it is right again, nothing is removed until the backups that it dated are", async () => {
    const bench = await nineDays();
    const policy = { last: 3 };
    await bench.clock.advance(400 * DAY);
    const wrong = await bench.backup({ records: stackContent("ahead"), policy });
    await bench.clock.advance(-400 * DAY);
    for (let day = 0; day < 5; day += 1) {
      await bench.backup({ records: stackContent(`right ${day}`), policy });
      await bench.clock.advance(DAY);
    }
    expect(await bench.choose("latest")).toBe(nameAt(13 * 24));
    expect(await bench.archives()).toHaveLength(8);
    expect(bench.warnings.filter((code) => code === "clock-differs")).toHaveLength(5);
    for (const ending of ["zip", "json"]) await bench.repository.remove(besideOf(wrong.archive, ending));
    await bench.backup({ records: stackContent("right again"), policy });
    expect(await bench.archives()).toHaveLength(3);
  });
});

describe("a backup that is dated ahead of the clock", () => {
  /** Makes nine backups and stores a tenth one that is dated day 400, although it is day 9. */
  async function datedAhead(): Promise<StoredBackups> {
    const bench = await nineDays();
    await bench.store(nameAt(400 * 24), stackContent("ahead"));
    return bench;
  }

  it("is restored if its time is given to the second, with a warning", async () => {
    const bench = await datedAhead();
    const notAfter = bench.clock.now() - 9 * DAY + 400 * DAY + 999;
    expect(await bench.choose({ notAfter })).toBe(nameAt(400 * 24));
    expect(bench.warnings).toContain("clock-differs");
    expect(await bench.choose({ notAfter: notAfter + DAY })).toBe(nameAt(8 * 24));
    expect(await bench.choose("latest")).toBe(nameAt(8 * 24));
  });

  it("is named by every backup, which is compared with the older good one", async () => {
    const bench = await datedAhead();
    expect(await bench.backup({ records: stackContent("later") })).toMatchObject({ suspect: [] });
    expect(bench.warnings).toEqual(["clock-differs"]);
  });

  it("keeps every backup, whatever the rules say, and so does a confirmation", async () => {
    for (const later of ["zip", "unchanged"]) {
      const bench = await (later === "zip" ? datedAhead() : nineDays());
      if (later === "unchanged") await bench.overwrite(besideOf(nameAt(400 * 24), later), "");
      await bench.prune({ ...within("2d"), last: 1 });
      expect((await bench.archives()).slice(0, 9)).toEqual(nine);
      expect(bench.warnings).toEqual(["clock-differs"]);
      const [check] = await bench.check();
      expect(check).toMatchObject({ ageMs: DAY, newestGood: nameAt(8 * 24) });
    }
  });
});

describe("a damaged backup", () => {
  it("takes no slot of a rule, whether its damage shows in its size or not", async () => {
    for (const spoil of ["size", "middle"] as const) {
      const bench = await nineDays();
      if (spoil === "size") await bench.overwrite(nameAt(8 * 24), "rotten");
      else await bench.damage(nameAt(8 * 24));
      const verdicts = await bench.prune({ last: 2 });
      expect(verdicts.map(({ action, reasons }) => [action, ...reasons]).slice(0, 4)).toEqual([
        ["keep", "damaged"],
        ["keep", "last"],
        ["keep", "last"],
        ["remove"],
      ]);
      expect(await bench.archives()).toEqual(nine.slice(6));
    }
  });
});

describe("a clock that has fallen back behind all backups", () => {
  it("changes no backup: once the clock is right, the retention rules hold as before", async () => {
    const bench = await storedBackups();
    const backup = (name: string) => bench.backup({ records: stackContent(name), policy: { last: 2 } });
    for (const day of [1, 2, 3]) {
      await backup(`day ${day}`);
      await bench.clock.advance(DAY);
    }
    const back = 20_000 * DAY;
    await bench.clock.advance(-back);
    for (const night of [1, 2]) {
      expect((await backup(`wrong ${night}`)).suspect).toEqual([]);
      await bench.clock.advance(DAY);
    }
    await bench.clock.advance(back);
    for (const day of [6, 7]) {
      expect((await backup(`day ${day}`)).suspect).toEqual([]);
      await bench.clock.advance(DAY);
    }
    const good = [nameAt(5 * 24), nameAt(6 * 24)].map((name) => name.slice(2));
    expect((await bench.archives()).filter((name) => name >= "2000")).toEqual(good);
  });
});
