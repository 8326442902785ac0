import { generateKeyPairSync } from "node:crypto";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox, type Sandbox } from "../support/start-sandbox.ts";
import {
  hoursLater,
  programWithBackups,
  oneDashboardStack,
  type ProgramWithBackups,
} from "../support/program-with-backups.ts";
import { startListener } from "../support/listener.ts";

/** Writes a configuration with this stack alone, as `production`. */
async function configure({ cwd }: ProgramWithBackups, { url: baseUrl, apiKey }: Sandbox, more = ""): Promise<void> {
  const production = { variant: "self-hosted", baseUrl, apiKey };
  await writeFile(join(cwd, "stackferry.yaml"), `stacks: ${JSON.stringify({ production })}\n${more}`);
}

const archivesIn = async (fixture: ProgramWithBackups): Promise<string[]> =>
  (await readdir(join(fixture.repository, "production"))).filter((name) => name.endsWith(".zip"));

describe("a stack that suddenly holds next to nothing", () => {
  it("is stored as suspect (exit 3), notified, and replaces no good backup until it is accepted", async () => {
    await using full = await startSandbox({ variant: "self-hosted", seed: "sample" });
    await using bare = await startSandbox({ variant: "self-hosted", seed: "bare" });
    await using service = await startListener();
    const fixture = await programWithBackups({});
    const { cwd, run, json } = fixture;
    await configure(fixture, full);
    expect(await json("backup production --to place", hoursLater(0))).toMatchObject({ exitCode: 0 });

    await configure(fixture, bare);
    const line = `backup production --to place --keep-last 1 --metrics-file m.prom --notify ${service.url}/ping`;
    const suspect = ["empty", "kind-shrunk", "other-stack"].map((code) => ({ code }));
    for (const hours of [1, 2]) {
      expect(await json(line, hoursLater(hours))).toMatchObject({
        exitCode: 3,
        stacks: [{ result: "stored", suspect }],
        warnings: expect.arrayContaining([expect.objectContaining({ code: "suspect-backup" })]),
      });
    }
    expect(await archivesIn(fixture)).toEqual(["20261121T041500Z.zip", "20261121T061500Z.zip"]);
    const metrics = await readFile(join(cwd, "m.prom"), "utf8");
    expect(metrics).toContain('stackferry_backup_suspect{command="backup",stack="production"} 1\n');
    expect(metrics).toContain('stackferry_backup_newest_good_age_seconds{command="backup",stack="production"} 7200\n');
    expect(metrics).toContain('stackferry_backup_records{command="backup",stack="production",kind="dashboards"} 0\n');
    expect(service.heard.at(-1)).toMatchObject({ path: "/ping/3" });
    expect(JSON.parse(service.heard.at(-1)?.body ?? "")).toMatchObject({
      stacks: [{ stack: "production", exitCode: 3, backup: { suspect: true, newestGoodAgeSeconds: 7200 } }],
    });

    expect((await run("list place", hoursLater(2))).stdout).toMatch(/06:15:00Z .*suspect: no dashboards, no alerts/);
    const check = await run("check place --newest", hoursLater(2));
    expect([check.exitCode, check.stdout.includes("--stack production --newest --accept-suspect")]).toEqual([3, true]);
    expect(await json("check place --newest --accept-suspect", hoursLater(2))).toMatchObject({ exitCode: 2 });
    expect(await json("check place --stack production --newest --accept-suspect", hoursLater(2))).toMatchObject({
      exitCode: 0,
      accepted: ["production/20261121T061500Z.zip"],
    });
    const again = await run("check place --stack production --newest --accept-suspect", hoursLater(2));
    expect(again.stdout).toContain("there is nothing to accept: no newest backup is suspect\n");
    expect(await json("backup production --to place --keep-last 1", hoursLater(3))).toMatchObject({ exitCode: 0 });
    expect(await archivesIn(fixture)).toEqual(["20261121T071500Z.zip"]);
  });
});

it("a check of a stack whose only backup is suspect says so, not that no backup runs", async () => {
  await using bare = await startSandbox({ variant: "self-hosted", seed: "bare" });
  const fixture = await programWithBackups({ production: bare });
  await fixture.run("backup production --to place", hoursLater(0));
  const { exitCode, stdout } = await fixture.run("check place", hoursLater(1));
  expect(exitCode).toBe(3);
  expect(stdout).toContain("production: no good backup, only suspect ones\n");
  expect(stdout).not.toContain("scheduled backups run");
});

describe("the threshold of a suspect backup", () => {
  it("is configured by backup.minShare, and overridden by check --accept-suspect", async () => {
    await using full = await startSandbox({ variant: "self-hosted", seed: "sample" });
    await using bare = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const fixture = await programWithBackups({ production: full });
    const { json } = fixture;
    await json("backup production --to place", hoursLater(0));
    await configure(fixture, bare, "backup:\n  minShare: 0\n");
    expect(await json("backup production --to place", hoursLater(1))).toMatchObject({
      stacks: [{ suspect: [{ code: "empty" }, { code: "kind-shrunk" }, { code: "other-stack" }] }],
    });
    await json("check place --stack production --newest --accept-suspect", hoursLater(2));
    expect(await json("backup production --to place --if-changed", hoursLater(2))).toMatchObject({
      exitCode: 0,
      stacks: [{ result: "unchanged", suspect: [] }],
    });
    expect(await json("check place", hoursLater(2))).toMatchObject({ exitCode: 0 });
    await configure(fixture, bare, "backup:\n  minShare: 2\n");
    expect(await json("backup production --to place", hoursLater(3))).toMatchObject({ exitCode: 2 });
  });
});

describe("check --signer", () => {
  it("counts only backups of that key", async () => {
    await using stack = await oneDashboardStack();
    const { cwd, repository, json } = await programWithBackups({ production: stack });
    for (const name of ["mine", "theirs"]) {
      const pair = generateKeyPairSync("ed25519");
      const secret = pair.privateKey.export({ type: "pkcs8", format: "pem" });
      await writeFile(join(cwd, `${name}.pem`), secret, { mode: 0o600 });
      await writeFile(join(cwd, `${name}.pub`), pair.publicKey.export({ type: "spki", format: "pem" }));
    }
    await json("backup production --to place --sign mine.pem", hoursLater(0));
    const check = "check place --signer mine.pub";
    expect(await json(`${check} --restore-test`, hoursLater(0))).toMatchObject({
      exitCode: 0,
      stacks: [{ proof: { read: "plain", isSigned: true } }],
      restoreTests: [{ ok: true }],
    });
    expect(await json("check place --signer theirs.pub", hoursLater(0))).toMatchObject({ exitCode: 4 });
    await json("backup production --to place --sign theirs.pem", hoursLater(1));
    await json("backup production --to place", hoursLater(2));
    const first = "production/20261121T041500Z.zip";
    expect(await json(check, hoursLater(2))).toMatchObject({
      exitCode: 4,
      stacks: [{ damaged: [{}, {}], newestGood: first, ageMs: 7_200_000 }],
    });
    const restore = "restore place/production --to production --dry-run --signer mine.pub";
    expect(await json(restore, hoursLater(2))).toMatchObject({ from: { label: expect.stringContaining(first) } });
    await writeFile(join(repository, `${first}.sig`), "{}");
    expect(await json(check, hoursLater(2))).toMatchObject({
      exitCode: 4,
      stacks: [{ damaged: [{}, {}, {}], tooOld: true }],
    });
  });
});
