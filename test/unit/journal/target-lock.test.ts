import { readFile, readdir, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { takeTargetLock } from "../../../src/journal/target-lock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const target = { variant: "self-hosted", baseUrl: "http://stack.test" } as const;
const NAME = "stack.test.lock";
/** An id that no process has, because it is above the largest id that Linux gives. */
const DEAD = 2 ** 22 + 1;
const holder = (pid: number, host = hostname()): string => JSON.stringify({ pid, host });

afterEach(() => vi.restoreAllMocks());

/** Makes a folder in which somebody holds the lock. */
async function heldBy(text: string): Promise<string> {
  const folder = temporaryFolder();
  await writeFile(join(folder, NAME), text);
  return folder;
}

const lockIn = async (folder: string): Promise<unknown> => JSON.parse(await readFile(join(folder, NAME), "utf8"));
const locksIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.includes(".lock"));

describe("the lock of a target", () => {
  it.each<[string, string]>([
    ["a process of another machine, whose number means nothing here", holder(DEAD, "elsewhere.test")],
    ["a process of this machine that runs", holder(process.ppid)],
    ["this process", holder(process.pid)],
    ["somebody who has not said who", ""],
    ["somebody whose number is no number", JSON.stringify({ pid: String(DEAD), host: hostname() })],
    [
      "a process in another container with the same host name",
      JSON.stringify({ pid: DEAD, host: hostname(), pidNamespace: "pid:[1]" }),
    ],
  ])("is respected if it is held by %s", async (_, text) => {
    const folder = await heldBy(text);
    await expect(takeTargetLock(folder, target)).rejects.toMatchObject({ code: "locked" });
    expect(await readFile(join(folder, NAME), "utf8")).toBe(text);
    expect(await locksIn(folder)).toEqual([NAME]);
  });

  it("is respected if its process belongs to another user and cannot be queried", async () => {
    const folder = await heldBy(holder(DEAD));
    vi.spyOn(process, "kill").mockImplementation(() => {
      throw Object.assign(new Error("operation not permitted"), { code: "EPERM" });
    });
    await expect(takeTargetLock(folder, target)).rejects.toMatchObject({ code: "locked" });
  });

  it("is taken over from a process that has ended, and released with no lock left behind", async () => {
    const folder = await heldBy(holder(DEAD));
    {
      await using _lock = await takeTargetLock(folder, target);
      expect(await lockIn(folder)).toMatchObject({ pid: process.pid, host: hostname() });
      const refusal = expect.objectContaining({ code: "locked", message: expect.stringContaining(`${process.pid}`) });
      await expect(takeTargetLock(folder, target)).rejects.toEqual(refusal);
    }
    expect(await locksIn(folder)).toEqual([]);
    await using _again = await takeTargetLock(folder, target);
    expect((await stat(join(folder, NAME))).mode & 0o777).toBe(0o600);
  });

  it("has one holder at a time, however many find the lock of a dead process", async () => {
    const folder = await heldBy(holder(DEAD));
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => takeTargetLock(folder, target)));
    const taken = tries.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    expect(taken).toHaveLength(1);
    for (const each of tries) if (each.status === "rejected") expect(each.reason).toMatchObject({ code: "locked" });
    expect(await lockIn(folder)).toMatchObject({ pid: process.pid });
    await taken[0]?.[Symbol.asyncDispose]();
    await using _last = await takeTargetLock(folder, target);
  });

  it("is taken over from an earlier process with the same pid, as in a container that was restarted", async () => {
    const folder = temporaryFolder();
    await using _lock = await takeTargetLock(folder, target);
    const other = await heldBy(JSON.stringify({ ...((await lockIn(folder)) as object), instance: "earlier" }));
    await using _next = await takeTargetLock(other, target);
    await expect(takeTargetLock(folder, target)).rejects.toMatchObject({ code: "locked" });
  });

  it("is taken over from a process that was killed while it took over a lock", async () => {
    const [first, second] = [DEAD, DEAD + 1];
    const folder = await heldBy(holder(first));
    await writeFile(join(folder, `${NAME}.${first}`), holder(second));
    await using _lock = await takeTargetLock(folder, target);
    expect(await locksIn(folder)).toEqual([NAME]);
  });

  it("is one for each stack, whatever its addresses, and git ignores its folder", async () => {
    const folder = join(temporaryFolder(), "deep", "locks");
    const service = { variant: "managed", organizationId: "org", serviceId: "svc" } as const;
    await using _one = await takeTargetLock(folder, { ...service, baseUrl: "https://api.test" });
    const again = takeTargetLock(folder, { ...service, baseUrl: "https://gateway.test/base" });
    await expect(again).rejects.toMatchObject({ code: "locked" });
    await using _two = await takeTargetLock(folder, { ...service, serviceId: "other", baseUrl: "https://api.test" });
    await using _three = await takeTargetLock(folder, target);
    await using _four = await takeTargetLock(folder, { ...target, baseUrl: "http://stack.test:8000/base" });
    const locks = ["org-other.lock", "org-svc.lock", "stack.test-8000-base.lock", NAME];
    expect((await readdir(folder)).toSorted()).toEqual([".gitignore", ...locks]);
    expect(await readFile(join(folder, ".gitignore"), "utf8")).toBe("*\n");
  });

  it("cannot be kept where there is no folder", async () => {
    const folder = join(await heldBy(""), NAME, "locks");
    await expect(takeTargetLock(folder, target)).rejects.toMatchObject({ code: "journal" });
  });
});
