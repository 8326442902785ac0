import { describe, expect, it } from "vitest";
import type { StackRecord } from "../../src/core/records/record.ts";
import { sampleRecord } from "../support/archive-samples.ts";
import type { StoredBackups } from "../support/stored-backups.ts";
import { nameAt, storedBackups } from "../support/stored-backups.ts";

const HOUR = 3_600_000;
const elsewhere = { variant: "self-hosted", baseUrl: "http://staging.test:8000" } as const;

/** Returns this number of dashboards, whose ids begin with the prefix. */
const boards = (count: number, prefix: string): StackRecord[] =>
  Array.from({ length: count }, (_, index) => sampleRecord(`${prefix}${index}`, "dashboards", { tiles: [] }));

/** Makes a good backup of a stack with these records, and advances the clock by an hour. */
async function repositoryWithBackup(records: readonly StackRecord[], encrypted = false): Promise<StoredBackups> {
  const bench = await storedBackups();
  expect(await bench.backup({ records, encrypted })).toMatchObject({ suspect: [] });
  await bench.clock.advance(HOUR);
  return bench;
}

describe("a backup from another address", () => {
  it.each([3, 200])("is suspect where the ids of its %i records are others, until it is accepted", async (count) => {
    const bench = await repositoryWithBackup(boards(count, "a"));
    const wrong = { records: boards(count, "b"), source: elsewhere, policy: { last: 1 } };
    expect(await bench.backup(wrong)).toMatchObject({ result: "stored", suspect: [{ code: "other-stack" }] });
    expect(await bench.archives()).toHaveLength(2);
    expect(await bench.choose("latest")).toBe(nameAt(0));
    await bench.clock.advance(HOUR);
    expect(await bench.backup({ ...wrong, ifChanged: true })).toMatchObject({
      result: "unchanged",
      suspect: [{ code: "other-stack" }],
    });
    // The configured address is right again.
    expect(await bench.backup({ records: boards(count, "a") })).toMatchObject({ suspect: [] });
    await bench.clock.advance(HOUR);
    expect(await bench.backup({ ...wrong, acceptSuspect: true })).toMatchObject({ suspect: [] });
    await bench.clock.advance(HOUR);
    expect(await bench.backup(wrong)).toMatchObject({ suspect: [] });
  });

  it.each([3, 200])("is that of the same stack where most of its %i records have the same ids", async (count) => {
    const bench = await repositoryWithBackup(boards(count, "a"));
    const records = [...boards(count, "a"), ...boards(count, "new")];
    expect(await bench.backup({ records, source: elsewhere })).toMatchObject({ suspect: [] });
  });

  it("is recognised from status.json if the earlier backup is encrypted and its key is missing", async () => {
    const bench = await repositoryWithBackup(boards(9, "a"), true);
    bench.hasKey = false;
    const wrong = { records: boards(9, "b"), source: elsewhere, encrypted: true };
    expect(await bench.backup(wrong)).toMatchObject({ suspect: [{ code: "other-stack" }] });
  });

  it("is recognised from the archives if status.json is lost", async () => {
    const bench = await repositoryWithBackup(boards(9, "a"));
    await bench.backup({ records: boards(9, "b"), source: elsewhere });
    await bench.repository.remove("s/status.json");
    const codes = (await bench.check()).map(({ suspect }) => suspect.map(({ archive }) => archive));
    expect(codes).toEqual([[nameAt(1)]]);
  });

  it("is not suspect where an earlier release has not noted the address, and is compared from then on", async () => {
    const bench = await repositoryWithBackup(boards(9, "a"));
    const status = JSON.parse((await bench.repository.readText("s/status.json"))?.text ?? "") as object;
    await bench.overwrite("s/status.json", JSON.stringify({ ...status, origin: undefined }));
    expect(await bench.backup({ records: boards(9, "a"), ifChanged: true })).toMatchObject({ result: "unchanged" });
    const wrong = { records: boards(9, "b"), source: elsewhere };
    expect(await bench.backup(wrong)).toMatchObject({ suspect: [{ code: "other-stack" }] });
  });
});

it("a backup from the same address is good whatever its ids are: the stack was rebuilt there", async () => {
  const bench = await repositoryWithBackup(boards(9, "a"));
  expect(await bench.backup({ records: boards(9, "b") })).toMatchObject({ suspect: [] });
});

it("status.json names neither the address nor an id", async () => {
  const bench = await repositoryWithBackup(boards(3, "secret-id-"));
  const text = (await bench.repository.readText("s/status.json"))?.text ?? "";
  expect(text).not.toMatch(/localhost|secret-id/);
});
