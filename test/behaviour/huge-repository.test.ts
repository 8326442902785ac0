import { execFileSync } from "node:child_process";
import { mkdir, readdir, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nameAt, openBucket, openFolder, storedBackups } from "../support/stored-backups.ts";

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

it("a bucket whose list has no end is refused, and not read for ever", async () => {
  let page = 0;
  const server = createServer((_, response) => {
    page += 1;
    const contents = `<Contents><Key>s/${page}.txt</Key><Size>1</Size></Contents>`;
    const more = `<IsTruncated>true</IsTruncated><NextContinuationToken>${page}</NextContinuationToken>`;
    response
      .setHeader("content-type", "application/xml")
      .end(`<ListBucketResult><Name>b</Name><KeyCount>1</KeyCount>${more}${contents}</ListBucketResult>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await using repository = await openBucket(`http://127.0.0.1:${port}`, 1000);
  await expect(repository.list("s/")).rejects.toMatchObject({ code: "list-incomplete" });
  expect(page).toBeLessThan(20);
  server.close();
});

it("a bucket whose list is cut off without a token is refused: its newest backups would be missing", async () => {
  const contents = "<IsTruncated>true</IsTruncated><Contents><Key>s/1.txt</Key><Size>1</Size></Contents>";
  const server = createServer((_, response) => {
    response
      .setHeader("content-type", "application/xml")
      .end(`<ListBucketResult><Name>b</Name><MaxKeys>1</MaxKeys>${contents}</ListBucketResult>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await using repository = await openBucket(`http://127.0.0.1:${port}`, 1000);
  await expect(repository.list("s/")).rejects.toMatchObject({ code: "list-incomplete" });
  server.close();
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
