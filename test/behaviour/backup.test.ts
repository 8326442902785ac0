import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { refusalError } from "../support/memory-stack.ts";
import {
  copiesOf,
  nameAt,
  stackContent,
  StackferryError,
  storedBackups,
  type StoredBackups,
} from "../support/stored-backups.ts";
import { sampleRecord } from "../support/archive-samples.ts";

const HOUR = 3_600_000;
type RetentionPolicy = Parameters<StoredBackups["prune"]>[0];
const day = { years: 0, months: 0, days: 1, hours: 0 };
const statusOf = async (path: string): Promise<unknown> =>
  JSON.parse(await readFile(join(path, "s/status.json"), "utf8"));

describe("a backup of an unchanged stack", () => {
  it("stores an encrypted archive where the newest one is plain", async () => {
    const bench = await storedBackups();
    await bench.backup({ ifChanged: true });
    await bench.clock.advance(HOUR);
    const second = await bench.backup({ ifChanged: true, encrypted: true });
    expect(second).toMatchObject({ result: "stored", archive: nameAt(1, true) });
    await bench.clock.advance(HOUR);
    expect(await bench.backup({ ifChanged: true, encrypted: true })).toMatchObject({
      result: "unchanged",
      archive: nameAt(1, true),
      bytes: 0,
    });
  });

  it.each(["kept", "lost"])(
    "stores a plain archive if the newest one is encrypted and the user asks for it (status %s)",
    async (status) => {
      const bench = await storedBackups();
      await bench.backup({ encrypted: true });
      if (status === "lost") await bench.repository.remove("s/status.json");
      await bench.clock.advance(HOUR);
      expect(await bench.backup({ ifChanged: true, plainText: true })).toMatchObject({
        result: "stored",
        archive: nameAt(1),
      });
    },
  );

  it("compares with the newest archive only: a change and its undoing are two archives", async () => {
    const bench = await storedBackups();
    await bench.backup({ ifChanged: true });
    await bench.clock.advance(HOUR);
    await bench.backup({ ifChanged: true, records: stackContent("changed") });
    await bench.clock.advance(HOUR);
    expect(await bench.backup({ ifChanged: true })).toMatchObject({ result: "stored" });
    expect(await bench.archives()).toHaveLength(3);
  });

  it.each([
    ["without", false, true],
    ["with", true, true],
    ["with", true, false],
  ])("counts as unchanged when only the state of alerts differs, %s encryption", async (_, encrypted, hasKey) => {
    const bench = await storedBackups();
    bench.hasKey = hasKey;
    const alerts = (state: string, more: object = {}) => [
      ...stackContent("first"),
      sampleRecord("four", "alerts", { state, updatedAt: `2026-11-2${state.length}T00:00:00.000Z`, ...more }),
    ];
    await bench.backup({ ifChanged: true, encrypted, records: alerts("OK") });
    await bench.clock.advance(HOUR);
    const fired = alerts("ALERT", { silenced: { at: "2026-11-21T00:00:00.000Z" }, executionErrors: ["no"] });
    expect(await bench.backup({ ifChanged: true, encrypted, records: fired })).toMatchObject({
      result: "unchanged",
      archive: nameAt(0, encrypted),
    });
    await bench.clock.advance(HOUR);
    const edited = alerts("ALERT", { threshold: 11 });
    expect(await bench.backup({ ifChanged: true, encrypted, records: edited })).toMatchObject({ result: "stored" });
  });

  it("stores an archive without --if-changed", async () => {
    const bench = await storedBackups();
    await bench.backup();
    await bench.clock.advance(HOUR);
    expect(await bench.backup()).toMatchObject({ result: "stored", archive: nameAt(1) });
  });

  it("compares an encrypted archive without its key by the status, and stores one where the file was changed", async () => {
    const bench = await storedBackups();
    bench.hasKey = false;
    await bench.backup({ encrypted: true });
    await bench.clock.advance(HOUR);
    expect(await bench.backup({ ifChanged: true, encrypted: true })).toMatchObject({ result: "unchanged" });
    await bench.damage(nameAt(0, true));
    expect(await bench.backup({ ifChanged: true, encrypted: true })).toMatchObject({ result: "stored" });
  });

  it("stores an encrypted archive where neither a key nor a status tells what the newest one holds", async () => {
    const bench = await storedBackups();
    await bench.store(nameAt(0, true), stackContent("first"), true);
    bench.hasKey = false;
    await bench.clock.advance(HOUR);
    expect(await bench.backup({ ifChanged: true, encrypted: true })).toMatchObject({ result: "stored" });
  });

  it("keeps when the archive was stored, and notes when it was found unchanged", async () => {
    const bench = await storedBackups();
    const stored = await bench.backup({ ifChanged: true });
    const before = await statusOf(bench.path);
    await bench.clock.advance(5 * HOUR);
    await bench.backup({ ifChanged: true });
    expect(before).toMatchObject({
      archive: nameAt(0),
      bytes: stored.bytes,
      contentDigest: stored.contentDigest,
      storedAt: "2026-11-21T04:15:00.000Z",
      checkedAt: "2026-11-21T04:15:00.000Z",
    });
    expect(await statusOf(bench.path)).toEqual({ ...(before as object), checkedAt: "2026-11-21T09:15:00.000Z" });
  });

  it("writes a lost status anew, with the size and checksum of the file", async () => {
    const bench = await storedBackups();
    await bench.backup({ ifChanged: true });
    const before = await statusOf(bench.path);
    for (const text of [
      "",
      "{}",
      JSON.stringify({ ...(before as object), archive: nameAt(-9), bytes: 1, sha256: "0" }),
    ]) {
      await bench.overwrite("s/status.json", text);
      expect(await bench.backup({ ifChanged: true })).toMatchObject({ result: "unchanged" });
      expect(await statusOf(bench.path)).toEqual(before);
    }
  });
});

describe("what a backup stores", () => {
  it("is named by a later second than the newest backup, even if the clock was set back a little", async () => {
    const bench = await storedBackups();
    await bench.store(nameAt(0.15));
    expect((await bench.backup()).archive).toBe(nameAt(0.15).replace("00Z", "01Z"));
    expect(await bench.archives()).toHaveLength(2);
  });

  it.each([3, 24 * 365, 69_868_000])(
    "is named by the clock where the newest is %i hours ahead of it",
    async (ahead) => {
      const bench = await storedBackups();
      await bench.store(nameAt(ahead));
      expect((await bench.backup()).archive).toBe(nameAt(0));
      expect(await bench.choose("latest")).toBe(nameAt(0));
      await bench.clock.advance(HOUR);
      expect((await bench.backup({ records: stackContent("second") })).archive).toBe(nameAt(1));
      expect(await bench.archives()).toHaveLength(3);
    },
  );

  it("is not made where there is no room for its lock, and neither can prune make room: the hint says what can", async () => {
    const bench = await storedBackups();
    await bench.backup();
    const swap = async (): Promise<never> => {
      throw new StackferryError("archive-io", "no space left on device (ENOSPC)", { hint: "make room on the disk" });
    };
    Object.assign(bench.repository, { swap });
    const hint = expect.stringMatching(/^make room on the disk; .*remove an old backup by hand/);
    await expect(bench.backup()).rejects.toMatchObject({ code: "archive-io", hint });
    await expect(bench.prune({ last: 1 })).rejects.toMatchObject({ code: "archive-io", hint });
  });

  it("has its signature stored before it, and none left where it could not be stored", async () => {
    const bench = await storedBackups();
    await bench.backup({ signed: true });
    expect(bench.changes).toEqual([`put ${nameAt(0)}.sig`, `put ${nameAt(0)}`, "write s/status.json"]);
    await bench.clock.advance(HOUR);
    bench.changes.length = 0;
    bench.beforeStep = (step) => {
      if (step === `put ${nameAt(1)}`) throw new Error("disk full");
    };
    await expect(bench.backup({ signed: true })).rejects.toThrow("disk full");
    expect(bench.changes).toEqual([`put ${nameAt(1)}.sig`, `remove ${nameAt(1)}`, `remove ${nameAt(1)}.sig`]);
    expect(await bench.repository.readText("s/.lock")).toBeUndefined();
  });

  it.each(["write s/status.json", `remove ${nameAt(0)}`])(
    "is kept, and the error names the archive, if %s fails",
    async (failing) => {
      const bench = await storedBackups();
      await bench.backup();
      await bench.clock.advance(HOUR);
      bench.beforeStep = (step) => {
        if (step === failing) throw new StackferryError("archive-io", "the disk is full", { hint: "make room" });
      };
      const records = stackContent("second");
      const [end] = await bench.backupSeveral([{ records, policy: { last: 1 } }]);
      expect(end).toMatchObject({ result: "failed", error: { code: "archive-io", hint: "make room" } });
      expect(end?.result === "failed" && end.error.message).toBe(
        `${nameAt(1)} is stored and counts as a backup, but the disk is full`,
      );
      bench.beforeStep = () => {};
      expect(await bench.choose("latest")).toBe(nameAt(1));
      const unchanged = await bench.backup({ records, ifChanged: true });
      expect(unchanged).toMatchObject({ result: "unchanged", archive: nameAt(1) });
    },
  );

  it("is read back and must be restorable before it is stored", async () => {
    const bench = await storedBackups();
    const [first, ...rest] = stackContent("first");
    if (first === undefined) throw new Error("no record");
    const records = [{ ...first, body: { ...first.body, name: 7 } }, ...rest];
    await expect(bench.backup({ records })).rejects.toMatchObject({ code: "protocol" });
    expect(bench.changes).toEqual([]);
  });

  it("replaces nothing of another stack, and prunes only its own", async () => {
    const bench = await storedBackups();
    for (const stack of ["s", "s2"]) await bench.backup({ stack });
    await bench.clock.advance(HOUR);
    await bench.backup({ policy: { last: 1 } });
    expect((await bench.repository.list("")).map(({ name }) => name)).toEqual([
      nameAt(1),
      "s/status.json",
      nameAt(0).replace("s/", "s2/"),
      "s2/status.json",
      "stackferry-repository.json",
    ]);
  });

  it("is not stored once the lock is lost, and the lock of the other run stays", async () => {
    const bench = await storedBackups();
    const other = { token: "theirs", host: "there", pid: 7, instance: "x", takenAt: "now", renewedAt: "now" };
    const during = async (): Promise<void> => {
      await bench.overwrite("s/.lock", JSON.stringify(other));
      await bench.clock.advance(16 * 60_000);
    };
    await expect(bench.backup({ during })).rejects.toMatchObject({ code: "locked" });
    expect(bench.changes).toEqual([]);
    expect((await bench.repository.readText("s/.lock"))?.text).toContain("theirs");
  });
});

describe("pruning", () => {
  const week = copiesOf(async () => {
    const bench = await storedBackups();
    for (let number = 0; number < 4; number += 1) await bench.store(nameAt(number * 24), stackContent(`day ${number}`));
    await bench.clock.advance(80 * HOUR);
    return bench;
  });

  it("removes the oldest first, and the signature with its archive", async () => {
    const bench = await week();
    await bench.prune({ last: 2 });
    expect(bench.changes).toEqual([
      `remove ${nameAt(0)}`,
      `remove ${nameAt(0)}.sig`,
      `remove ${nameAt(24)}`,
      `remove ${nameAt(24)}.sig`,
    ]);
  });

  it("removes nothing more once the lock is lost", async () => {
    const bench = await week();
    bench.beforeStep = async (step) => {
      if (step !== `remove ${nameAt(0)}.sig`) return;
      // Another run has taken over, whether or not the renewal has noticed it yet.
      await writeFile(join(bench.path, "s/.lock"), "{}");
      await bench.clock.advance(15 * 60_000);
    };
    await expect(bench.prune({ last: 1 })).rejects.toMatchObject({ code: "locked" });
    expect(await bench.archives()).toEqual([nameAt(24), nameAt(48), nameAt(72)].map((name) => name.slice(2)));
  });

  const spoil = async (bench: StoredBackups, ...hours: number[]): Promise<void> => {
    for (const each of hours) await bench.damage(nameAt(each));
  };

  it.each<[string, (bench: StoredBackups) => Promise<unknown>, RetentionPolicy, string[]]>([
    [
      "never removes the newest good archive",
      (bench) => spoil(bench, 48, 72),
      { last: 1 },
      ["72 keep damaged", "48 keep damaged", "24 keep last", "0 remove"],
    ],
    [
      "removes nothing if no archive is proven good",
      (bench) => spoil(bench, 0, 24, 48, 72),
      { last: 1 },
      [72, 48, 24, 0].map((hours) => `${hours} keep damaged`),
    ],
    [
      "leaves a file alone that is named like an archive and is none",
      (bench) => bench.overwrite(nameAt(-24), "somebody's notes"),
      { last: 1 },
      ["72 keep last", "48 remove", "24 remove", "0 remove", "-24 keep damaged"],
    ],
  ])("%s", async (_, act, policy, expected) => {
    const bench = await week();
    await act(bench);
    const verdicts = await bench.prune(policy);
    const hoursOf = (name: string): number => [-24, 0, 24, 48, 72].find((hours) => nameAt(hours) === name) ?? 0;
    expect(
      verdicts.map(({ archive, action, reasons }) => [hoursOf(archive.name), action, ...reasons].join(" ")),
    ).toEqual(expected);
    const kept = verdicts.filter(({ action }) => action === "keep").map(({ archive }) => archive.name.slice(2));
    expect(await bench.archives()).toEqual(kept.toReversed());
  });

  it("removes an encrypted archive without its key by its first line, and keeps one that has another", async () => {
    const bench = await week();
    await bench.store(nameAt(-24, true), stackContent("sealed"), true);
    await bench.store(nameAt(-48));
    await bench.overwrite(nameAt(-48, true), await readFile(join(bench.path, nameAt(-48))));
    bench.hasKey = false;
    const verdicts = await bench.prune({ last: 4 });
    expect(verdicts.slice(4).map(({ archive, action }) => [archive.name, action])).toEqual([
      [nameAt(-24, true), "remove"],
      [nameAt(-48), "remove"],
      [nameAt(-48, true), "keep"],
    ]);
  });

  it("touches nothing in a dry run, and says what it would do", async () => {
    const bench = await week();
    const planned = await bench.prune({ last: 1 }, { dryRun: true });
    expect(bench.changes).toEqual([]);
    expect(await bench.archives()).toHaveLength(4);
    const done = await bench.prune({ last: 1 });
    expect(done).toEqual(planned);
  });

  it("does not fetch the archive that the run has just stored to prove it good again", async () => {
    const bench = await week();
    const { pruned, archive } = await bench.backup({ policy: { last: 2 } });
    expect(pruned.map(({ action }) => action)).toEqual(["keep", "keep", "remove", "remove", "remove"]);
    expect(await bench.archives()).toContain(archive.slice(2));
    // Each of these four archives is read twice: once for its content, because there is no status file, and once more before
    // the removal, which checks the three archives to remove and the one that stays.
    const all = [nameAt(0), nameAt(24), nameAt(48), nameAt(72)];
    expect(bench.fetched.toSorted()).toEqual([...all, ...all].toSorted());
  });

  it("is part of a backup of an unchanged stack too", async () => {
    const bench = await week();
    await bench.clock.advance(HOUR);
    const result = await bench.backup({ ifChanged: true, records: stackContent("day 3"), policy: { last: 1 } });
    expect(result).toMatchObject({ result: "unchanged", archive: nameAt(72) });
    expect(await bench.archives()).toEqual([nameAt(72).slice(2)]);
  });

  it("does not happen without a policy", async () => {
    const bench = await week();
    expect((await bench.backup()).pruned).toEqual([]);
    expect(await bench.archives()).toHaveLength(5);
  });

  it("does not take an archive of the future for a reason to remove the others", async () => {
    const bench = await week();
    await bench.store(nameAt(24 * 365), stackContent("future"));
    await bench.prune({ within: { ...day, days: 3 } });
    expect(await bench.archives()).toHaveLength(4);
  });
});

describe("a backup of several stacks", () => {
  it("reports the outcome of each stack in order, and stores the other backups when one fails", async () => {
    const bench = await storedBackups();
    const exportTo = async (): Promise<never> => {
      throw refusalError("unauthorized", "the key was refused");
    };
    const ends = await bench.backupSeveral([{ stack: "a" }, { stack: "b", exportTo }, { stack: "c" }]);
    expect(ends).toMatchObject([
      { stack: "a", result: "stored" },
      { stack: "b", result: "failed", error: { code: "unauthorized" } },
      { stack: "c", result: "stored" },
    ]);
    expect((await bench.repository.list("b/")).map(({ name }) => name)).toEqual([]);
  });

  it("prints the result of each stack with its name, and nothing for a single stack", async () => {
    const bench = await storedBackups();
    await bench.backupSeveral([{ stack: "a" }, { stack: "b" }], 1);
    expect(bench.phases.filter((phase) => phase.endsWith(": stored"))).toEqual(["a: stored", "b: stored"]);
    bench.phases.length = 0;
    await bench.backupSeveral([{ stack: "a", ifChanged: true }]);
    expect(bench.phases.filter((phase) => !phase.startsWith(": "))).toEqual([]);
    expect(bench.phases).not.toContain(": unchanged");
  });
});

describe("a job that its user stops", () => {
  it("reads no further: a backup stores nothing", async () => {
    const [bench, control] = [await storedBackups(), new AbortController()];
    bench.stopBy(control.signal);
    await expect(bench.backup({ during: async () => control.abort() })).rejects.toThrow();
    expect(bench.changes).toEqual([]);
  });

  it("reads no further: a check that has fetched an archive says nothing of it", async () => {
    const [bench, control] = [await storedBackups(), new AbortController()];
    await bench.backup();
    bench.stopBy(control.signal);
    const fetchIt = bench.repository.fetch.bind(bench.repository);
    bench.repository.fetch = async (name, path) => {
      await fetchIt(name, path);
      control.abort();
    };
    await expect(bench.check()).rejects.toThrow();
  });
});
