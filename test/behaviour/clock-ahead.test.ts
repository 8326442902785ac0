import { describe, expect, it } from "vitest";
import { parseCalendarSpan } from "../../src/backup/retention.ts";
import { copiesOf, nameAt, stackContent, storedBackups, type StoredBackups } from "../support/stored-backups.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

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

describe("a clock that is ahead of the repository's own", () => {
  it("dates the backup by the repository's clock, and nothing is removed", async () => {
    const bench = await nineDays();
    await bench.clock.advance(400 * DAY);
    Object.assign(bench.repository, { clockAhead: async () => 400 * DAY });
    const result = await bench.backup({ policy: { last: 1 } });
    expect(result.archive).toBe(nameAt(9 * 24));
    expect(await bench.archives()).toEqual([...nine, nameAt(9 * 24).slice(2)]);
    expect(new Set(result.pruned.flatMap(({ reasons }) => reasons))).toEqual(new Set(["last", "clock-ahead"]));
    expect(bench.warnings).toContain("clock-ahead");
  });

  it("changes nothing within the tolerance, or if the clock is behind", async () => {
    for (const ahead of [9 * 60_000, -400 * DAY]) {
      const bench = await nineDays();
      Object.assign(bench.repository, { clockAhead: async () => ahead });
      expect((await bench.backup({ policy: { last: 1 } })).archive).toBe(nameAt(9 * 24));
      expect(await bench.archives()).toHaveLength(1);
      expect(bench.warnings).not.toContain("clock-ahead");
    }
  });
});

describe("a clock that is ahead, with a repository that has no clock", () => {
  it.each([400, 30, 8])("by %i days removes nothing, however many runs there are", async (days) => {
    const bench = await nineDays();
    await bench.clock.advance(days * DAY);
    const first = await bench.backup({ records: stackContent("ahead"), policy: { ...within("10d"), last: 1 } });
    expect(first.pruned.filter(({ action }) => action === "remove")).toEqual([]);
    expect(bench.warnings.filter((code) => code === "clock-jump").length).toBe(1);
    for (let run = 0; run < 5; run += 1) {
      await bench.clock.advance(HOUR);
      await bench.backup({ records: stackContent(`ahead ${run}`), policy: within("10d") });
    }
    expect((await bench.archives()).slice(0, 9)).toEqual(nine);
    expect(bench.warnings.filter((code) => code === "clock-jump")).toHaveLength(1);
  });

  it("removes the old backups once as much time has passed after the backup dated ahead", async () => {
    const bench = await nineDays();
    await bench.clock.advance(400 * DAY);
    for (let day = 0; day < 13; day += 1) {
      await bench.backup({ records: stackContent(`later ${day}`), policy: within("10d") });
      await bench.clock.advance(DAY);
    }
    expect(await bench.archives()).toHaveLength(10);
  });

  it("never lets a backup dated ahead take a retention slot from a good backup", async () => {
    const bench = await nineDays();
    const policy = { last: 3, hourly: 6, daily: 4, weekly: 3 };
    const ahead = 1000 * DAY;
    for (let turn = 0; turn < 6; turn += 1) {
      await bench.backup({ records: stackContent(`right ${turn}`), policy });
      await bench.clock.advance(ahead + HOUR);
      await bench.backup({ records: stackContent(`ahead ${turn}`), policy });
      await bench.clock.advance(6 * DAY - ahead);
    }
    const right = nameAt((9 + 5 * 6) * 24 + 5);
    expect(await bench.archives()).toContain(right.slice(2));
    expect(await bench.choose("latest")).toBe(right);
  });

  it("is not suspected if backups are usually far apart, or if the stack was only unchanged", async () => {
    const weekly = await storedBackups();
    for (let week = 0; week < 6; week += 1) {
      await weekly.backup({ records: stackContent(`week ${week}`), policy: { last: 2 } });
      await weekly.clock.advance(7 * DAY);
    }
    expect(await weekly.archives()).toHaveLength(2);
    const unchanged = await storedBackups();
    await unchanged.backup();
    for (let day = 0; day < 30; day += 1) {
      await unchanged.clock.advance(DAY);
      await unchanged.backup({ ifChanged: true });
    }
    await unchanged.backup({ records: stackContent("other"), policy: { last: 1 } });
    expect(await unchanged.archives()).toHaveLength(1);
  });

  it("is not suspected after a weekend without backups, even if summer time ends on it", async () => {
    const bench = await storedBackups();
    for (const gap of [0, DAY - 5000, DAY + 3000, DAY, DAY - 1000, 3 * DAY + HOUR]) {
      await bench.clock.advance(gap);
      await bench.backup({ records: stackContent(`after ${gap}`), policy: { last: 2 } });
    }
    expect(bench.warnings).toEqual([]);
    expect(await bench.archives()).toHaveLength(2);
  });
});

describe("a backup that is dated ahead of the clock", () => {
  /** Makes nine backups and stores a tenth one that is dated day 400, although it is day 9. */
  async function datedAhead(): Promise<StoredBackups> {
    const bench = await nineDays();
    await bench.store(nameAt(400 * 24), stackContent("ahead"));
    return bench;
  }

  it("is kept by prune for this reason, even when the clock has passed its date", async () => {
    const bench = await nineDays();
    await bench.clock.advance(400 * DAY);
    const ahead = await bench.backup({ records: stackContent("ahead") });
    await bench.clock.advance(-399 * DAY);
    await bench.backup({ records: stackContent("right") });
    await bench.clock.advance(500 * DAY);
    const verdicts = await bench.prune({ last: 1 }, { dryRun: true });
    expect(verdicts.find(({ archive }) => archive.name === ahead.archive)).toMatchObject({
      action: "keep",
      reasons: ["dated-ahead"],
    });
  });

  it("is restored if its time is given to the second, with a warning", async () => {
    const bench = await datedAhead();
    const notAfter = bench.clock.now() - 9 * DAY + 400 * DAY + 999;
    expect(await bench.choose({ notAfter })).toBe(nameAt(400 * 24));
    expect(bench.warnings).toContain("dated-ahead");
    expect(await bench.choose({ notAfter: notAfter + DAY })).toBe(nameAt(8 * 24));
    expect(await bench.choose("latest")).toBe(nameAt(8 * 24));
  });

  it("is named by every backup, which is compared with the older good one", async () => {
    const bench = await datedAhead();
    expect(await bench.backup({ records: stackContent("later") })).toMatchObject({ suspect: [] });
    expect(bench.warnings).toEqual(["dated-ahead"]);
  });

  it("takes no retention slot, and no retention rule removes it", async () => {
    const bench = await datedAhead();
    await bench.prune({ ...within("2d"), last: 1 });
    expect(await bench.archives()).toEqual(
      [nameAt(7 * 24), nameAt(8 * 24), nameAt(400 * 24)].map((name) => name.slice(2)),
    );
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
      expect((await backup(`wrong ${night}`)).suspect).toMatchObject([{ code: "nothing-to-compare" }]);
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
