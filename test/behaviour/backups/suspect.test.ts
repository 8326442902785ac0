import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { sampleHeader, sampleRecord } from "../../support/archive-samples.ts";
import {
  backupStage,
  dailyBackups,
  DAY,
  nameAt,
  nextDay,
  whileFailing,
  type BackupStage,
} from "../../support/backup-stage.ts";
import { refusalError } from "../../support/memory-stack.ts";
import { records, tearEntries } from "./repositories.ts";

/** Returns a repository with a backup of ten dashboards, and one a day for each count of dashboards. */
const backupHistory = (...counts: number[]): Promise<BackupStage> =>
  dailyBackups(...[10, ...counts].map((count) => records(count)));

describe("the verdict on a backup", () => {
  it.each<[before: number, kind: string, now: number, minShare: number, codes: string[]]>([
    [10, "dashboards", 6, 0.5, []],
    [10, "dashboards", 5, 0.5, []],
    [10, "dashboards", 4, 0.5, ["kind-shrunk"]],
    [10, "dashboards", 0, 0.5, ["empty", "kind-shrunk"]],
    [10, "dashboards", 11, 0.5, []],
    [10, "dashboards", 8, 0.9, ["kind-shrunk"]],
    [10, "dashboards", 9, 0.9, []],
    [10, "dashboards", 10, 1, []],
    [10, "dashboards", 1, 0, []],
    [10, "dashboards", 0, 0, ["empty", "kind-shrunk"]],
    [7, "webhooks", 3, 0.5, ["kind-shrunk"]],
    [7, "webhooks", 4, 0.5, []],
    [14, "alerts", 6, 0.5, ["kind-shrunk"]],
    [14, "alerts", 7, 0.5, []],
    [4, "saved-searches", 1, 0.5, ["kind-shrunk"]],
    [4, "saved-searches", 5, 0.5, []],
  ])(
    "depends on the last good one: %i %s before, %i now, a share of %d is enough: %j",
    async (before, kind, now, minShare, codes) => {
      const others = kind === "dashboards" ? [] : records(50);
      const stage = await backupStage();
      Object.assign(stage.context, { minShare });
      await stage.backup({ records: [...others, ...records(before, kind)] });
      const result = await nextDay(stage, { records: [...others, ...records(now, kind)] });
      expect(result.suspect.map(({ code }) => code)).toEqual(codes);
      expect(result).toMatchObject({ result: "stored", summary: { suspect: codes.length > 0 } });
    },
  );

  it.each([
    ["sources", { status: "complete", count: 0 } as const],
    ["webhooks", { status: "not-offered", count: 0 } as const],
    ["connections", undefined],
  ])("is suspect where the last %s are gone, whatever else it holds", async (kind, summary) => {
    const rest = records(10);
    const stage = await dailyBackups([...rest, ...records(2, kind)]);
    const kinds = { ...sampleHeader(rest).kinds, ...(summary && { [kind]: summary }) };
    const result = await nextDay(stage, { records: rest, kinds });
    expect(result.suspect).toEqual([{ code: "kind-shrunk", message: `${kind} 2 → 0` }]);
  });

  it("is suspect without dashboards and alerts, also where it is the first, until that is accepted", async () => {
    const stage = await backupStage();
    const bare = [sampleRecord("one", "webhooks")];
    expect((await stage.backup({ records: bare })).suspect).toMatchObject([{ code: "empty" }]);
    expect(await stage.accept()).toBe(nameAt(0));
    expect((await nextDay(stage, { records: bare })).suspect).toEqual([]);
  });

  it("is suspect where nobody can tell: those before are encrypted, their key is missing and their entries are torn", async () => {
    const stage = await dailyBackups({ encrypted: true });
    stage.hasKey = false;
    await tearEntries(stage);
    const { suspect } = await nextDay(stage, { encrypted: true, policy: { last: 1 } });
    expect(suspect).toMatchObject([{ code: "missing-backup" }]);
    expect(await stage.archives()).toHaveLength(2);
  });
});

describe("a backup from another address", () => {
  const source = { variant: "self-hosted", baseUrl: "http://staging.test:8000" } as const;
  const suspect = [{ code: "other-stack" }];
  const ours = records(3, "dashboards", "a");
  const theirs = records(3, "dashboards", "b");

  it.each([
    ["equal", ours],
    ["other", theirs],
  ])("is suspect until it is accepted, whatever its ids are (%s ones)", async (_, content) => {
    const stage = await dailyBackups(ours);
    const wrong = { records: content, source, policy: { last: 1 } };
    expect(await nextDay(stage, wrong)).toMatchObject({ result: "stored", suspect });
    expect(await stage.archives()).toHaveLength(2);
    expect(await stage.choose("latest")).toBe(nameAt(0));
    expect(await nextDay(stage, { ...wrong, ifChanged: true })).toMatchObject({ result: "unchanged", suspect });
    // The configured address is right again.
    expect(await nextDay(stage, { records: ours })).toMatchObject({ suspect: [] });
    await nextDay(stage, wrong);
    expect(await stage.accept()).toBeDefined();
    expect(await nextDay(stage, wrong)).toMatchObject({ suspect: [] });
  });

  it("is stored and suspect with --if-changed, too, where its content is equal", async () => {
    const stage = await dailyBackups(ours);
    const copy = { records: ours, source, ifChanged: true };
    expect(await nextDay(stage, copy)).toMatchObject({ result: "stored", suspect });
  });

  it("is recognised from the entry if the earlier backup is encrypted and its key is missing", async () => {
    const stage = await dailyBackups({ records: ours, encrypted: true });
    stage.hasKey = false;
    expect(await nextDay(stage, { records: theirs, source, encrypted: true })).toMatchObject({ suspect });
  });

  it("is recognised from the archives if their entries are torn", async () => {
    const stage = await dailyBackups(ours, { records: theirs, source });
    await tearEntries(stage);
    expect(await stage.check()).toMatchObject([{ suspect: [{ archive: nameAt(24) }] }]);
  });

  it("is told by the address alone: at the same address, a stack with other ids was rebuilt", async () => {
    expect(await nextDay(await dailyBackups(ours), { records: theirs })).toMatchObject({ suspect: [] });
  });
});

describe("while the newest backups are suspect", () => {
  describe.each(["whole", "torn"])("and their entries are %s", (entries) => {
    const suspectBackups = async (): Promise<BackupStage> => {
      const stage = await backupHistory(2, 0);
      if (entries === "torn") await tearEntries(stage);
      return stage;
    };

    it("a check names each of them and what is wrong", async () => {
      const [check] = await (await suspectBackups()).check();
      expect([...new Set(check?.suspect.map(({ archive }) => archive))]).toEqual([nameAt(48), nameAt(24)]);
      expect(check).toMatchObject({ newestGood: nameAt(0), ageMs: 2 * DAY, summary: { suspect: true } });
    });

    it("a restore without a time passes over them and says so", async () => {
      const stage = await suspectBackups();
      expect(await stage.choose("latest")).toBe(nameAt(0));
      expect(stage.warnings.filter((code) => code === "suspect-backup").length).toBeGreaterThanOrEqual(2);
      expect(await stage.choose({ notAfter: stage.clock.now() })).toBe(nameAt(48));
    });
  });

  it("equal suspect content is stored once, stays suspect, and does not make the good backup younger", async () => {
    const stage = await backupHistory(2);
    const again = await nextDay(stage, { records: records(2), ifChanged: true });
    const suspect = [{ code: "kind-shrunk" }];
    expect(again).toMatchObject({ result: "unchanged", archive: nameAt(24), suspect, summary: { ageMs: 2 * DAY } });
    expect(await stage.archives()).toHaveLength(2);
    expect(await stage.check()).toMatchObject([{ newestGood: nameAt(0), ageMs: 2 * DAY }]);
  });

  it("a complete backup that follows is the newest good one, and the check passes", async () => {
    const stage = await backupHistory(2, 10);
    expect(await stage.check()).toMatchObject([{ suspect: [], newestGood: nameAt(48), tooOld: false }]);
  });

  it("a failed backup tells how old the good one is", async () => {
    const stage = await backupHistory(2);
    await stage.clock.advance(DAY);
    const refused = refusalError("unauthorized", "the key was refused");
    expect(await whileFailing(stage, /^put/, refused, () => stage.backupSeveral([{}]))).toMatchObject([
      { result: "failed", summary: { suspect: true, ageMs: 2 * DAY, records: { dashboards: 2 } } },
    ]);
  });
});

describe("accepting", () => {
  it("takes the newest for good: later ones are compared with it, and retention counts it", async () => {
    const stage = await backupHistory(2, 2);
    expect(await stage.accept()).toBe(nameAt(48));
    expect(await stage.check()).toMatchObject([{ suspect: [], newestGood: nameAt(48) }]);
    expect(await stage.choose("latest")).toBe(nameAt(48));
    expect(await nextDay(stage, { records: records(2), policy: { last: 1 } })).toMatchObject({ suspect: [] });
    expect(await stage.archives()).not.toContain(nameAt(0));
    expect(await stage.accept()).toBeUndefined();
  });

  it("makes no folder for a stack without backups", async () => {
    const stage = await backupStage();
    expect(await stage.accept()).toBeUndefined();
    expect(await readdir(stage.path)).not.toContain("s");
  });

  it("makes an unchanged stack good from then on", async () => {
    const stage = await backupHistory(2);
    expect(await stage.accept()).toBe(nameAt(24));
    await stage.clock.advance(DAY);
    const same = { records: records(2), ifChanged: true };
    expect(await stage.backup(same)).toMatchObject({ result: "unchanged", suspect: [], summary: { suspect: false } });
    expect(await stage.accept()).toBeUndefined();
  });

  it("is refused for one that is not whole", async () => {
    const stage = await backupHistory(2);
    await stage.damage(nameAt(24), "middle");
    await expect(stage.accept()).rejects.toMatchObject({ code: "archive-damaged" });
  });
});
