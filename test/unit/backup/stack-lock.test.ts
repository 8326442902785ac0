import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { BackupDependencies } from "../../../src/backup/dependencies.ts";
import { LOCK_ABANDONED_MS, LOCK_RENEWAL_MS, takeStackLock } from "../../../src/backup/stack-lock.ts";
import { localFiles } from "../../../src/cli/wiring/backup.ts";
import type { Repository } from "../../../src/core/ports.ts";
import { openRepository } from "../../../src/storage/open-repository.ts";
import { simulatedClock, type SimulatedClock } from "../../simulation/simulated-clock.ts";
import { startS3Server } from "../../support/s3-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const quiet = { events: () => {} };

interface Held {
  readonly repository: Repository;
  readonly path: string;
  readonly clock: SimulatedClock;
  readonly dependencies: (process: Partial<BackupDependencies["owner"]>, repository?: Repository) => BackupDependencies;
}

async function held(): Promise<Held> {
  const path = temporaryFolder();
  const repository = await openRepository(path, { cwd: "/", s3: {} });
  const clock = simulatedClock(Date.UTC(2026, 0, 1));
  let tokens = 0;
  const dependencies: Held["dependencies"] = (owner, other = repository) => ({
    repository: other,
    clock,
    files: localFiles,
    openArchive: () => Promise.reject(new Error("not opened here")),
    owner: { host: "here", pid: 1, instance: "a", isAlive: () => false, ...owner },
    checksSignature: false,
    signerOf: () => undefined,
    minShare: 0.5,
    localRecord: { lastGoodBackupAt: async () => undefined, recordGoodBackup: async () => {} },
    createToken: () => `token ${(tokens += 1)}`,
  });
  return { repository, path, clock, dependencies };
}

/** Waits for renewals, which read and write real files. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

describe("the lock of a stack's backups", () => {
  it("is renewed while it is held and removed afterwards", async () => {
    const { repository, clock, dependencies } = await held();
    const lock = await takeStackLock("s", dependencies({}), quiet);
    const before = await repository.readText("s/.lock");
    await clock.advance(LOCK_RENEWAL_MS);
    const changed = async (): Promise<void> =>
      expect((await repository.readText("s/.lock"))?.text).not.toBe(before?.text);
    await vi.waitFor(changed, 5000);
    const after = await repository.readText("s/.lock");
    expect(JSON.parse(after?.text ?? "")).toMatchObject({
      host: "here",
      pid: 1,
      renewedAt: "2026-01-01T00:01:00.000Z",
    });
    await lock.assertHeld();
    await lock[Symbol.asyncDispose]();
    expect(await repository.readText("s/.lock")).toBeUndefined();
  });

  const alive = (): boolean => true;
  const gone = (): boolean => false;
  const other = { pidNamespace: "pid:[2]", isAlive: gone };
  it.each([
    ["another running process of this machine", { pid: 2, isAlive: alive }, 0, "locked"],
    ["a process of this machine that has ended", { pid: 2, isAlive: gone }, 0, "taken"],
    [
      "a process of the same pid in a container that was restarted",
      { pid: 1, instance: "b", isAlive: alive },
      0,
      "taken",
    ],
    ["a process of the same pid in another container with this host name", { ...other, instance: "b" }, 0, "locked"],
    ["a process of another container that cannot be seen from here", { ...other, pid: 2 }, LOCK_RENEWAL_MS, "locked"],
    [
      "a process of another container that has not renewed the lock for a while",
      { ...other, pid: 2 },
      5 * LOCK_RENEWAL_MS,
      "taken",
    ],
    ["this very process", { isAlive: alive }, 0, "locked"],
    ["another machine, a moment ago", { host: "there", isAlive: gone }, LOCK_ABANDONED_MS - 1, "locked"],
    ["another machine, long ago", { host: "there", isAlive: alive }, LOCK_ABANDONED_MS, "taken"],
  ] as const)("held by %s: is refused or taken over", async (_, second, laterMs, expected) => {
    const { clock, dependencies, repository, path } = await held();
    await takeStackLock("s", dependencies({}), quiet);
    // This text becomes the lock of a killed process: written again below, it is no longer renewed.
    const text = await readFile(join(path, "s/.lock"), "utf8");
    await clock.advance(laterMs);
    if (laterMs > 0)
      await vi.waitFor(async () => {
        expect((await repository.readText("s/.lock"))?.text).not.toBe(text);
        expect(await readdir(join(path, "s"))).toEqual([".lock"]);
      }, 5000);
    await writeFile(join(path, "s/.lock"), text);
    const outcome = await takeStackLock("s", dependencies(second), quiet).then(
      () => "taken",
      ({ code }: { code: string }) => code,
    );
    expect(outcome).toBe(expected);
    expect((await repository.readText("s/.lock"))?.text === text).toBe(expected === "locked");
  });

  it.each([
    ["back", "renews it", "locked"],
    ["back", "has died", "taken"],
    ["ahead", "renews it", "locked"],
    ["ahead", "has died", "taken"],
  ] as const)("is watched if the clock was set %s by an hour, and its process %s: %s", async (way, fate, expected) => {
    const { clock, dependencies, repository } = await held();
    await takeStackLock("s", dependencies({}), quiet);
    const before = await repository.readText("s/.lock");
    const second = dependencies({ pid: 2, instance: "b", isAlive: alive });
    const jumped = simulatedClock(clock.now() + (way === "back" ? -3_600_000 : 3_600_000));
    const end = takeStackLock("s", { ...second, clock: jumped }, quiet).then(
      () => "taken",
      ({ code }: { code: string }) => code,
    );
    await settle();
    if (fate === "renews it") {
      await clock.advance(LOCK_RENEWAL_MS);
      const renewed = async (): Promise<void> =>
        expect((await repository.readText("s/.lock"))?.text).not.toBe(before?.text);
      await vi.waitFor(renewed, 5000);
    }
    await jumped.advance(1.5 * LOCK_RENEWAL_MS);
    expect(await end).toBe(expected);
  });

  it("is still held if the clock jumps, because it can be renewed at once", async () => {
    const { clock, dependencies } = await held();
    let jump = 0;
    const lock = await takeStackLock(
      "s",
      { ...dependencies({}), clock: { ...clock, now: () => clock.now() + jump } },
      quiet,
    );
    for (jump of [LOCK_ABANDONED_MS, 365 * 86_400_000, -3_600_000]) await lock.assertHeld();
    await lock[Symbol.asyncDispose]();
  });

  it("that another process has overwritten counts as lost and is not removed", async () => {
    const { clock, dependencies, repository, path } = await held();
    const lock = await takeStackLock("s", dependencies({}), quiet);
    const theirs = JSON.stringify({
      token: "theirs",
      host: "there",
      pid: 9,
      instance: "z",
      takenAt: "",
      renewedAt: "",
    });
    await writeFile(join(path, "s/.lock"), theirs);
    await clock.advance(LOCK_RENEWAL_MS);
    const lost = (): Promise<void> => expect(lock.assertHeld()).rejects.toMatchObject({ code: "locked" });
    await vi.waitFor(lost, 5000);
    await lock[Symbol.asyncDispose]();
    expect((await repository.readText("s/.lock"))?.text).toBe(theirs);
  });

  it.each(["lost", "refused"] as const)(
    "is held if the answer to its write was %s but the write was done",
    async (answer) => {
      const { dependencies, repository } = await held();
      let writes = 0;
      const forgetful: Repository = {
        ...repository,
        swap: async (name, text, version) => {
          const swapped = await repository.swap(name, text, version);
          writes += 1;
          if (writes > 1) return swapped;
          if (answer === "lost") throw new Error("the connection was reset");
          return { done: false };
        },
      };
      const lock = await takeStackLock("s", dependencies({}, forgetful), quiet);
      await lock.assertHeld();
      await lock[Symbol.asyncDispose]();
      expect(await repository.readText("s/.lock")).toBeUndefined();
    },
  );

  it("is not held if its write failed, and the failure is thrown", async () => {
    const { dependencies, repository } = await held();
    const failing: Repository = { ...repository, swap: async () => Promise.reject(new Error("no network")) };
    await expect(takeStackLock("s", dependencies({}, failing), quiet)).rejects.toThrow("no network");
  });

  it("counts as lost after the machine slept", async () => {
    const { clock, dependencies, repository } = await held();
    const unreachable: Repository = {
      ...repository,
      swap: (name, text, version) =>
        version === undefined ? repository.swap(name, text, version) : Promise.reject(new Error("no network")),
    };
    const lock = await takeStackLock("s", dependencies({}, unreachable), quiet);
    await clock.advance(LOCK_ABANDONED_MS - 1);
    await settle();
    await lock.assertHeld();
    await clock.advance(1);
    await expect(lock.assertHeld()).rejects.toMatchObject({ code: "locked" });
    await lock[Symbol.asyncDispose]();
  });

  it("stays held while the repository is unreachable for a moment", async () => {
    const { clock, dependencies, repository } = await held();
    let looks = 0;
    const failing: Repository = {
      ...repository,
      swap: async (name, text, version) =>
        version === undefined ? repository.swap(name, text, version) : { done: false },
      readText: async (name) => {
        looks += 1;
        if (looks > 1) throw new Error("no network");
        return repository.readText(name);
      },
    };
    const lock = await takeStackLock("s", dependencies({}, failing), quiet);
    const before = looks;
    await clock.advance(LOCK_RENEWAL_MS);
    await settle();
    expect(looks).toBeGreaterThan(before);
    await lock.assertHeld();
    await clock.advance(LOCK_ABANDONED_MS - LOCK_RENEWAL_MS);
    await expect(lock.assertHeld()).rejects.toMatchObject({ code: "locked" });
  });

  it("that is empty, as on a full disk, is taken over when it is old enough", async () => {
    const { dependencies, path, repository } = await held();
    await repository.writeText("s/other", "");
    await writeFile(join(path, "s/.lock"), "");
    // An empty lock states no time, so the time of the file counts.
    const written = simulatedClock(Date.now());
    await expect(takeStackLock("s", { ...dependencies({}), clock: written }, quiet)).rejects.toMatchObject({
      code: "locked",
    });
    // One millisecond more, because the file's time has fractions of a millisecond and the clock has none.
    const later = simulatedClock(Date.now() + LOCK_ABANDONED_MS + 1);
    await using lock = await takeStackLock("s", { ...dependencies({}), clock: later }, quiet);
    await lock.assertHeld();
  });

  it("is given to one of two processes if the store has no conditional writes", async () => {
    await using server = await startS3Server({ conditional: false });
    await using repository = await openRepository(`s3://${server.bucket}`, { cwd: "/", s3: server.settings });
    const { dependencies, clock } = await held();
    const tries = [1, 2].map((pid) =>
      takeStackLock("s", dependencies({ pid, instance: String(pid), isAlive: alive }, repository), quiet).then(
        () => "taken",
        ({ code }: { code: string }) => code,
      ),
    );
    const passing = setInterval(() => void clock.advance(2000), 50);
    expect((await Promise.all(tries)).toSorted()).toEqual(["locked", "taken"]);
    clearInterval(passing);
  });
});
