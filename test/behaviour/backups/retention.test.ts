import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  besideOf,
  dailyBackups,
  HOUR,
  nameAt,
  nextDay,
  stackContent,
  whileFailing,
  type BackupStage,
} from "../../support/backup-stage.ts";
import { refusalError } from "../../support/memory-stack.ts";
import { fourDays, records, tearEntries, verdictLine } from "./repositories.ts";

const damageAt =
  (...hours: number[]) =>
  async (stage: BackupStage): Promise<void> => {
    for (const each of hours) await stage.damage(nameAt(each));
  };
const overwriteAt = (hours: number) => (stage: BackupStage) => stage.overwrite(nameAt(hours), "somebody's notes");

describe("a prune", () => {
  it.each<[string, (stage: BackupStage) => Promise<void>, last: number, string]>([
    ["the newest good archive", damageAt(48, 72), 1, "72 damaged, 48 damaged, 24 last, 0 remove"],
    ["all, if none is proven good", damageAt(0, 24, 48, 72), 1, "72 damaged, 48 damaged, 24 damaged, 0 last"],
    ["damaged ones, which take no slot", damageAt(72), 2, "72 damaged, 48 last, 24 last, 0 remove"],
    ["one of another size, which takes no slot", overwriteAt(72), 2, "72 damaged, 48 last, 24 last, 0 remove"],
    ["a file with the name of one", overwriteAt(-24), 1, "72 last, 48 remove, 24 remove, 0 remove, -24 not-recognised"],
  ])("keeps %s", async (_, act, last, expected) => {
    const stage = await fourDays();
    await act(stage);
    const verdicts = await stage.prune({ last });
    expect(verdictLine(verdicts)).toBe(expected);
    const kept = verdicts.filter(({ action }) => action === "keep").map(({ archive }) => archive.name);
    expect(await stage.archives()).toEqual(kept.toReversed());
  });

  it("removes the oldest first, each archive before the files beside it", async () => {
    const stage = await fourDays();
    await stage.prune({ last: 2 });
    const removed = [nameAt(0), nameAt(24)].flatMap((name) => [name, `${name}.sig`, besideOf(name, "json")]);
    expect(stage.changes).toEqual(removed.map((name) => `remove ${name}`));
  });

  it("removes nothing more once an archive that it keeps is gone, nor the note that another one was found unchanged", async () => {
    const stage = await fourDays();
    const note = besideOf(nameAt(30), "unchanged");
    await stage.overwrite(note, "");
    stage.beforeStep = async (step) => {
      if (step === `remove ${nameAt(0)}.sig`) await rm(join(stage.path, nameAt(48)));
    };
    const verdicts = await stage.prune({ last: 2 });
    expect(verdictLine(verdicts)).toBe("72 last, 48 last, 24 changed-meanwhile, 0 remove");
    expect(await stage.archives()).toEqual([nameAt(24), nameAt(72)]);
    expect(stage.changes).not.toContain(`remove ${note}`);
  });

  it("keeps the newest archive that can be opened, and what is newer, where no key opens the newer ones", async () => {
    const stage = await fourDays();
    for (const hours of [73, 74, 75]) {
      await stage.store(nameAt(hours, true), stackContent(`${hours}`), true);
      await stage.overwrite(besideOf(nameAt(hours), "json"), "torn");
    }
    await stage.clock.advance(2 * HOUR);
    stage.hasKey = false;
    const newer = "75 last, 74 newest-good, 73 newest-good";
    const verdicts = await stage.prune({ last: 1 });
    expect(verdictLine(verdicts)).toBe(`${newer}, 72 newest-good, 48 remove, 24 remove, 0 remove`);
    expect(await stage.choose("latest")).toBe(nameAt(75, true));
    expect(await stage.check({ percent: 0 })).toMatchObject([{ newestGood: nameAt(72) }]);
  });

  it("counts equal backups in a row once for --keep-last", async () => {
    const names = ["first", "second", "second", "third", "third", "third", "second"];
    const stage = await dailyBackups(...names.map(stackContent));
    const verdicts = await stage.prune({ last: 3 });
    expect(verdictLine(verdicts)).toBe("144 last, 120 last, 96 remove, 72 remove, 48 last, 24 remove, 0 remove");
    expect(await stage.archives()).toEqual([48, 120, 144].map((hours) => nameAt(hours)));
  });

  it("gives no slot of a good backup to a suspect one", async () => {
    const stage = await dailyBackups(...[10, 11, 12, 1, 2].map((count) => records(count)));
    expect(verdictLine(await stage.prune({ last: 2 }))).toBe("96 last, 72 last, 48 last, 24 last, 0 remove");
  });

  it.each(["whole", "torn"])("keeps the good backup while the newest are suspect (entries %s)", async (entries) => {
    const stage = await dailyBackups(records(10));
    for (const count of [1, 2, 0, 1, 2]) {
      if (entries === "torn") await tearEntries(stage);
      await nextDay(stage, { records: records(count), policy: { last: 1 } });
      expect(await stage.archives()).toContain(nameAt(0));
    }
    await stage.prune({ last: 1 });
    expect(await stage.archives()).toEqual([nameAt(0), nameAt(5 * 24)]);
  });

  it("leaves the newest note of each archive that is kept", async () => {
    const names = ["first", "first", "first", "second", "second", "second"];
    const stage = await dailyBackups(...names.map((name) => ({ ifChanged: true, records: stackContent(name) })));
    await stage.prune({ last: 1 });
    const [archive, note] = [nameAt(72), nameAt(120)];
    const kept = [besideOf(archive, "json"), archive, besideOf(note, "unchanged"), "s/good"];
    expect((await stage.repository.list("")).map(({ name }) => name)).toEqual(kept);
  });

  it("touches nothing in a dry run, and says what it would do", async () => {
    const stage = await fourDays();
    const planned = await stage.prune({ last: 1 }, { dryRun: true });
    expect(stage.changes).toEqual([]);
    expect(await stage.archives()).toHaveLength(4);
    expect(await stage.prune({ last: 1 })).toEqual(planned);
  });

  it("reads no archive if it keeps them all", async () => {
    const stage = await dailyBackups(stackContent("first"), stackContent("second"));
    stage.fetched.length = 0;
    expect(verdictLine(await stage.prune({ last: 2 }))).toBe("24 last, 0 last");
    expect(stage.fetched).toEqual([]);
  });

  it("ends with the error of a repository that fails while an archive is fetched, and removes nothing", async () => {
    const stage = await fourDays();
    const refused = refusalError("unauthorized", "the key was refused");
    const pruned = whileFailing(stage, /^fetch/, refused, () => stage.prune({ last: 1 }));
    await expect(pruned).rejects.toMatchObject({ code: "unauthorized" });
    expect(await stage.archives()).toHaveLength(4);
  });
});

describe("a prune in the run of a backup", () => {
  it("reads each archive that stays at most once", async () => {
    const stage = await fourDays();
    const { pruned, archive, summary } = await stage.backup({ policy: { last: 2 } });
    expect(summary.archives).toBe((await stage.archives()).length);
    expect(verdictLine(pruned)).toBe("73 last, 72 last, 48 remove, 24 remove, 0 remove");
    expect(await stage.archives()).toContain(archive);
    // Both that are kept: older ones are removed in their favour.
    expect(stage.fetched).toEqual([archive, nameAt(72)]);
  });

  it("happens if the stack is unchanged, too", async () => {
    const stage = await fourDays();
    const result = await stage.backup({ ifChanged: true, records: stackContent("hour 72"), policy: { last: 1 } });
    expect(result).toMatchObject({ result: "unchanged", archive: nameAt(72) });
    expect(await stage.archives()).toEqual([nameAt(72)]);
  });

  it("does not happen without a policy", async () => {
    const stage = await fourDays();
    expect((await stage.backup()).pruned).toEqual([]);
    expect(await stage.archives()).toHaveLength(5);
  });
});
