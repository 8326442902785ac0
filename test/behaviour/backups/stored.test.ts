import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { refusalError } from "../../support/memory-stack.ts";
import {
  besideOf,
  copiesOf,
  nameAt,
  stackContent,
  StackferryError,
  backupStage,
  type BackupStage,
} from "../../support/backup-stage.ts";
import { sampleRecord } from "../../support/archive-samples.ts";

const HOUR = 3_600_000;
type RetentionPolicy = Parameters<BackupStage["prune"]>[0];
const filesOf = async (stage: BackupStage): Promise<string[]> =>
  (await stage.repository.list("")).map(({ name }) => name);

describe("a backup of an unchanged stack", () => {
  it("stores an encrypted archive where the newest one is plain", async () => {
    const stage = await backupStage();
    await stage.backup({ ifChanged: true });
    await stage.clock.advance(HOUR);
    const second = await stage.backup({ ifChanged: true, encrypted: true });
    expect(second).toMatchObject({ result: "stored", archive: nameAt(1, true) });
    await stage.clock.advance(HOUR);
    expect(await stage.backup({ ifChanged: true, encrypted: true })).toMatchObject({
      result: "unchanged",
      archive: nameAt(1, true),
      bytes: 0,
    });
  });

  it.each(["whole", "torn"])(
    "stores a plain archive if the newest one is encrypted and the user asks for it (entry %s)",
    async (entry) => {
      const stage = await backupStage();
      await stage.backup({ encrypted: true });
      if (entry === "torn") await stage.overwrite(besideOf(nameAt(0), "json"), "");
      await stage.clock.advance(HOUR);
      expect(await stage.backup({ ifChanged: true, plainText: true })).toMatchObject({
        result: "stored",
        archive: nameAt(1),
      });
    },
  );

  it("compares with the newest archive only: a change and its undoing are two archives", async () => {
    const stage = await backupStage();
    await stage.backup({ ifChanged: true });
    await stage.clock.advance(HOUR);
    await stage.backup({ ifChanged: true, records: stackContent("changed") });
    await stage.clock.advance(HOUR);
    expect(await stage.backup({ ifChanged: true })).toMatchObject({ result: "stored" });
    expect(await stage.archives()).toHaveLength(3);
  });

  it.each([
    ["without", false, true],
    ["with", true, true],
    ["with", true, false],
  ])("counts as unchanged when only the state of alerts differs, %s encryption", async (_, encrypted, hasKey) => {
    const stage = await backupStage();
    stage.hasKey = hasKey;
    const alerts = (state: string, more: object = {}) => [
      ...stackContent("first"),
      sampleRecord("four", "alerts", { state, updatedAt: `2026-11-2${state.length}T00:00:00.000Z`, ...more }),
    ];
    await stage.backup({ ifChanged: true, encrypted, records: alerts("OK") });
    await stage.clock.advance(HOUR);
    const fired = alerts("ALERT", { silenced: { at: "2026-11-21T00:00:00.000Z" }, executionErrors: ["no"] });
    expect(await stage.backup({ ifChanged: true, encrypted, records: fired })).toMatchObject({
      result: "unchanged",
      archive: nameAt(0, encrypted),
    });
    await stage.clock.advance(HOUR);
    const edited = alerts("ALERT", { threshold: 11 });
    expect(await stage.backup({ ifChanged: true, encrypted, records: edited })).toMatchObject({ result: "stored" });
  });

  it.each(["failed", "not-requested"] as const)(
    "is stored once where the newest one says %s of a kind",
    async (status) => {
      const stage = await backupStage();
      const kinds = { dashboards: { status: "complete", count: 1 } } as const;
      const records = stackContent("first").filter(({ kind }) => kind === "dashboards");
      await stage.backup({ records, kinds: { ...kinds, pipes: { status, count: 0 } } });
      const results: string[] = [];
      for (const now of [status, "complete", "complete", status] as const) {
        await stage.clock.advance(HOUR);
        const pipes = { status: now, count: 0 };
        results.push((await stage.backup({ ifChanged: true, records, kinds: { ...kinds, pipes } })).result);
      }
      expect(results).toEqual(["unchanged", "stored", "unchanged", "unchanged"]);
    },
  );

  it("stores an archive without --if-changed", async () => {
    const stage = await backupStage();
    await stage.backup();
    await stage.clock.advance(HOUR);
    expect(await stage.backup()).toMatchObject({ result: "stored", archive: nameAt(1) });
  });

  it("compares an encrypted archive without its key by its entry, and stores one where the file was changed", async () => {
    const stage = await backupStage();
    stage.hasKey = false;
    await stage.backup({ encrypted: true });
    await stage.clock.advance(HOUR);
    expect(await stage.backup({ ifChanged: true, encrypted: true })).toMatchObject({ result: "unchanged" });
    await stage.damage(nameAt(0, true));
    expect(await stage.backup({ ifChanged: true, encrypted: true })).toMatchObject({ result: "stored" });
  });

  it("stores an encrypted archive where neither a key nor an entry tells what the newest one holds", async () => {
    const stage = await backupStage();
    await stage.store(nameAt(0, true), stackContent("first"), true);
    await stage.overwrite(besideOf(nameAt(0), "json"), "{");
    stage.hasKey = false;
    await stage.clock.advance(HOUR);
    expect(await stage.backup({ ifChanged: true, encrypted: true })).toMatchObject({ result: "stored" });
  });

  it("leaves an empty file of its time, and changes no file", async () => {
    const stage = await backupStage();
    const stored = await stage.backup({ ifChanged: true });
    const entry = await readFile(join(stage.path, besideOf(nameAt(0), "json")), "utf8");
    expect(JSON.parse(entry)).toMatchObject({
      archive: nameAt(0),
      bytes: stored.bytes,
      contentDigest: stored.contentDigest,
    });
    await stage.clock.advance(5 * HOUR);
    stage.changes.length = 0;
    const again = await stage.backup({ ifChanged: true });
    expect(again).toMatchObject({ result: "unchanged", summary: { ageMs: 0 } });
    const unchanged = besideOf(nameAt(5), "unchanged");
    expect(stage.changes).toEqual([`write ${unchanged}`]);
    expect((await stage.repository.list(unchanged))[0]?.bytes).toBe(0);
    await stage.clock.advance(2 * HOUR);
    expect(await stage.check({ maxAgeMs: 3 * HOUR })).toMatchObject([{ ageMs: 2 * HOUR, tooOld: false }]);
  });

  it("is found unchanged although its entry is torn, at the price of one reading", async () => {
    const stage = await backupStage();
    await stage.backup({ ifChanged: true });
    for (const text of ["", "{}", '{"format":"stackferry-backup"']) {
      await stage.overwrite(besideOf(nameAt(0), "json"), text);
      await stage.clock.advance(HOUR);
      expect(await stage.backup({ ifChanged: true })).toMatchObject({ result: "unchanged", suspect: [] });
    }
  });

  it("leaves to prune the newest note of each archive that is kept", async () => {
    const stage = await backupStage();
    for (const name of ["first", "second"]) {
      for (let night = 0; night < 3; night += 1) {
        await stage.backup({ ifChanged: true, records: stackContent(name) });
        await stage.clock.advance(HOUR);
      }
    }
    await stage.prune({ last: 1 });
    const kept = [besideOf(nameAt(3), "json"), nameAt(3), besideOf(nameAt(5), "unchanged"), "s/good"];
    expect(await filesOf(stage)).toEqual(kept);
  });
});

describe("what a backup stores", () => {
  it("is named by a later second than the newest backup, even if the clock was set back a little", async () => {
    const stage = await backupStage();
    await stage.store(nameAt(0.15));
    expect((await stage.backup()).archive).toBe(nameAt(0.15).replace("00Z", "01Z"));
    expect(await stage.archives()).toHaveLength(2);
  });

  it.each([3, 24 * 365, 69_868_000])(
    "is named by the clock where the newest is %i hours ahead of it",
    async (ahead) => {
      const stage = await backupStage();
      await stage.store(nameAt(ahead));
      expect((await stage.backup()).archive).toBe(nameAt(0));
      expect(await stage.choose("latest")).toBe(nameAt(0));
      await stage.clock.advance(HOUR);
      expect((await stage.backup({ records: stackContent("second") })).archive).toBe(nameAt(1));
      expect(await stage.archives()).toHaveLength(3);
    },
  );

  it("is its signature first, and its entry last", async () => {
    const stage = await backupStage();
    await stage.backup({ signed: true });
    const entry = `write ${besideOf(nameAt(0), "json")}`;
    expect(stage.changes).toEqual([`put ${nameAt(0)}.sig`, `put ${nameAt(0)}`, entry, "write s/good"]);
  });

  it("is kept, and the error names the archive, if a removal fails", async () => {
    const stage = await backupStage();
    await stage.backup();
    await stage.clock.advance(HOUR);
    stage.beforeStep = (step) => {
      if (step === `remove ${nameAt(0)}`) {
        throw new StackferryError("archive-io", "the disk is full", { hint: "make room" });
      }
    };
    const records = stackContent("second");
    const [end] = await stage.backupSeveral([{ records, policy: { last: 1 } }]);
    expect(end).toMatchObject({ result: "failed", error: { code: "archive-io", hint: "make room" } });
    expect(end?.result === "failed" && end.error.message).toBe(
      `${nameAt(1)} is stored and counts as a backup, but the disk is full`,
    );
    stage.beforeStep = () => {};
    expect(await stage.choose("latest")).toBe(nameAt(1));
    const unchanged = await stage.backup({ records, ifChanged: true });
    expect(unchanged).toMatchObject({ result: "unchanged", archive: nameAt(1) });
  });

  it("counts for nothing before its entry is there: check reads and completes it", async () => {
    const stage = await backupStage();
    await stage.backup();
    await stage.clock.advance(HOUR);
    stage.beforeStep = (step) => {
      if (step.endsWith(".json")) throw new StackferryError("archive-io", "the disk is full", { hint: "make room" });
    };
    const [end] = await stage.backupSeveral([{ records: stackContent("second") }]);
    const hint = expect.stringMatching(/^make room; then `stackferry check .*` reads and completes it$/);
    expect(end).toMatchObject({ result: "failed", error: { code: "archive-io", hint } });
    stage.beforeStep = () => {};
    expect(await stage.choose("latest")).toBe(nameAt(0));
    expect(await stage.archives()).toHaveLength(2);
    expect(await stage.check()).toMatchObject([{ newestGood: nameAt(1), refused: [], damaged: [] }]);
    expect(await stage.choose("latest")).toBe(nameAt(1));
  });

  it("has a second of its own, however many runs begin in the same one", async () => {
    const stage = await backupStage();
    const ends = await Promise.all([1, 2, 3, 4].map((number) => stage.backup({ records: stackContent(`${number}`) })));
    expect(new Set(ends.map(({ archive }) => archive)).size).toBe(4);
    expect(await stage.archives()).toHaveLength(4);
    // Ten minutes ahead, they would count as dated by a wrong clock.
    expect(ends.every(({ archive }) => archive < nameAt(1 / 12))).toBe(true);
    expect(await stage.check()).toMatchObject([{ archives: 4, checked: 4, damaged: [], refused: [], suspect: [] }]);
    expect((await filesOf(stage)).filter((name) => name.includes(".run-"))).toEqual([]);
  });

  it("is read back and must be restorable before it is stored", async () => {
    const stage = await backupStage();
    const [first, ...rest] = stackContent("first");
    if (first === undefined) throw new Error("no record");
    const records = [{ ...first, body: { ...first.body, name: 7 } }, ...rest];
    await expect(stage.backup({ records })).rejects.toMatchObject({ code: "protocol" });
    expect(stage.changes).toEqual([]);
  });

  it("replaces nothing of another stack, and prunes only its own", async () => {
    const stage = await backupStage();
    for (const stack of ["s", "s2"]) await stage.backup({ stack });
    await stage.clock.advance(HOUR);
    await stage.backup({ policy: { last: 1 } });
    const other = nameAt(0).replace("s/", "s2/");
    const mine = [besideOf(nameAt(1), "json"), nameAt(1), "s/good"];
    expect(await filesOf(stage)).toEqual([...mine, besideOf(other, "json"), other, "s2/good"]);
  });
});

describe("pruning", () => {
  const week = copiesOf(async () => {
    const stage = await backupStage();
    for (let number = 0; number < 4; number += 1) await stage.store(nameAt(number * 24), stackContent(`day ${number}`));
    await stage.clock.advance(80 * HOUR);
    return stage;
  });

  it("removes the oldest first, each archive before the files beside it", async () => {
    const stage = await week();
    await stage.prune({ last: 2 });
    const removed = [nameAt(0), nameAt(24)].flatMap((name) => [name, `${name}.sig`, besideOf(name, "json")]);
    expect(stage.changes).toEqual(removed.map((name) => `remove ${name}`));
  });

  it("removes nothing more once an archive that it keeps is gone", async () => {
    const stage = await week();
    stage.beforeStep = async (step) => {
      if (step === `remove ${nameAt(0)}.sig`) await rm(join(stage.path, nameAt(48)));
    };
    const verdicts = await stage.prune({ last: 2 });
    expect(verdicts.map(({ action, reasons }) => [action, ...reasons])).toEqual([
      ["keep", "last"],
      ["keep", "last"],
      ["keep", "changed-meanwhile"],
      ["remove"],
    ]);
    expect(await stage.archives()).toEqual([nameAt(24), nameAt(72)].map((name) => name.slice(2)));
  });

  it("keeps the newest archive that can be opened, and what is newer, where no key opens the newer ones", async () => {
    const stage = await week();
    for (const hours of [73, 74, 75]) {
      await stage.store(nameAt(hours, true), stackContent(`${hours}`), true);
      await stage.overwrite(besideOf(nameAt(hours), "json"), "torn");
    }
    stage.hasKey = false;
    const verdicts = await stage.prune({ last: 1 });
    expect(verdicts.map(({ archive, reasons }) => [archive.name, ...reasons])).toEqual([
      [nameAt(75, true), "last"],
      [nameAt(74, true), "newest-good"],
      [nameAt(73, true), "newest-good"],
      [nameAt(72), "newest-good"],
      [nameAt(48)],
      [nameAt(24)],
      [nameAt(0)],
    ]);
    expect(await stage.choose("latest")).toBe(nameAt(75, true));
    expect(await stage.check({ percent: 0 })).toMatchObject([{ newestGood: nameAt(72) }]);
  });

  const spoil = async (stage: BackupStage, ...hours: number[]): Promise<void> => {
    for (const each of hours) await stage.damage(nameAt(each));
  };

  it.each<[string, (stage: BackupStage) => Promise<unknown>, RetentionPolicy, string[]]>([
    [
      "never removes the newest good archive",
      (stage) => spoil(stage, 48, 72),
      { last: 1 },
      ["72 keep damaged", "48 keep damaged", "24 keep last", "0 remove"],
    ],
    [
      "removes nothing if no archive is proven good",
      (stage) => spoil(stage, 0, 24, 48, 72),
      { last: 1 },
      ["72 keep damaged", "48 keep damaged", "24 keep damaged", "0 keep last"],
    ],
    [
      "leaves a file alone that is named like an archive and is none",
      (stage) => stage.overwrite(nameAt(-24), "somebody's notes"),
      { last: 1 },
      ["72 keep last", "48 remove", "24 remove", "0 remove", "-24 keep not-recognised"],
    ],
  ])("%s", async (_, act, policy, expected) => {
    const stage = await week();
    await act(stage);
    const verdicts = await stage.prune(policy);
    const hoursOf = (name: string): number => [-24, 0, 24, 48, 72].find((hours) => nameAt(hours) === name) ?? 0;
    expect(
      verdicts.map(({ archive, action, reasons }) => [hoursOf(archive.name), action, ...reasons].join(" ")),
    ).toEqual(expected);
    const kept = verdicts.filter(({ action }) => action === "keep").map(({ archive }) => archive.name.slice(2));
    expect(await stage.archives()).toEqual(kept.toReversed());
  });

  it("counts equal backups in a row once for --keep-last", async () => {
    const stage = await backupStage();
    for (const name of ["first", "second", "second", "third", "third", "third", "second"]) {
      await stage.backup({ records: stackContent(name) });
      await stage.clock.advance(HOUR);
    }
    const verdicts = await stage.prune({ last: 3 });
    expect(verdicts.map(({ action }) => action)).toEqual([
      "keep",
      "keep",
      "remove",
      "remove",
      "keep",
      "remove",
      "remove",
    ]);
    expect(await stage.archives()).toEqual([2, 5, 6].map((hours) => nameAt(hours).slice(2)));
  });

  it("touches nothing in a dry run, and says what it would do", async () => {
    const stage = await week();
    const planned = await stage.prune({ last: 1 }, { dryRun: true });
    expect(stage.changes).toEqual([]);
    expect(await stage.archives()).toHaveLength(4);
    const done = await stage.prune({ last: 1 });
    expect(done).toEqual(planned);
  });

  it("reads each archive that stays at most once", async () => {
    const stage = await week();
    const { pruned, archive, summary } = await stage.backup({ policy: { last: 2 } });
    expect(summary.archives).toBe((await stage.archives()).length);
    expect(pruned.map(({ action }) => action)).toEqual(["keep", "keep", "remove", "remove", "remove"]);
    expect(await stage.archives()).toContain(archive.slice(2));
    // Both that are kept: older ones are removed in their favour.
    expect(stage.fetched).toEqual([archive, nameAt(72)]);
  });

  it("is part of a backup of an unchanged stack too", async () => {
    const stage = await week();
    await stage.clock.advance(HOUR);
    const result = await stage.backup({ ifChanged: true, records: stackContent("day 3"), policy: { last: 1 } });
    expect(result).toMatchObject({ result: "unchanged", archive: nameAt(72) });
    expect(await stage.archives()).toEqual([nameAt(72).slice(2)]);
  });

  it("does not happen without a policy", async () => {
    const stage = await week();
    expect((await stage.backup()).pruned).toEqual([]);
    expect(await stage.archives()).toHaveLength(5);
  });

  it("removes nothing while an archive is dated later than now", async () => {
    const stage = await week();
    await stage.store(nameAt(24 * 365), stackContent("future"));
    const verdicts = await stage.prune({ within: "1d" });
    expect(verdicts.map(({ action, reasons }) => [action, ...reasons])).toEqual(
      [0, 1, 2, 3, 4].map(() => ["keep", "clock-differs"]),
    );
    expect(stage.warnings).toEqual(["clock-differs"]);
    expect(await stage.archives()).toHaveLength(5);
  });
});

describe("a backup of several stacks", () => {
  it("reports the outcome of each stack in order, and stores the other backups when one fails", async () => {
    const stage = await backupStage();
    const exportTo = async (): Promise<never> => {
      throw refusalError("unauthorized", "the key was refused");
    };
    const ends = await stage.backupSeveral([{ stack: "a" }, { stack: "b", exportTo }, { stack: "c" }]);
    expect(ends).toMatchObject([
      { stack: "a", result: "stored" },
      { stack: "b", result: "failed", error: { code: "unauthorized" } },
      { stack: "c", result: "stored" },
    ]);
    expect(await stage.repository.list("b/")).toEqual([]);
  });

  it("prints the result of each stack with its name, and nothing for a single stack", async () => {
    const stage = await backupStage();
    await stage.backupSeveral([{ stack: "a" }, { stack: "b" }], 1);
    expect(stage.phases.filter((phase) => phase.endsWith(": stored"))).toEqual(["a: stored", "b: stored"]);
    stage.phases.length = 0;
    await stage.backupSeveral([{ stack: "a", ifChanged: true }]);
    expect(stage.phases.filter((phase) => !phase.startsWith(": "))).toEqual([]);
    expect(stage.phases).not.toContain(": unchanged");
  });
});

describe("a job that its user stops", () => {
  it("reads no further: a backup stores nothing", async () => {
    const [stage, control] = [await backupStage(), new AbortController()];
    stage.stopBy(control.signal);
    await expect(stage.backup({ during: async () => control.abort() })).rejects.toThrow();
    expect(stage.changes).toEqual([]);
  });

  it("reads no further: a check that has fetched an archive says nothing of it", async () => {
    const [stage, control] = [await backupStage(), new AbortController()];
    await stage.backup();
    stage.stopBy(control.signal);
    const fetchIt = stage.repository.fetch.bind(stage.repository);
    stage.repository.fetch = async (name, path) => {
      await fetchIt(name, path);
      control.abort();
    };
    await expect(stage.check()).rejects.toThrow();
  });
});
