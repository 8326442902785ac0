import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openArchive } from "../../../src/archive/reader.ts";
import { filesBelow, readArchive } from "../../support/archive-samples.ts";
import { goldenRecords, writeGolden } from "../../support/golden-archive.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const fixtures = join(import.meta.dirname, "../../fixtures/archives");
const DIGEST = "ab9dec59a5bed6b940104cd86fce3ac0d290db520fb312de26f94efd4875633c";

// GOLDEN=write makes those that are missing. What has been committed stays for ever and is never written again.
const missing = ["v1.zip", "v1-folder"].filter((name) => !existsSync(join(fixtures, name)));
it.runIf(process.env["GOLDEN"] === "write" && missing.length > 0)("writes golden archives", async () => {
  for (const name of missing) await writeGolden(join(fixtures, name), name.endsWith(".zip") ? "zip" : "folder");
});

describe.each(["v1.zip", "v1-folder"])("the golden archive %s", (name) => {
  it("reads as it was written", async () => {
    await using reader = await openArchive(join(fixtures, name));
    expect(reader.summary).toMatchObject({ formatVersion: 1, contentDigest: DIGEST });
    expect(await readArchive(join(fixtures, name))).toEqual(goldenRecords);
    expect(reader.manifest.redactions).toHaveLength(1);
  });
});

it("would be written today exactly as it was then", async () => {
  const folder = temporaryFolder();
  await writeGolden(join(folder, "again"), "folder");
  expect(await filesBelow(join(folder, "again"))).toEqual(await filesBelow(join(fixtures, "v1-folder")));
});
