import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { openRepository } from "../../src/storage/open-repository.ts";
import { simulateBackups, type SimulationReport } from "../simulation/simulate-backups.ts";
import { WEATHERS } from "../simulation/simulated-stack.ts";
import { startS3Server } from "../support/s3-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** `npm run simulation` sets 400 days; by default, fewer days are simulated. */
const asked = process.env["STACKFERRY_SIMULATED_DAYS"];
const days = asked === undefined ? { folder: 8, s3: 2 } : { folder: Number(asked), s3: Number(asked) };
const policy = {
  last: 3,
  hourly: 24,
  daily: 7,
  weekly: 4,
  monthly: 12,
  yearly: 2,
  within: "2d",
};
const timeout = 3 * 3_600_000;

/** Returns the events that a simulation of this many days must contain; without them, it proves nothing. */
function requiredEvents(days: number): string[] {
  const always = ["stored", "unchanged"];
  if (days < 8) return always;
  const whole = [...always, "suspect", "failed", "killed"];
  return days < 200
    ? whole
    : [
        ...whole,
        "damaged",
        "clock ahead",
        "two at once",
        "completed",
        ...WEATHERS.flatMap((weather) => (weather === "fair" ? [] : [`weather ${weather}`])),
      ];
}

function neverHappened({ counts }: SimulationReport, days: number): string[] {
  return requiredEvents(days).filter((what) => (counts[what] ?? 0) === 0);
}

it(`${days.folder} days of hourly backups in a folder keep every promise`, { timeout }, async () => {
  const path = temporaryFolder();
  await using repository = await openRepository(path, { cwd: "/", s3: {} });
  const report = await simulateBackups({
    repository,
    hours: days.folder * 24,
    seed: 20_261_121,
    policy,
    async leaveHalf(name) {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, dirname(name), `.${name.split("/").at(-1) ?? ""}.0123456789abcdef.part`), "half");
    },
    damage: (name) => writeFile(join(path, name), "rotten"),
  });
  expect(report.broken).toEqual([]);
  expect(neverHappened(report, days.folder)).toEqual([]);
  if (asked !== undefined) process.stdout.write(`${JSON.stringify(report.counts)}\n`);
});

it(`${days.s3} days of hourly backups in a bucket keep every promise`, { timeout }, async () => {
  await using server = await startS3Server();
  // On a busy machine, a request may wait for minutes, or need a second attempt.
  const s3 = { ...server.settings, attempts: 4, timeoutMs: 600_000 };
  await using repository = await openRepository(`s3://${server.bucket}/p`, { cwd: "/", s3 });
  const report = await simulateBackups({
    repository,
    hours: days.s3 * 24,
    seed: 4,
    policy,
    // S3 shows no unfinished uploads.
    leaveHalf: async () => {},
    damage: (name) => repository.writeText(name, "rotten"),
  });
  expect(report.broken).toEqual([]);
  expect(neverHappened(report, days.s3)).toEqual([]);
  if (asked !== undefined) process.stdout.write(`${JSON.stringify(report.counts)}\n`);
});

it("the simulation notices a repository that does not remove archives", async () => {
  const path = temporaryFolder();
  await using repository = await openRepository(path, { cwd: "/", s3: {} });
  const simulation = { hours: 40, seed: 3, policy: { last: 2 }, leaveHalf: async () => {}, damage: async () => {} };
  const remove = (name: string): Promise<void> => (name.endsWith(".zip") ? Promise.resolve() : repository.remove(name));
  const report = await simulateBackups({ ...simulation, repository: { ...repository, remove } });
  expect(report.broken.length).toBeGreaterThan(0);
});
