import { copyFile, mkdir, readdir, symlink, utimes, writeFile, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  besideOf,
  copiesOf,
  nameAt,
  stackContent,
  backupStage,
  openBucket,
  openFolder,
  StackferryError,
  type BackupStage,
} from "../../support/backup-stage.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const HOUR = 3_600_000;

/** Makes backups of the stack `s` at hours 0 and 24 and of the stack `other` at hour 24, and sets the clock to hour 48. */
const programForTwoStacks = copiesOf(async () => {
  const stage = await backupStage();
  await stage.backup({ records: stackContent("first") });
  await stage.clock.advance(24 * HOUR);
  await stage.backup({ records: stackContent("second") });
  await stage.backup({ stack: "other", records: stackContent("theirs") });
  await stage.clock.advance(24 * HOUR);
  return stage;
});

/** Returns whether the time in an archive's name lies in the future. */
const isAhead = (stage: BackupStage, name: string): boolean =>
  name.slice(2, 17) > new Date(stage.clock.now()).toISOString().replaceAll(/[-:]/g, "");

/** Copies an archive with its entry. */
async function copy(stage: BackupStage, from: string, to: string): Promise<void> {
  for (const ending of ["zip", "json"]) {
    await copyFile(join(stage.path, besideOf(from, ending)), join(stage.path, besideOf(to, ending)));
  }
}

describe.each<[string, (stage: BackupStage) => Promise<string>]>([
  [
    "copied under another time",
    async (stage) => {
      await copy(stage, nameAt(0), nameAt(40));
      return nameAt(40);
    },
  ],
  [
    "copied under another second",
    async (stage) => {
      const name = nameAt(24).replace("00Z", "01Z");
      await copy(stage, nameAt(0), name);
      return name;
    },
  ],
  [
    "of another stack",
    async (stage) => {
      await copy(stage, nameAt(24).replace("s/", "other/"), nameAt(40));
      return nameAt(40);
    },
  ],
  [
    "of another stack, made in the same second",
    async (stage) => {
      await stage.backup({ stack: "other" });
      await copy(stage, nameAt(48).replace("s/", "other/"), nameAt(48));
      return nameAt(48);
    },
  ],
  [
    "that is an export, not a backup",
    async (stage) => {
      const kept = { stack: undefined } as unknown as { stack: string };
      await stage.store(nameAt(40), stackContent("export"), false, kept);
      await stage.overwrite(besideOf(nameAt(40), "json"), "none");
      return nameAt(40);
    },
  ],
  [
    "from the future",
    async (stage) => {
      await stage.store(nameAt(49));
      return nameAt(49);
    },
  ],
  [
    "of the last second that a name can say",
    async (stage) => {
      await stage.store("s/99991231T235959Z.zip");
      return "s/99991231T235959Z.zip";
    },
  ],
])("an archive %s", (_, plant) => {
  it("is named by the check, never restored, and never counts as the newest", async () => {
    const stage = await programForTwoStacks();
    const name = await plant(stage);
    const [check] = await stage.check({ stacks: ["s"], percent: 0, maxAgeMs: 24 * HOUR });
    expect(check).toMatchObject({
      refused: [{ archive: name }],
      newestGood: nameAt(24),
      ageMs: 24 * HOUR,
      tooOld: false,
    });
    expect(await stage.choose("latest")).toBe(nameAt(24));
    expect(stage.warnings).toContain("refused-backup");
    const day = { notAfter: Date.UTC(9999, 11, 31, 23, 59, 58, 999) };
    if (isAhead(stage, name)) expect(await stage.choose(day)).toBe(nameAt(24));
    else await expect(stage.choose(day)).rejects.toMatchObject({ code: "archive-damaged" });
  });

  it("is not removed, takes no retention slot, and the next backup counts as the newest", async () => {
    const stage = await programForTwoStacks();
    const name = await plant(stage);
    await stage.clock.advance(60_000);
    const next = await stage.backup({ ifChanged: true, records: stackContent("third"), policy: { last: 1 } });
    expect(next.result).toBe("stored");
    expect(await stage.choose("latest")).toBe(next.archive);
    const old = isAhead(stage, name) ? [nameAt(0), nameAt(24)] : [];
    expect((await stage.archives()).toSorted()).toEqual(
      [...old, name, next.archive].map((each) => each.slice(2)).toSorted(),
    );
  });

  it("is no reason to store an unchanged stack again", async () => {
    const stage = await programForTwoStacks();
    await plant(stage);
    const same = await stage.backup({ ifChanged: true, records: stackContent("second") });
    expect(same).toMatchObject({ result: "unchanged", archive: nameAt(24) });
  });
});

describe("a stack's folder that is a link", () => {
  it("is refused for reading and for writing, and nothing is written where it leads", async () => {
    const stage = await programForTwoStacks();
    const elsewhere = temporaryFolder();
    await symlink(elsewhere, join(stage.path, "linked"));
    const [end] = await stage.backupSeveral([{ stack: "linked" }]);
    expect(end).toMatchObject({ result: "failed", error: { code: "usage" } });
    await mkdir(join(elsewhere, "deep"));
    await symlink(join(elsewhere, "deep"), join(stage.path, "s", "deep"));
    const { repository } = stage;
    const local = join(elsewhere, "local");
    await writeFile(local, "x");
    for (const attempt of [
      () => repository.put(local, "linked/a.zip"),
      () => repository.writeText("linked/a.json", "x"),
      () => repository.readText("linked/local"),
      () => repository.fetch("linked/local", join(elsewhere, "out")),
      () => repository.remove("linked/local"),
      () => repository.list("linked/"),
      () => repository.writeText("s/deep/x", "x"),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: "usage" });
    }
    expect((await readdir(elsewhere)).toSorted()).toEqual(["deep", "local"]);
    expect((await stage.check()).map(({ stack }) => stack)).toEqual(["other", "s"]);
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

describe.each(makers)("%s in the place of an entry", (what, make) => {
  it("costs one reading of its archive, and holds nobody up", async () => {
    const stage = await backupStage();
    for (const name of ["first", "second"]) {
      await stage.backup({ records: stackContent(name) });
      await stage.clock.advance(HOUR);
    }
    const entry = join(stage.path, besideOf(nameAt(1), "json"));
    await rm(entry);
    await make(entry);
    // A FIFO is no file of the repository, so the archive counts as unfinished until `check` completes it.
    expect(await stage.choose("latest")).toBe(nameAt(what === "a FIFO" ? 0 : 1));
    expect(await stage.check()).toMatchObject([{ newestGood: nameAt(1), damaged: [], suspect: [] }]);
    expect(await stage.backup({ records: stackContent("second"), ifChanged: true })).toMatchObject({
      result: "unchanged",
      archive: nameAt(1),
    });
  });
});

describe("an archive without its entry", () => {
  it("is unfinished, whatever it holds: it is never the newest, and check says why it does not complete it", async () => {
    const stage = await programForTwoStacks();
    await stage.overwrite(nameAt(30), "somebody's notes");
    await copyFile(join(stage.path, nameAt(24)), join(stage.path, nameAt(31)));
    expect(await stage.choose("latest")).toBe(nameAt(24));
    stage.warnings.length = 0;
    expect(await stage.check({ stacks: ["s"], percent: 0 })).toMatchObject([
      { newestGood: nameAt(24), damaged: [], refused: [] },
    ]);
    expect(stage.warnings).toEqual(["unfinished-backup", "unfinished-backup"]);
  });

  it("is removed by a later run only if it cannot be opened and is older than a day", async () => {
    const stage = await programForTwoStacks();
    const [torn, young, whole, sealed] = [nameAt(30), nameAt(31), nameAt(32), nameAt(33, true)];
    for (const name of [torn, young]) await stage.overwrite(name, "half");
    await copyFile(join(stage.path, nameAt(24)), join(stage.path, whole));
    await stage.overwrite(sealed, "age-encryption.org/v1\nhalf");
    const orphans = [besideOf(nameAt(29), "json"), `${nameAt(29)}.sig`, besideOf(nameAt(28), "run-00ab")];
    const [part, youngPart] = ["s/.a.zip.0123456789abcdef.part", "s/.b.zip.0123456789abcdef.part"];
    const others = [part, youngPart, "s/.mine.part"];
    for (const name of [...orphans, ...others, besideOf(nameAt(34), "run-00ac")]) await stage.overwrite(name, "");
    const now = stage.clock.now();
    const setAge = (name: string, hours: number): Promise<void> => {
      const at = new Date(now - hours * HOUR);
      return utimes(join(stage.path, name), at, at);
    };
    for (const name of [torn, whole, sealed, part, "s/.mine.part", ...orphans]) await setAge(name, 25);
    for (const name of [young, youngPart, besideOf(nameAt(34), "run-00ac")]) await setAge(name, 23);
    stage.hasKey = false;
    await stage.backup({ records: stackContent("third") });
    const removed = stage.changes.filter((step) => step.startsWith("remove"));
    expect(removed.toSorted()).toEqual(
      [torn, `${torn}.sig`, part, ...orphans.slice(0, 2)].map((name) => `remove ${name}`).toSorted(),
    );
    const left = (await stage.repository.list("s/")).map(({ name }) => name);
    expect(left).toEqual(
      expect.arrayContaining([youngPart, "s/.mine.part", young, whole, sealed, besideOf(nameAt(34), "run-00ac")]),
    );
    expect(left).not.toContain(orphans[2]);
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
      const stage = await backupStage();
      await stage.backup();
      const names = Array.from({ length: 50 }, (_, index) => (shape === "files side by side" ? `f${index}` : "deep"));
      if (shape === "files side by side") {
        for (const name of names) await writeFile(join(stage.path, "s", name), "");
      } else await mkdir(join(stage.path, "s", ...names), { recursive: true });
      await expect((await openFolder(stage.path, 20)).list("s/")).rejects.toMatchObject({ code: "list-incomplete" });
      const all = await (await openFolder(stage.path, 1000)).list("s/");
      expect(all.map(({ name }) => name)).toContain(nameAt(0));
    },
  );

  it("has one of its files more than may be: it is told at the first that is too many", async () => {
    const stage = await backupStage();
    await stage.backup();
    const repository = await openFolder(stage.path);
    const count = (await repository.list("s/")).length;
    // The listing also reads the stack's folder itself and its neighbours.
    const maxFiles = count + (await readdir(stage.path)).length;
    expect(await (await openFolder(stage.path, maxFiles)).list("s/")).toHaveLength(count);
    await expect((await openFolder(stage.path, maxFiles - 1)).list("s/")).rejects.toMatchObject({
      code: "list-incomplete",
    });
  });
});

describe("an encrypted archive whose demanded signature does not fit", () => {
  it.each([true, false])("is never good because its checksum stands in its entry (key at hand: %s)", async (hasKey) => {
    const stage = await backupStage();
    stage.hasKey = hasKey;
    await stage.backup({ encrypted: true });
    // An attacker who can write to the repository can write an archive, its status and its signature, but cannot sign with
    // the right key.
    Object.assign(stage.context, {
      checksSignature: true,
      openArchive: async () => {
        throw new StackferryError("archive-damaged", "the signature is not of that key");
      },
    });
    expect(await stage.check()).toMatchObject([{ damaged: [{ archive: nameAt(0, true) }], tooOld: true }]);
    await expect(stage.choose("latest")).rejects.toMatchObject({ code: "archive-damaged" });
    await expect(stage.choose({ notAfter: stage.clock.now() })).rejects.toMatchObject({ code: "archive-damaged" });
  });

  it("is not known to be good where no key opens it", async () => {
    const stage = await backupStage();
    await stage.backup({ encrypted: true });
    stage.hasKey = false;
    expect(await stage.check()).toMatchObject([{ newestGood: nameAt(0, true) }]);
    Object.assign(stage.context, { checksSignature: true });
    const [check] = await stage.check();
    expect(check).toMatchObject({ checked: 0, sealed: [nameAt(0, true)], tooOld: true });
    expect(check?.newestGood).toBeUndefined();
  });
});

describe("an archive whose size differs from its entry", () => {
  it("is read anew: what the entry says of it is not believed", async () => {
    const stage = await backupStage();
    await stage.backup();
    const name = besideOf(nameAt(0), "json");
    const entry = JSON.parse((await stage.repository.readText(name)) ?? "") as Record<string, unknown>;
    const kinds = { webhooks: { status: "complete", count: 77 } };
    await stage.overwrite(name, JSON.stringify({ ...entry, bytes: Number(entry["bytes"]) + 1, kinds }));
    stage.fetched.length = 0;
    expect((await stage.check({ percent: 0 }))[0]?.summary.records).toMatchObject({ webhooks: 2 });
    expect(stage.fetched).toContain(nameAt(0));
  });
});
