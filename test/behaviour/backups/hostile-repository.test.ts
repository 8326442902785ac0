import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dailyBackups, nameAt, openBucket, openFolder } from "../../support/backup-stage.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const incomplete = { code: "list-incomplete" };

it("a stack's folder that is a link is refused for reading and for writing, and nothing is written where it leads", async () => {
  const stage = await dailyBackups({});
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
  expect((await stage.check()).map(({ stack }) => stack)).toEqual(["s"]);
});

/**
 * Lists a bucket that answers every request with a list. Returns the number of requests.
 * @param bodyOf returns the members of the list of the n-th request
 */
async function refusedList(bodyOf: (page: number) => string): Promise<number> {
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
  await expect(repository.list("s/")).rejects.toMatchObject(incomplete);
  await repository[Symbol.asyncDispose]();
  server.close();
  return pages;
}

describe("the list of a bucket", () => {
  const file = (name: string): string => `<Contents><Key>s/${name}.txt</Key><Size>1</Size></Contents>`;
  const more = (token: number): string =>
    `<IsTruncated>true</IsTruncated><NextContinuationToken>${token}</NextContinuationToken>`;

  it("is refused, and not read for ever, if it has no end", async () => {
    expect(await refusedList((page) => `<KeyCount>1</KeyCount>${more(page)}${file(`${page}`)}`)).toBeLessThan(20);
  });

  it("is refused at the first repetition if it comes back to an earlier page", async () => {
    expect(await refusedList((page) => `<KeyCount>0</KeyCount>${more(page % 3)}`)).toBe(4);
  });

  it("is refused if it is cut off without a token: its newest backups would be missing", async () => {
    expect(await refusedList(() => `<MaxKeys>1</MaxKeys><IsTruncated>true</IsTruncated>${file("1")}`)).toBe(1);
  });
});

describe("a folder with more files than anybody keeps", () => {
  it.each(["files side by side", "folders below each other"])(
    "is refused, and not read to its end: %s",
    async (shape) => {
      const stage = await dailyBackups({});
      const names = Array.from({ length: 50 }, (_, index) => `f${index}`);
      if (shape === "folders below each other") await mkdir(join(stage.path, "s", ...names), { recursive: true });
      else for (const name of names) await writeFile(join(stage.path, "s", name), "");
      await expect((await openFolder(stage.path, 20)).list("s/")).rejects.toMatchObject(incomplete);
      const all = await (await openFolder(stage.path, 1000)).list("s/");
      expect(all.map(({ name }) => name)).toContain(nameAt(0));
    },
  );

  it("has one of its files more than may be: it is told at the first that is too many", async () => {
    const stage = await dailyBackups({});
    const count = (await (await openFolder(stage.path)).list("s/")).length;
    // The listing also reads the stack's folder itself and its neighbours.
    const maxFiles = count + (await readdir(stage.path)).length;
    expect(await (await openFolder(stage.path, maxFiles)).list("s/")).toHaveLength(count);
    await expect((await openFolder(stage.path, maxFiles - 1)).list("s/")).rejects.toMatchObject(incomplete);
  });
});
