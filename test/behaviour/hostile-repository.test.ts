import { copyFile, mkdir, readdir, symlink, utimes, writeFile, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  copiesOf,
  nameAt,
  stackContent,
  storedBackups,
  openBucket,
  openFolder,
  StackferryError,
  type StoredBackups,
} from "../support/stored-backups.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const HOUR = 3_600_000;

/** Makes backups of the stack `s` at hours 0 and 24 and of the stack `other` at hour 24, and sets the clock to hour 48. */
const twoStacks = copiesOf(async () => {
  const bench = await storedBackups();
  await bench.backup({ records: stackContent("first") });
  await bench.clock.advance(24 * HOUR);
  await bench.backup({ records: stackContent("second") });
  await bench.backup({ stack: "other", records: stackContent("theirs") });
  await bench.clock.advance(24 * HOUR);
  return bench;
});

/** Returns whether the time in an archive's name lies in the future. */
const isAhead = (bench: StoredBackups, name: string): boolean =>
  name.slice(2, 17) > new Date(bench.clock.now()).toISOString().replaceAll(/[-:]/g, "");

const copy = (bench: StoredBackups, from: string, to: string): Promise<void> =>
  copyFile(join(bench.path, from), join(bench.path, to));

describe.each<[string, (bench: StoredBackups) => Promise<string>]>([
  [
    "copied under another time",
    async (bench) => {
      await copy(bench, nameAt(0), nameAt(40));
      return nameAt(40);
    },
  ],
  [
    "copied under another second",
    async (bench) => {
      const name = nameAt(24).replace("00Z", "01Z");
      await copy(bench, nameAt(0), name);
      return name;
    },
  ],
  [
    "of another stack",
    async (bench) => {
      await copy(bench, nameAt(24).replace("s/", "other/"), nameAt(40));
      return nameAt(40);
    },
  ],
  [
    "of another stack, made in the same second",
    async (bench) => {
      await bench.backup({ stack: "other" });
      await copy(bench, nameAt(48).replace("s/", "other/"), nameAt(48));
      return nameAt(48);
    },
  ],
  [
    "that is an export, not a backup",
    async (bench) => {
      const kept = { stack: undefined } as unknown as { stack: string };
      await bench.store(nameAt(40), stackContent("export"), false, kept);
      return nameAt(40);
    },
  ],
  [
    "from the future",
    async (bench) => {
      await bench.store(nameAt(49));
      return nameAt(49);
    },
  ],
  [
    "of the last second that a name can say",
    async (bench) => {
      await bench.store("s/99991231T235959Z.zip");
      return "s/99991231T235959Z.zip";
    },
  ],
])("an archive %s", (_, plant) => {
  it("is named by the check, never restored, and never counts as the newest", async () => {
    const bench = await twoStacks();
    const name = await plant(bench);
    const [check] = await bench.check({ stacks: ["s"], percent: 0, maxAgeMs: 24 * HOUR });
    expect(check).toMatchObject({
      refused: [{ archive: name }],
      newestGood: nameAt(24),
      ageMs: 24 * HOUR,
      tooOld: false,
    });
    expect(await bench.choose("latest")).toBe(nameAt(24));
    expect(bench.warnings).toContain("refused-backup");
    const day = { notAfter: Date.UTC(9999, 11, 31, 23, 59, 58, 999) };
    if (isAhead(bench, name)) expect(await bench.choose(day)).toBe(nameAt(24));
    else await expect(bench.choose(day)).rejects.toMatchObject({ code: "archive-damaged" });
  });

  it("is not removed, takes no retention slot, and the next backup counts as the newest", async () => {
    const bench = await twoStacks();
    const name = await plant(bench);
    await bench.clock.advance(60_000);
    const next = await bench.backup({ ifChanged: true, records: stackContent("third"), policy: { last: 1 } });
    expect(next.result).toBe("stored");
    expect(await bench.choose("latest")).toBe(next.archive);
    expect((await bench.archives()).toSorted()).toEqual([name, next.archive].map((each) => each.slice(2)).toSorted());
  });

  it("is no reason to store an unchanged stack again", async () => {
    const bench = await twoStacks();
    await plant(bench);
    const same = await bench.backup({ ifChanged: true, records: stackContent("second") });
    expect(same).toMatchObject({ result: "unchanged", archive: nameAt(24) });
  });
});

describe("status.json with a time in the future", () => {
  it("makes no backup younger", async () => {
    const bench = await twoStacks();
    const status = (await bench.repository.readText("s/status.json"))?.text ?? "";
    const forged = status.replace(/"checkedAt": "2026/, '"checkedAt": "9999');
    await writeFile(join(bench.path, "s/status.json"), forged);
    expect(await bench.check({ stacks: ["s"] })).toMatchObject([{ ageMs: 24 * HOUR }]);
  });
});

describe("a lock with a time in the future", () => {
  const lock = { token: "t", host: "there", pid: 7, instance: "x", takenAt: "9999-01-01T00:00:00.000Z" };
  const text = JSON.stringify({ ...lock, renewedAt: "9999-01-01T00:00:00.000Z" });

  it.each([
    [14, "locked"],
    [15, "stored"],
  ])("that was written %i minutes ago: %s", async (minutes, expected) => {
    const bench = await twoStacks();
    await writeFile(join(bench.path, "s/.lock"), text);
    const written = new Date(bench.clock.now() - minutes * 60_000);
    await utimes(join(bench.path, "s/.lock"), written, written);
    const [end] = await bench.backupSeveral([{}]);
    expect(end?.result === "failed" ? end.error.code : end?.result).toBe(expected);
  });

  it("holds nobody up for longer than a renewal takes where its file says a time to come, too", async () => {
    const bench = await twoStacks();
    await writeFile(join(bench.path, "s/.lock"), text);
    const future = new Date(bench.clock.now() + 1000 * HOUR);
    await utimes(join(bench.path, "s/.lock"), future, future);
    const backup = bench.backup();
    const passing = setInterval(() => void bench.clock.advance(30_000), 50);
    expect(await backup).toMatchObject({ result: "stored" });
    clearInterval(passing);
  });
});

describe("a stack's folder that is a link", () => {
  it("is refused for reading and for writing, and nothing is written where it leads", async () => {
    const bench = await twoStacks();
    const elsewhere = temporaryFolder();
    await symlink(elsewhere, join(bench.path, "linked"));
    const [end] = await bench.backupSeveral([{ stack: "linked" }]);
    expect(end).toMatchObject({ result: "failed", error: { code: "usage" } });
    await mkdir(join(elsewhere, "deep"));
    await symlink(join(elsewhere, "deep"), join(bench.path, "s", "deep"));
    const { repository } = bench;
    const local = join(elsewhere, "local");
    await writeFile(local, "x");
    for (const attempt of [
      () => repository.put(local, "linked/a.zip"),
      () => repository.writeText("linked/status.json", "x"),
      () => repository.swap("linked/.lock", "x", undefined),
      () => repository.readText("linked/local"),
      () => repository.fetch("linked/local", join(elsewhere, "out")),
      () => repository.remove("linked/local"),
      () => repository.list("linked/"),
      () => repository.sweep("linked/"),
      () => repository.writeText("s/deep/x", "x"),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: "usage" });
    }
    expect((await readdir(elsewhere)).toSorted()).toEqual(["deep", "local"]);
    expect((await bench.check()).map(({ stack }) => stack)).toEqual(["other", "s"]);
  });
});

const makers: readonly [string, (path: string) => Promise<void> | void][] = [
  [
    "900 MB",
    async (path) => {
      await writeFile(path, "");
      await truncate(path, 900_000_000);
    },
  ],
  ["a FIFO", (path) => void execFileSync("mkfifo", [path])],
];

it("a status.json that is cut short leads to a warning, and the archives are read without it", async () => {
  const bench = await storedBackups();
  await bench.backup();
  expect(bench.warnings).toEqual([]);
  await writeFile(join(bench.path, "s/status.json"), '{ "format": "stackferry-sta');
  expect(await bench.check()).toMatchObject([{ newestGood: nameAt(0), damaged: [] }]);
  expect(bench.warnings).toContain("status-unreadable");
});

describe.each(makers)("%s in a repository", (_, make) => {
  it("in the place of status.json leads to a warning, and the archives are read without it", async () => {
    const bench = await storedBackups();
    await bench.backup();
    const status = join(bench.path, "s/status.json");
    await rm(status);
    await make(status);
    expect(await bench.check()).toMatchObject([{ newestGood: nameAt(0), damaged: [] }]);
    expect(await bench.choose("latest")).toBe(nameAt(0));
    expect(bench.warnings).toContain("status-unreadable");
    expect(await bench.backup({ ifChanged: true })).toMatchObject({ result: "unchanged" });
    bench.warnings.length = 0;
    await bench.check();
    expect(bench.warnings).toEqual([]);
  });

  it("in the place of the lock holds nobody up for longer than a lock", async () => {
    const bench = await storedBackups();
    await bench.backup();
    const lock = join(bench.path, "s/.lock");
    await make(lock);
    const ended = async (minutes: number): Promise<string> => {
      const written = new Date(bench.clock.now() - minutes * 60_000);
      await utimes(lock, written, written);
      const [end] = await bench.backupSeveral([{}]);
      return end?.result === "failed" ? end.error.code : (end?.result ?? "");
    };
    expect(await bench.check()).toMatchObject([{ newestGood: nameAt(0) }]);
    expect(await ended(1)).toBe("locked");
    expect(await ended(16)).toBe("stored");
  });
});

/** Serves a bucket that answers every request with a list. @param bodyOf returns the members of the list of the n-th request */
async function serveLists(bodyOf: (page: number) => string) {
  let pages = 0;
  const server = createServer((_, response) => {
    pages += 1;
    response
      .setHeader("content-type", "application/xml")
      .end(`<ListBucketResult><Name>b</Name>${bodyOf(pages)}</ListBucketResult>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const repository = await openBucket(`http://127.0.0.1:${port}`, 1000);
  const close = async (): Promise<void> => {
    await repository[Symbol.asyncDispose]();
    server.close();
  };
  return { repository, pages: () => pages, [Symbol.asyncDispose]: close };
}

const more = (token: number): string =>
  `<IsTruncated>true</IsTruncated><NextContinuationToken>${token}</NextContinuationToken>`;

it("a bucket whose list has no end is refused, and not read for ever", async () => {
  await using bucket = await serveLists(
    (page) => `<KeyCount>1</KeyCount>${more(page)}<Contents><Key>s/${page}.txt</Key><Size>1</Size></Contents>`,
  );
  await expect(bucket.repository.list("s/")).rejects.toMatchObject({ code: "list-incomplete" });
  expect(bucket.pages()).toBeLessThan(20);
});

it("a bucket whose list comes back to an earlier page is refused at the first repetition", async () => {
  await using bucket = await serveLists((page) => `<KeyCount>0</KeyCount>${more(page % 3)}`);
  await expect(bucket.repository.list("s/")).rejects.toMatchObject({ code: "list-incomplete" });
  expect(bucket.pages()).toBe(4);
});

it("a bucket whose list is cut off without a token is refused: its newest backups would be missing", async () => {
  const contents = "<IsTruncated>true</IsTruncated><Contents><Key>s/1.txt</Key><Size>1</Size></Contents>";
  await using bucket = await serveLists(() => `<MaxKeys>1</MaxKeys>${contents}`);
  await expect(bucket.repository.list("s/")).rejects.toMatchObject({ code: "list-incomplete" });
});

describe("a folder with more files than anybody keeps", () => {
  it.each(["files side by side", "folders below each other"])(
    "is refused, and not read to its end: %s",
    async (shape) => {
      const bench = await storedBackups();
      await bench.backup();
      const names = Array.from({ length: 50 }, (_, index) => (shape === "files side by side" ? `f${index}` : "deep"));
      if (shape === "files side by side") {
        for (const name of names) await writeFile(join(bench.path, "s", name), "");
      } else await mkdir(join(bench.path, "s", ...names), { recursive: true });
      await expect((await openFolder(bench.path, 20)).list("s/")).rejects.toMatchObject({ code: "list-incomplete" });
      const all = await (await openFolder(bench.path, 1000)).list("s/");
      expect(all.map(({ name }) => name)).toContain(nameAt(0));
    },
  );

  it("has one of its files more than may be: it is told at the first that is too many", async () => {
    const bench = await storedBackups();
    await bench.backup();
    const repository = await openFolder(bench.path);
    const count = (await repository.list("s/")).length;
    // The listing also reads the stack's folder itself and its neighbours.
    const maxFiles = count + (await readdir(bench.path)).length;
    expect(await (await openFolder(bench.path, maxFiles)).list("s/")).toHaveLength(count);
    await expect((await openFolder(bench.path, maxFiles - 1)).list("s/")).rejects.toMatchObject({
      code: "list-incomplete",
    });
  });
});

describe("an encrypted archive whose demanded signature does not fit", () => {
  it.each([true, false])(
    "is never good because its checksum stands in status.json (key at hand: %s)",
    async (hasKey) => {
      const bench = await storedBackups();
      bench.hasKey = hasKey;
      await bench.backup({ encrypted: true });
      // An attacker who can write to the repository can write an archive, its status and its signature, but cannot sign with
      // the right key.
      Object.assign(bench.dependencies, {
        checksSignature: true,
        openArchive: async () => {
          throw new StackferryError("archive-damaged", "the signature is not of that key");
        },
      });
      expect(await bench.check()).toMatchObject([{ damaged: [{ archive: nameAt(0, true) }], tooOld: true }]);
      await expect(bench.choose("latest")).rejects.toMatchObject({ code: "archive-damaged" });
      await expect(bench.choose({ notAfter: bench.clock.now() })).rejects.toMatchObject({ code: "archive-damaged" });
    },
  );

  it("is not known to be good where no key opens it", async () => {
    const bench = await storedBackups();
    await bench.backup({ encrypted: true });
    bench.hasKey = false;
    expect(await bench.check()).toMatchObject([{ newestGood: nameAt(0, true) }]);
    Object.assign(bench.dependencies, { checksSignature: true });
    const [check] = await bench.check();
    expect(check).toMatchObject({ encrypted: 1, tooOld: true });
    expect(check?.newestGood).toBeUndefined();
  });
});

describe("an archive whose size differs from status.json", () => {
  it("is read anew: what the status says of it is not believed", async () => {
    const bench = await storedBackups();
    await bench.backup();
    await bench.clock.advance(HOUR);
    await bench.backup();
    const status = (await bench.repository.readText("s/status.json"))?.text ?? "";
    const [newest] = [/"bytes": (\d+)/.exec(status)?.[1] ?? ""];
    const forged = status
      .replace(`"bytes": ${newest}`, `"bytes": ${Number(newest) + 1}`)
      .replace(/("webhooks": \{[^}]*"count": )\d+/s, "$1 77");
    expect(forged).toContain("77");
    await writeFile(join(bench.path, "s/status.json"), forged);
    bench.fetched.length = 0;
    expect((await bench.check({ percent: 0 }))[0]?.summary.records).toMatchObject({ webhooks: 2 });
    expect(bench.fetched).toContain(nameAt(1));
  });
});
