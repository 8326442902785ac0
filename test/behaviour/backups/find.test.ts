import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateIdentity } from "age-encryption";
import { describe, expect, it } from "vitest";
import type { StackRecord } from "../../../src/core/records/record.ts";
import { startSandbox } from "../../support/start-sandbox.ts";
import { programWithBackups, hoursLater, oneDashboardSeed } from "../../support/program-with-backups.ts";
import { board, logOf } from "../../support/edited-stack.ts";
import { including } from "../../support/import-stage.ts";
import { documentOf, runCli } from "../../support/run-cli.ts";
import { warningCodes } from "../../support/program-with-archive.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { backupStage, besideOf, HOUR, nameAt, type BackupStage } from "../../support/backup-stage.ts";

const boards = (...names: readonly string[]): StackRecord[] => names.map((name) => board(`id of ${name}`, name));
const MANY = boards("A", "B", "C", "D", "E", "F");

/** Makes a backup of many records, and an hour later one of few, which is suspect. */
async function shrunkBackups(...few: readonly string[]): Promise<BackupStage> {
  const stage = await backupStage();
  await stage.backup({ records: MANY });
  await stage.clock.advance(HOUR);
  expect(await stage.backup({ records: boards(...few) })).toMatchObject({ suspect: expect.any(Array) });
  return stage;
}

/** Runs `list REPO --include NAME` on the backups, without a key. */
function find({ path, clock }: BackupStage, name: string, ...more: readonly string[]) {
  return runCli(["list", path, "--include", name, ...more], { now: () => clock.now() });
}

describe("list --include", () => {
  it("says that a repository has no backup to search", async () => {
    const run = await find(await backupStage(), "A");
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining("there is no backup to search")]);
  });

  it("finds a record that only a suspect backup has, and names that backup", async () => {
    const stage = await shrunkBackups("Rescued");
    const run = await find(stage, "Rescued", "--json");
    expect([run.exitCode, warningCodes(run)]).toEqual([0, []]);
    const record = { name: "Rescued", archives: [nameAt(1)] };
    const found = [{ searched: 2, newest: nameAt(1), suspect: [nameAt(1)], unread: [], records: [record] }];
    expect(documentOf(run)).toMatchObject({ found });
    expect((await find(stage, "Rescued")).stdout).toContain(nameAt(1));
  });

  it("says that a record is not in the newest backup, even if that one is suspect", async () => {
    const run = await find(await shrunkBackups("A"), "B");
    expect([run.exitCode, run.stdout]).toEqual([0, expect.stringMatching(/1 of 2 .*not in the newest backup/)]);
  });

  it.each([
    ["an encrypted", nameAt(2, true), "encrypted", /^not searched: s\/.*--identity/m],
    ["a damaged", nameAt(2), "damaged", /^not searched: s\/.*damaged/m],
  ])("does not say that no backup has a record while %s one was not searched: exit 3", async (_, name, why, note) => {
    const stage = await shrunkBackups("A");
    await stage.clock.advance(HOUR);
    await stage.store(name, boards("Secret"), why === "encrypted");
    if (why === "encrypted") await stage.overwrite(besideOf(name, "json"), "torn");
    else await stage.overwrite(name, "not a zip");
    for (const pattern of ["Secret", "AA"]) {
      const run = await find(stage, pattern, "--json");
      expect([run.exitCode, warningCodes(run)]).toEqual([3, ["unused"]]);
      const encrypted = why === "encrypted" ? [name] : [];
      expect(documentOf(run)).toMatchObject({ found: [{ records: [], unread: [name], encrypted, searched: 2 }] });
      expect((await find(stage, pattern)).stdout).toMatch(note);
    }
    const run = await find(stage, "A", "--json");
    expect([run.exitCode, warningCodes(run)]).toEqual([3, []]);
  });

  it.each(["list REPO --include A", "log REPO/s"])(
    "says of a backup for another key that no key opens it, not that it is damaged: %s",
    async (line) => {
      const stage = await backupStage();
      await stage.store(nameAt(0, true), boards("A"), true);
      const key = join(temporaryFolder(), "other.txt");
      await writeFile(key, await generateIdentity(), { mode: 0o600 });
      const args = [...line.replace("REPO", stage.path).split(" "), "--identity", key];
      const run = await runCli(args, { now: () => stage.clock.now() });
      expect([run.exitCode, run.stdout]).toEqual([3, expect.stringContaining("no given key opens")]);
      expect(run.stdout).not.toMatch(/damaged/i);
    },
  );

  it("is told by a report page, too: it names the backup for which it exits with 3", async () => {
    const stage = await backupStage();
    await stage.store(nameAt(0, true), boards("A"), true);
    await stage.store(nameAt(1), boards("A"));
    const args = ["report", join(stage.path, "s"), "--out", join(temporaryFolder(), "page.html")];
    const run = await runCli(args, { now: () => stage.clock.now() + 2 * HOUR });
    expect([run.exitCode, run.stderr]).toEqual([3, expect.stringContaining(`${nameAt(0, true)}: `)]);
    expect(run.stderr).toContain("no given key opens it");
  });

  it("refuses a name that no backup has if it has searched them all, suspect ones too", async () => {
    const run = await find(await shrunkBackups("Rescued"), "Rescue");
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('did you mean "Rescued"?')]);
  });

  it("is not outdone by log: it warns of a name, and refuses none, while it has not read every backup", async () => {
    const stage = await shrunkBackups("Rescued");
    expect((await logOf(stage, { filter: including("Rescued") })).entries).toMatchObject([
      { archive: nameAt(1), problem: { code: "suspect-backup" } },
    ]);
  });
});

describe("restore --include with a name that the backup does not have", () => {
  it.each(["restore place/production --to production", "import place/production@2026-11-21 --to production"])(
    "names the command that finds it, and reads nothing of the target: %s",
    async (line) => {
      const requests: string[] = [];
      await using production = await startSandbox({
        variant: "self-hosted",
        seed: oneDashboardSeed,
        intercept: ({ route }, proceed) => {
          requests.push(route);
          return proceed();
        },
      });
      await using fixture = await programWithBackups({ production });
      expect((await fixture.run("backup production --to place", hoursLater(0))).exitCode).toBe(0);
      requests.length = 0;
      const run = await fixture.run(`${line} --include Overviw --json`, hoursLater(1));
      expect(documentOf(run)).toMatchObject({ exitCode: 2, error: { code: "usage" } });
      const { hint } = documentOf(run)["error"] as { hint: string };
      expect(hint).toContain('did you mean "Overview"?');
      const [, command = ""] = /stackferry (list [^;]*)/.exec(hint) ?? [];
      expect(command).toBe("list place --stack production --include Overviw");
      expect(requests).toEqual([]);
    },
  );
});
