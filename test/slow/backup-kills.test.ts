import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openArchive } from "../../src/archive/reader.ts";
import { backupStack } from "../../src/backup/backup.ts";
import { acceptNewestArchive, checkRepository } from "../../src/backup/check.ts";
import type { BackupContext } from "../../src/backup/backup-context.ts";
import { pruneStack } from "../../src/backup/prune.ts";
import { selectBackup } from "../../src/backup/select-backup.ts";
import type { Repository } from "../../src/core/ports.ts";
import { openRepository } from "../../src/storage/open-repository.ts";
import { faultyRepository, KilledError, type Misfortune } from "../simulation/faulty-repository.ts";
import { simulatedClock } from "../simulation/simulated-clock.ts";
import { exporterIn } from "../simulation/simulated-stack.ts";
import { startS3Server } from "../support/s3-server.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { digestFile } from "../../src/files/regular-file.ts";
import { createTemporaryFolder } from "../../src/files/temporary-folder.ts";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 21, 4, 15);
const timeout = 600_000;

function contextOf(repository: Repository, hours: number, run: number): BackupContext {
  const tokens = seededRandom(run);
  return {
    events: () => {},
    repository,
    clock: simulatedClock(START + hours * HOUR),
    createTemporaryFolder,
    digestFile,
    openArchive: (path) => openArchive(path),
    createToken: () =>
      tokens
        .below(2 ** 32)
        .toString(16)
        .padStart(8, "0"),
    checksSignature: false,
    minShare: 0.5,
    localRecord: { lastGoodBackupAt: async () => undefined, recordGoodBackup: async () => {} },
  };
}

type Job = (context: BackupContext) => Promise<unknown>;

const backup: Job = (context) =>
  backupStack({ stack: "s", exportTo: exporterIn("fair", 5), ifChanged: false, policy: { last: 1 } }, context);

const JOBS: Readonly<Record<string, Job>> = {
  backup,
  "backup of an unchanged stack": (context) =>
    backupStack({ stack: "s", exportTo: exporterIn("lost", 4), ifChanged: true, policy: { last: 2 } }, context),
  prune: (context) => pruneStack({ stack: "s", policy: { last: 1 } }, { ...context, isClockTrusted: true }),
  "check --accept-suspect": (context) => acceptNewestArchive("s", context),
};

/** The files of a stack with three good backups, and a suspect one at hour 4 that has lost its alerts. */
async function filesOfStack(): Promise<ReadonlyMap<string, Buffer>> {
  const path = temporaryFolder();
  await using repository = await openRepository(path, { cwd: "/", s3: {} });
  for (const hours of [1, 2, 3, 4]) {
    const exportTo = exporterIn(hours === 4 ? "lost" : "fair", hours);
    const input = { stack: "s", exportTo, ifChanged: false };
    const { suspect } = await backupStack(input, contextOf(repository, hours, hours));
    expect(suspect).toHaveLength(hours === 4 ? 1 : 0);
  }
  const names = (await repository.list("")).map(({ name }) => name);
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(path, name))] as const)));
}

interface Outcome {
  readonly killed: boolean;
  readonly result?: unknown;
}

async function outcomeOf(job: Job, context: BackupContext): Promise<Outcome> {
  try {
    return { killed: false, result: await job(context) };
  } catch (error) {
    if (error instanceof KilledError) return { killed: true };
    throw error;
  }
}

/** Runs the jobs at the same time, of which the first is killed after this call. Returns whether it came so far. */
async function killAt(call: number, names: readonly string[], repository: Repository): Promise<boolean> {
  const misfortune: Misfortune = { call, kind: "kill" };
  const outcomes = await Promise.all(
    names.map((name, index) => {
      const place =
        index === 0
          ? faultyRepository(
              repository,
              misfortune,
              () => false,
              async () => {},
            )
          : { ...repository };
      return outcomeOf(JOBS[name] ?? backup, contextOf(place, 6, index));
    }),
  );
  const reader = contextOf(repository, 7, 9);
  const label = `${names.join(" + ")}, killed at call ${call}`;
  // What a run has reported is there: the newest good backup is the one that a run has stored, or the one before.
  const stored = outcomes.flatMap(({ result }) =>
    typeof result === "object" && result !== null && "result" in result && result.result === "stored"
      ? [(result as unknown as { archive: string }).archive]
      : [],
  );
  const latest = (await selectBackup("s", "latest", reader)).name;
  expect([label, latest >= ["s/20261121T071500Z.zip", ...stored].toSorted().at(-1)!]).toEqual([label, true]);
  const [check] = await checkRepository({ stacks: ["s"], percent: 100, random: () => 0 }, reader);
  expect([label, check]).toMatchObject([label, { damaged: [], refused: [], tooOld: false }]);
  // What is called good holds all that the stack has, or was accepted.
  await using folder = await createTemporaryFolder();
  const path = join(folder.path, "archive.zip");
  const newest = check?.newestGood ?? "";
  await repository.fetch(newest, path);
  await using archive = await openArchive(path);
  const accepted = (await repository.list(newest.replace("zip", "accepted"))).length === 1;
  expect([label, (archive.manifest.kinds["alerts"]?.count ?? 0) > 0 || accepted]).toEqual([label, true]);
  // The next run works as if nothing had happened, and a day later nothing is left of the killed one.
  await backup(contextOf(repository, 8, 10));
  const later: Repository = {
    ...repository,
    list: async (prefix) => (await repository.list(prefix)).map((file) => ({ ...file, modifiedAt: 0 })),
  };
  await backup(contextOf(later, 40, 11));
  const left = (await repository.list("s/")).map(({ name }) => name);
  expect([label, left.filter((name) => !/\.(?:zip|json|accepted|unchanged)$|\/good$/.test(name))]).toEqual([label, []]);
  return outcomes[0]?.killed === true;
}

const names = Object.keys(JOBS);
const together = [
  ...names.flatMap((first) => names.map((second) => [first, second])),
  ...names.map((first) => [first, "backup", "prune"]),
  ["prune", "prune", "prune"],
  ["backup", "backup", "backup"],
];

describe("runs at the same time, of which one is killed, lose no good backup and invent none", () => {
  it.each([
    ["a folder", 1],
    ["a bucket", 4],
  ] as const)("in %s, at one of %i calls of the killed run", { timeout }, async (place, step) => {
    const files = await filesOfStack();
    await using server = place === "a bucket" ? await startS3Server() : undefined;
    let kills = 0;
    let worlds = 0;
    async function newWorld(): Promise<Repository> {
      worlds += 1;
      const folder = temporaryFolder();
      const address = server === undefined ? folder : `s3://${server.bucket}/p${worlds}`;
      const repository = await openRepository(address, {
        cwd: "/",
        s3: server === undefined ? {} : { ...server.settings, attempts: 4 },
      });
      const file = join(temporaryFolder(), "file");
      for (const [name, bytes] of files) {
        await writeFile(file, bytes);
        if (bytes.length > 0) await repository.put(file, name);
        else await repository.writeText(name, "");
      }
      return repository;
    }
    for (const jobs of together) {
      for (let call = 1; ; call += step) {
        await using repository = await newWorld();
        if (!(await killAt(call, jobs, repository))) break;
        kills += 1;
      }
    }
    process.stdout.write(`${kills} kills in ${place}, ${together.length} sets of runs\n`);
    expect(kills).toBeGreaterThan(220 / step);
  });
});
