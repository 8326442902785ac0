import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { sampleHeader, sampleRecord } from "../../support/archive-samples.ts";
import { refusalError } from "../../support/memory-stack.ts";
import { besideOf, copiesOf, nameAt, backupStage, stackContent, type BackupStage } from "../../support/backup-stage.ts";

const HOUR = 3_600_000;

/** Returns this number of dashboards. */
const dashboards = (count: number) =>
  Array.from({ length: count }, (_, index) => sampleRecord(`d${index}`, "dashboards", { tiles: [] }));

const firstBackup = copiesOf(async () => {
  const stage = await backupStage();
  await stage.backup({ records: dashboards(10) });
  return stage;
});

/** Returns a repository with a backup of ten dashboards at hour 0, and one for each count of dashboards, an hour apart. */
async function backupHistory(...counts: number[]): Promise<BackupStage> {
  const stage = await firstBackup();
  for (const count of counts) {
    await stage.clock.advance(HOUR);
    await stage.backup({ records: dashboards(count) });
  }
  return stage;
}

/** Tears the entry of each archive. */
async function tearEntries(stage: BackupStage): Promise<void> {
  for (const name of await stage.archives()) await stage.overwrite(besideOf(`s/${name}`, "json"), '{"format":"stack');
}

it.each([
  ["6 records is good", 6, []],
  ["5 records is good", 5, []],
  ["4 records is suspect", 4, ["kind-shrunk"]],
  ["no record is suspect", 0, ["empty", "kind-shrunk"]],
  ["11 records is good", 11, []],
])("a backup with %s, where the last good one has ten", async (_verdict, count, codes) => {
  const stage = await backupHistory();
  await stage.clock.advance(HOUR);
  const result = await stage.backup({ records: dashboards(count) });
  expect(result.suspect.map(({ code }) => code)).toEqual(codes);
  expect(result).toMatchObject({ result: "stored", summary: { suspect: codes.length > 0 } });
});

describe("a backup is suspect", () => {
  it.each([
    ["sources", { status: "complete", count: 0 } as const],
    ["webhooks", { status: "not-offered", count: 0 } as const],
    ["connections", undefined],
  ])("where the last %s are gone, whatever else it holds", async (kind, summary) => {
    const stage = await backupStage();
    const rest = dashboards(10);
    await stage.backup({ records: [...rest, sampleRecord("a", kind), sampleRecord("b", kind)] });
    await stage.clock.advance(HOUR);
    const { kinds } = sampleHeader(rest);
    const result = await stage.backup({ records: rest, kinds: { ...kinds, ...(summary && { [kind]: summary }) } });
    expect(result.suspect).toEqual([{ code: "kind-shrunk", message: `${kind} 2 → 0` }]);
  });

  it.each([
    [7, "webhooks", 3, 1],
    [7, "webhooks", 4, 0],
    [14, "alerts", 6, 1],
    [14, "alerts", 7, 0],
    [4, "saved-searches", 1, 1],
    [4, "saved-searches", 5, 0],
  ])("where %i %s fall to %i, although there are many dashboards: %i reason", async (before, kind, left, reasons) => {
    const some = (count: number) => Array.from({ length: count }, (_, index) => sampleRecord(`s${index}`, kind));
    const stage = await backupStage();
    await stage.backup({ records: [...dashboards(50), ...some(before)] });
    await stage.clock.advance(HOUR);
    const { suspect } = await stage.backup({ records: [...dashboards(50), ...some(left)] });
    expect(suspect).toHaveLength(reasons);
  });

  it("without dashboards and alerts, also where it is the first, until that is accepted", async () => {
    const stage = await backupStage();
    const records = [sampleRecord("one", "webhooks")];
    expect((await stage.backup({ records })).suspect).toMatchObject([{ code: "empty" }]);
    expect(await stage.accept()).toBe(nameAt(0));
    await stage.clock.advance(HOUR);
    expect((await stage.backup({ records })).suspect).toEqual([]);
  });

  it("compared with the last good one, not with a suspect one", async () => {
    const stage = await backupHistory(2, 2);
    await stage.clock.advance(HOUR);
    expect((await stage.backup({ records: dashboards(2) })).suspect[0]).toMatchObject({ code: "kind-shrunk" });
  });

  it("by the share that is configured, where nothing is left also without one, and never where nothing is lost", async () => {
    const stage = await backupHistory();
    for (const [minShare, count, suspect] of [
      [0.9, 8, 1],
      [0.9, 9, 0],
      [1, 10, 0],
      [0, 1, 0],
      [0, 0, 2],
    ] as const) {
      const stack = `share-${minShare}-${count}`;
      Object.assign(stage.context, { minShare });
      await stage.backup({ stack, records: dashboards(10) });
      await stage.clock.advance(HOUR);
      expect((await stage.backup({ stack, records: dashboards(count) })).suspect).toHaveLength(suspect);
    }
  });

  it("where the ones before it are encrypted, their key is missing and their entries are torn: nobody can tell", async () => {
    const stage = await backupStage();
    stage.hasKey = false;
    await stage.backup({ encrypted: true });
    await tearEntries(stage);
    await stage.clock.advance(HOUR);
    const { suspect } = await stage.backup({ encrypted: true, policy: { last: 1 } });
    expect(suspect).toMatchObject([{ code: "missing-backup" }]);
    expect(await stage.archives()).toHaveLength(2);
  });
});

describe("while the newest backups are suspect", () => {
  it.each(["whole", "torn"])("no retention rule removes the good one (entries %s)", async (entries) => {
    const stage = await backupHistory();
    for (let hour = 1; hour < 6; hour += 1) {
      await stage.clock.advance(HOUR);
      if (entries === "torn") await tearEntries(stage);
      await stage.backup({ records: dashboards(hour % 3), policy: { last: 1 } });
      expect(await stage.archives()).toContain(nameAt(0).slice(2));
    }
    await stage.prune({ last: 1 });
    expect(await stage.archives()).toEqual([nameAt(0), nameAt(5)].map((name) => name.slice(2)));
  });

  it("suspect backups take no retention slot of a good one", async () => {
    const stage = await backupStage();
    for (const count of [10, 11, 12, 1, 2]) {
      await stage.backup({ records: dashboards(count) });
      await stage.clock.advance(HOUR);
    }
    const verdicts = await stage.prune({ last: 2 });
    expect(verdicts.map(({ action }) => action)).toEqual(["keep", "keep", "keep", "keep", "remove"]);
  });

  it.each(["whole", "torn"])("a check names each of them and what is wrong (entries %s)", async (entries) => {
    const stage = await backupHistory(2, 0);
    if (entries === "torn") await tearEntries(stage);
    const [check] = await stage.check();
    expect([...new Set(check?.suspect.map(({ archive }) => archive))]).toEqual([nameAt(2), nameAt(1)]);
    expect(check).toMatchObject({ newestGood: nameAt(0), ageMs: 2 * HOUR, summary: { suspect: true } });
  });

  it.each(["whole", "torn"])("a restore without a time passes over them and says so (entries %s)", async (entries) => {
    const stage = await backupHistory(2, 0);
    if (entries === "torn") await tearEntries(stage);
    expect(await stage.choose("latest")).toBe(nameAt(0));
    expect(stage.warnings.filter((code) => code === "suspect-backup").length).toBeGreaterThanOrEqual(2);
    expect(await stage.choose({ notAfter: stage.clock.now() })).toBe(nameAt(2));
  });

  it("equal suspect content is stored once, stays suspect, and does not make the good backup younger", async () => {
    const stage = await backupHistory(2);
    await stage.clock.advance(HOUR);
    const again = await stage.backup({ records: dashboards(2), ifChanged: true });
    expect(again).toMatchObject({
      result: "unchanged",
      archive: nameAt(1),
      suspect: [{ code: "kind-shrunk" }],
    });
    expect(again.summary.ageMs).toBe(2 * HOUR);
    expect(await stage.archives()).toHaveLength(2);
  });

  it("a complete backup that follows is the newest good one, and the check passes", async () => {
    const stage = await backupHistory(2, 10);
    expect(await stage.check()).toMatchObject([{ suspect: [], newestGood: nameAt(2), tooOld: false }]);
  });

  it("a backup that was stored before its run was killed is judged by the next check", async () => {
    const stage = await backupHistory();
    await stage.clock.advance(HOUR);
    stage.beforeStep = (step) => {
      if (step.endsWith(".json")) throw new Error("killed");
    };
    await expect(stage.backup({ records: dashboards(1) })).rejects.toThrow("killed");
    stage.beforeStep = () => {};
    expect(await stage.check()).toMatchObject([{ newestGood: nameAt(0), suspect: [{ archive: nameAt(1) }] }]);
  });

  it("a failed backup tells how old the good one is", async () => {
    const stage = await backupHistory(2);
    await stage.clock.advance(HOUR);
    stage.beforeStep = (step) => {
      if (step.startsWith("put")) throw refusalError("unauthorized", "the key was refused");
    };
    expect(await stage.backupSeveral([{}])).toMatchObject([
      { result: "failed", summary: { suspect: true, ageMs: 2 * HOUR, records: { dashboards: 2 } } },
    ]);
  });
});

describe("accepting", () => {
  it("takes the newest for good: later ones are compared with it, and retention counts it", async () => {
    const stage = await backupHistory(2, 2);
    expect(await stage.accept()).toBe(nameAt(2));
    expect(await stage.check()).toMatchObject([{ suspect: [], newestGood: nameAt(2) }]);
    expect(await stage.choose("latest")).toBe(nameAt(2));
    await stage.clock.advance(HOUR);
    expect(await stage.backup({ records: dashboards(2), policy: { last: 1 } })).toMatchObject({ suspect: [] });
    expect(await stage.archives()).not.toContain(nameAt(0).slice(2));
    expect(await stage.accept()).toBeUndefined();
  });

  it("makes no folder for a stack without backups", async () => {
    const stage = await backupStage();
    expect(await stage.accept()).toBeUndefined();
    expect(await readdir(stage.path)).not.toContain("s");
  });

  it("makes an unchanged stack good from then on", async () => {
    const stage = await backupHistory(2);
    expect(await stage.accept()).toBe(nameAt(1));
    await stage.clock.advance(HOUR);
    const same = { records: dashboards(2), ifChanged: true };
    expect(await stage.backup(same)).toMatchObject({ result: "unchanged", suspect: [], summary: { suspect: false } });
    expect(await stage.accept()).toBeUndefined();
  });

  it("is refused for one that is not whole", async () => {
    const stage = await backupHistory(2);
    await stage.damage(nameAt(1), "middle");
    await expect(stage.accept()).rejects.toMatchObject({ code: "archive-damaged" });
  });
});

describe("a repository that fails while an archive is fetched", () => {
  it("ends the check with its error: the archive is neither gone nor damaged", async () => {
    const stage = await backupStage();
    await stage.backup();
    stage.beforeStep = (step) => {
      if (step.startsWith("fetch")) throw refusalError("unauthorized", "the key was refused");
    };
    await expect(stage.check()).rejects.toMatchObject({ code: "unauthorized" });
    await expect(stage.choose("latest")).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("ends a prune with it, and nothing is removed", async () => {
    const stage = await backupStage();
    for (const name of ["first", "second"]) await stage.backup({ records: stackContent(name) });
    stage.beforeStep = (step) => {
      if (step.startsWith("fetch")) throw refusalError("unauthorized", "the key was refused");
    };
    await expect(stage.prune({ last: 1 })).rejects.toMatchObject({ code: "unauthorized" });
    expect(await stage.archives()).toHaveLength(2);
  });
});

describe("a prune that keeps everything", () => {
  it("reads no archive", async () => {
    const stage = await backupStage();
    for (const name of ["first", "second"]) await stage.backup({ records: stackContent(name) });
    stage.fetched.length = 0;
    expect((await stage.prune({ last: 2 })).map(({ action, reasons }) => [action, reasons])).toEqual([
      ["keep", ["last"]],
      ["keep", ["last"]],
    ]);
    expect(stage.fetched).toEqual([]);
  });
});
