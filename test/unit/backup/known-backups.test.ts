import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { recordGoodBackup } from "../../../src/backup/known-backups.ts";
import { openRepository } from "../../../src/storage/open-repository.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const localRecord = { lastGoodBackupAt: async () => undefined, recordGoodBackup: async () => {} };
const about = {
  contentDigest: "",
  bytes: 1,
  sha256: "",
  kinds: {},
  storedAt: "",
  checkedAt: "2026-11-21T04:15:00.000Z",
};

it("the marker file names every stack, although many runs make its first backup at the same time", async () => {
  const path = temporaryFolder();
  const stacks = Array.from({ length: 20 }, (_, index) => `stack-${index}`);
  const backUp = async (stack: string): Promise<void> => {
    // Each run has opened the repository for itself.
    await using repository = await openRepository(path, { cwd: "/", s3: {} });
    const entry = { archive: `${stack}/20261121T041500Z.zip`, ...about };
    const dependencies = { repository, localRecord } as unknown as Parameters<typeof recordGoodBackup>[3];
    await recordGoodBackup(stack, Date.parse(about.checkedAt), entry, dependencies);
  };
  await Promise.all(stacks.map(backUp));
  const marker = JSON.parse(await readFile(join(path, "stackferry-repository.json"), "utf8")) as { stacks: object };
  expect(Object.keys(marker.stacks).toSorted()).toEqual(stacks.toSorted());
});

it("the marker file names a stack that another run overwrites, in a store without conditional writes", async () => {
  const others = JSON.stringify({ format: "stackferry-repository", version: 1, stacks: { other: about.checkedAt } });
  const stored: string[] = [];
  const repository = {
    readText: async () => ({ text: stored.at(-1) ?? "", version: "", modifiedAt: 0 }),
    swap: async (_name: string, text: string) => {
      stored.push(...(stored.length === 0 ? [text, others] : [text]));
      return { done: true, version: "", sure: false };
    },
  };
  const entry = { archive: "mine/20261121T041500Z.zip", ...about };
  const dependencies = { repository, localRecord } as unknown as Parameters<typeof recordGoodBackup>[3];
  await recordGoodBackup("mine", Date.parse(about.checkedAt), entry, dependencies);
  const marker = JSON.parse(stored.at(-1) ?? "") as { stacks: object };
  expect(Object.keys(marker.stacks).toSorted()).toEqual(["mine", "other"]);
});
