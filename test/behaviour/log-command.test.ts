import { copyFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { BackupFixture } from "../support/backup-fixture.ts";
import { START, backupFixture } from "../support/backup-fixture.ts";
import { readSandbox } from "../support/read-sandbox.ts";

const DAY = 86_400_000;
const NOON = START + 2 * DAY;

let sandbox: Sandbox;
let fixture: BackupFixture;

async function edit(change: (body: Record<string, unknown>) => object): Promise<void> {
  const [{ id, ...body } = { id: "" }] = await readSandbox(sandbox, "dashboards");
  const { apiKey = "", url } = sandbox;
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const sent = { method: "PUT", headers, body: JSON.stringify(change(body)) };
  const answer = await fetch(`${url}/api/v2/dashboards/${id}`, sent);
  expect(answer.status).toBe(200);
}

describe("the history of a dashboard that was broken on one day", () => {
  beforeAll(async () => {
    sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
    fixture = await backupFixture({ production: sandbox });
    const backup = async (now: number): Promise<void> => {
      const run = await fixture.run("backup production --to place", { now: () => now });
      expect(run.exitCode).toBe(0);
    };
    await backup(START);
    await edit((body) => ({ ...body, name: "Overview", tiles: (body["tiles"] as object[]).slice(1) }));
    await backup(START + DAY);
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  it("is told by log: the record, its tile, and with --patch its values", async () => {
    const run = await fixture.run("log place/production", { now: () => NOON });
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toMatch(/2026-11-22 04:15 UTC {2}production\/20261122T041500Z\.zip\n/);
    expect(run.stdout).toMatch(/~ "Overview" \(was ".*"\)\n {4}~ name\n {4}- tile "Requests"\n/);
    const patch = await fixture.run("log place/production --patch --since yesterday", { now: () => NOON });
    expect(patch.stdout).toMatch(/~ name: ".*" → "Overview"/);
    const before = await fixture.json("log place/production@2026-11-21", { now: () => NOON });
    expect(before).toMatchObject({ log: { entries: [], compared: 1 } });
  });

  it("is told where a shell has completed the name of the folder", async () => {
    const run = await fixture.run("log place/production/", { now: () => NOON });
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toContain("production/20261122T041500Z.zip");
  });

  it("is told by list --include: the first and the last backup with the record", async () => {
    const { found } = await fixture.json("list place --include Overview", { now: () => NOON });
    const archives = ["production/20261121T041500Z.zip", "production/20261122T041500Z.zip"];
    expect(found).toMatchObject([{ stack: "production", searched: 2, records: [{ name: "Overview", archives }] }]);
    const run = await fixture.run("list place --include Overviw", { now: () => NOON });
    expect(run).toMatchObject({ exitCode: 2 });
    expect(run.stderr).toContain('did you mean "Overview"?');
  });

  it("is drawn by report: a section for each backup that differs", async () => {
    const run = await fixture.run("report place/production --out history.html", { now: () => NOON });
    expect(run).toMatchObject({ exitCode: 0 });
    const page = await readFile(join(fixture.cwd, "history.html"), "utf8");
    expect(page).toContain("History of production");
    expect(page).toContain("2026-11-22 04:15 UTC");
    expect(page).not.toContain("2026-11-21 04:15 UTC");
  });

  it("may lack changes where a file does not fit its name: log and list --include name it and exit 3", async () => {
    const copied = join(fixture.repository, "production/20261122T120000Z.zip");
    await copyFile(join(fixture.repository, "production/20261121T041500Z.zip"), copied);
    const run = await fixture.run("log place/production", { now: () => NOON });
    expect(run).toMatchObject({ exitCode: 3 });
    expect(run.stdout).toMatch(/20261122T120000Z\.zip\n.* its name has another time/);
    const listed = await fixture.run("list place --include Overview", { now: () => NOON });
    expect(listed).toMatchObject({ exitCode: 3 });
    expect(listed.stdout).toContain("production/20261122T120000Z.zip");
    await rm(copied);
  });

  it.each([
    ["log place/staging", "no backup of staging"],
    ["log place/production --since soon", "--since soon is not a time"],
    ["log place/production@soon", "the time of a backup is written"],
    ["log place/production --kinds dashboard", "did you mean dashboards?"],
    ["log place", "a backup is named REPO/STACK"],
    ["log place/", "a backup is named REPO/STACK"],
    ["log place/production/20261121T041500Z.zip", "write place/production@2026-11-21T04:15:00;"],
  ])("%s is refused", async (args, message) => {
    const run = await fixture.run(args, { now: () => NOON });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain(message);
  });
});
