import { describe, expect, it } from "vitest";
import { sampleRecord } from "../../support/archive-samples.ts";
import {
  backupStage,
  besideOf,
  copiesOf,
  dailyBackups,
  nameAt,
  nextDay,
  stackContent,
  type BackupOptions,
  type BackupStage,
} from "../../support/backup-stage.ts";

const plainBackup = copiesOf(() => dailyBackups(stackContent("first")));
const encryptedBackup = copiesOf(() => dailyBackups({ encrypted: true }));

/** Backs up a stack a day later, if it has changed. */
const again = (stage: BackupStage, options: BackupOptions = {}) => nextDay(stage, { ifChanged: true, ...options });

describe("a backup of an unchanged stack", () => {
  it("leaves an empty file of its time, and changes no file", async () => {
    const stage = await backupStage();
    const { bytes, contentDigest } = await stage.backup();
    const entry = await stage.repository.readText(besideOf(nameAt(0), "json"));
    expect(JSON.parse(entry ?? "")).toMatchObject({ archive: nameAt(0), bytes, contentDigest });
    stage.changes.length = 0;
    expect(await again(stage)).toMatchObject({ result: "unchanged", bytes: 0, summary: { ageMs: 0 } });
    const unchanged = besideOf(nameAt(24), "unchanged");
    expect(stage.changes).toEqual([`write ${unchanged}`]);
    expect((await stage.repository.list(unchanged))[0]?.bytes).toBe(0);
  });

  it("compares with the newest archive only: a change and its undoing are two archives", async () => {
    const stage = await plainBackup();
    await again(stage, { records: stackContent("changed") });
    expect(await again(stage)).toMatchObject({ result: "stored" });
    expect(await stage.archives()).toHaveLength(3);
  });

  it.each(["", "{}", '{"format":"stackferry-backup"'])("is found unchanged although its entry is %j", async (torn) => {
    const stage = await plainBackup();
    await stage.overwrite(besideOf(nameAt(0), "json"), torn);
    expect(await again(stage)).toMatchObject({ result: "unchanged", suspect: [] });
  });

  it.each([
    ["without", false, true],
    ["with", true, true],
    ["with", true, false],
  ])("counts as unchanged when only the state of alerts differs, %s encryption", async (_, encrypted, hasKey) => {
    const alerts = (state: string, more: object = {}) => [
      ...stackContent("first"),
      sampleRecord("four", "alerts", { state, updatedAt: `2026-11-2${state.length}T00:00:00.000Z`, ...more }),
    ];
    const stage = await dailyBackups({ encrypted, records: alerts("OK") });
    stage.hasKey = hasKey;
    const fired = alerts("ALERT", { silenced: { at: "2026-11-21T00:00:00.000Z" }, executionErrors: ["no"] });
    expect(await again(stage, { encrypted, records: fired })).toMatchObject({
      result: "unchanged",
      archive: nameAt(0, encrypted),
    });
    const edited = alerts("ALERT", { threshold: 11 });
    expect(await again(stage, { encrypted, records: edited })).toMatchObject({ result: "stored" });
  });

  it.each(["failed", "not-requested"] as const)(
    "is stored once where the newest one says %s of a kind",
    async (status) => {
      const kindsWith = (pipes: typeof status | "complete"): BackupOptions => ({
        records: stackContent("first").filter(({ kind }) => kind === "dashboards"),
        kinds: { dashboards: { status: "complete", count: 1 }, pipes: { status: pipes, count: 0 } },
      });
      const stage = await dailyBackups(kindsWith(status));
      const results: string[] = [];
      for (const now of [status, "complete", "complete", status] as const) {
        results.push((await again(stage, kindsWith(now))).result);
      }
      expect(results).toEqual(["unchanged", "stored", "unchanged", "unchanged"]);
    },
  );
});

describe("an encrypted backup of an unchanged stack", () => {
  it("is stored if the newest archive is plain, and once only", async () => {
    const stage = await plainBackup();
    const encrypted = { result: "stored", archive: nameAt(24, true) };
    expect(await again(stage, { encrypted: true })).toMatchObject(encrypted);
    expect(await again(stage, { encrypted: true })).toMatchObject({ ...encrypted, result: "unchanged", bytes: 0 });
  });

  it.each(["whole", "torn"])("is followed by a plain one if the user asks for it (entry %s)", async (entry) => {
    const stage = await encryptedBackup();
    if (entry === "torn") await stage.overwrite(besideOf(nameAt(0), "json"), "");
    expect(await again(stage, { plainText: true })).toMatchObject({ result: "stored", archive: nameAt(24) });
  });

  it("is compared without its key by its entry, and stored if the file was changed", async () => {
    const stage = await encryptedBackup();
    stage.hasKey = false;
    expect(await again(stage, { encrypted: true })).toMatchObject({ result: "unchanged" });
    await stage.damage(nameAt(0, true));
    expect(await again(stage, { encrypted: true })).toMatchObject({ result: "stored" });
  });

  it.each([true, false])(
    "is stored if neither key nor entry tells what is in it (file `good`: %s)",
    async (hadGood) => {
      const stage = await encryptedBackup();
      if (!hadGood) await stage.repository.remove("s/good");
      await stage.overwrite(besideOf(nameAt(0), "json"), "{");
      stage.hasKey = false;
      expect(await again(stage, { encrypted: true })).toMatchObject({ result: "stored" });
    },
  );
});
