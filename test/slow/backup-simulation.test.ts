import { mkdtempSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { openRepository } from "../../src/storage/open-repository.ts";
import { simulateBackups } from "../simulation/simulate-backups.ts";
import { startS3Server } from "../support/s3-server.ts";

/** `npm run simulation` lets 400 days pass; the short form is for every day. */
const asked = process.env["STACKFERRY_SIMULATED_DAYS"];
const days = asked === undefined ? { folder: 8, s3: 2 } : { folder: Number(asked), s3: Number(asked) };
const policy = { last: 3, hourly: 24, daily: 7, weekly: 4, monthly: 12, yearly: 2 };
const timeout = 3_600_000;

it(`${days.folder} days of hourly backups in a folder keep every promise`, { timeout }, async () => {
  const path = mkdtempSync(join(tmpdir(), "stackferry-simulation-"));
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
  // Each of these has to have happened for the promises to mean anything.
  for (const what of ["stored", "unchanged", "suspect", "failed", "killed", "locked"])
    expect(report.counts[what] ?? 0).toBeGreaterThan(0);
  if (asked !== undefined) process.stdout.write(`${JSON.stringify(report.counts)}\n`);
});

it(`${days.s3} days of hourly backups in a bucket keep every promise`, { timeout }, async () => {
  await using server = await startS3Server({ conditional: true });
  await using repository = await openRepository(`s3://${server.bucket}/p`, { cwd: "/", s3: server.settings });
  const report = await simulateBackups({
    repository,
    hours: days.s3 * 24,
    seed: 4,
    policy,
    // Half an upload is invisible.
    leaveHalf: async () => {},
    damage: (name) => repository.writeText(name, "rotten"),
  });
  expect(report.broken).toEqual([]);
  expect(report.counts["stored"]).toBeGreaterThan(10);
  if (asked !== undefined) process.stdout.write(`${JSON.stringify(report.counts)}\n`);
});

it("the simulation notices a place that does not do as it is told", async () => {
  const path = mkdtempSync(join(tmpdir(), "stackferry-simulation-"));
  await using repository = await openRepository(path, { cwd: "/", s3: {} });
  const simulation = { hours: 40, seed: 3, policy: { last: 2 }, leaveHalf: async () => {}, damage: async () => {} };
  const remove = (name: string): Promise<void> => (name.endsWith(".zip") ? Promise.resolve() : repository.remove(name));
  const report = await simulateBackups({ ...simulation, repository: { ...repository, remove } });
  expect(report.broken.length).toBeGreaterThan(0);
});
