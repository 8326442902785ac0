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
